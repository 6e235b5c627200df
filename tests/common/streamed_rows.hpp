// Rows of so many bytes that a CPU writes their results past its caches.
#pragma once
#include "common/row_case.hpp"
#include <fade/atom/cpu/stream.hpp>
#include <fade/softmax.hpp>

namespace rows {

/// Results that pass the caches by are those of the same rows in pieces, which do not.
template <class T, class F>
void check_streamed(F f) {
    const fade::index columns = 1000 + drawn(0, 200),
                      rows = fade::atom::streamed_bytes / fade::index(sizeof(T)) / columns + 2;
    matrix<T> x(rows, columns, false), whole(rows, columns, false), pieces(rows, columns, false);
    x.fill();
    const auto run = [&](fade::index r, fade::index count, auto& y) {
        f(fade::softmax_problem{count, columns, x.stride(), y.stride()}, x.data() + r * x.stride(),
          y.data() + r * y.stride());
    };
    run(0, rows, whole);
    for (fade::index r = 0; r < rows; r += rows / 3) run(r, std::min(rows / 3, rows - r), pieces);
    fade::index wrong = 0;
    for (fade::index r = 0; r < rows; ++r)
        wrong += std::memcmp(whole.data() + r * whole.stride(), pieces.data() + r * pieces.stride(),
                             std::size_t(columns) * sizeof(T)) != 0;
    CHECK(wrong == 0);
    CHECK(whole.gaps_are_poison());
}

}  // namespace rows

// One value of each row: sum, mean, largest element and its place; and the k largest.
#pragma once
#include <fade/core/ordered.hpp>
#include <fade/core/row_tensor.hpp>

namespace FADE_NAMESPACE::kernel {

enum class reduction { sum, mean, max, argmax };

constexpr const char* name(reduction r) {
    constexpr const char* names[] = {"sum", "mean", "max", "argmax"};
    return names[int(r)];
}

/// out[row], and where the largest element stands. A NaN is larger than all numbers, and of equal elements
/// the first is taken.
template <class In, class Out, reduction Kind>
struct reduce_rows {
    row_tensor<const In> x;
    Out* out;
    int* places;

    static constexpr int operands = 1, element_bytes = sizeof(In);
    template <class F>
    void each_tensor(F f) const {
        f("x", x);
    }

    template <class Row>
    FADE_FN void operator()(Row& row) const {
        const auto in = row.read(x);
        if constexpr (Kind == reduction::sum || Kind == reduction::mean) {
            const float all = row.sum([](float element) FADE_LAMBDA { return element; }, in);
            row.put(out, convert<Out>(Kind == reduction::mean ? all / float(row.columns()) : all));
        } else {
            const auto place = [](column c, float element)
                                   FADE_LAMBDA { return placed_number::of(element, c.value); };
            const placed_number most = row.fold(placed_number::nothing(), first_placed{}, place, in);
            row.put(out, convert<Out>(most.number()));
            row.put(places, most.place);
        }
    }
};

/// The k largest elements of each row in falling order, and their places: [rows, k].
template <class In, class Out>
struct top_k_rows {
    row_tensor<const In> x;
    Out* values;
    int* places;
    int k;

    static constexpr int operands = 1, element_bytes = sizeof(In);
    template <class F>
    void each_tensor(F f) const {
        f("x", x);
    }

    template <class Row>
    FADE_FN void operator()(Row& row) const {
        const auto in = row.read(x);
        placed_number last{0xffffffffu, -1};  // before all that there are
        FADE_ROLLED
        for (int i = 0; i < k; ++i) {
            const auto behind = [&](column c, float element) FADE_LAMBDA {
                const placed_number here = placed_number::of(element, c.value);
                return chosen(last.before(here), here, placed_number::nothing());
            };
            last = row.fold(placed_number::nothing(), first_placed{}, behind, in);
            row.put_at(values, row.number() * k + i, convert<Out>(last.number()));
            row.put_at(places, row.number() * k + i, last.place);
        }
    }
};

}  // namespace FADE_NAMESPACE::kernel

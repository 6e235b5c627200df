// Operands of the host: whatever is read through stage_rows or packed into a panel is the element that was
// asked for, with every instruction set.
#include "common/each_isa.hpp"
#include <doctest/doctest.h>
#include <fade/block/pack.hpp>
#include <vector>

using namespace fade;

namespace {

template <class T>
T numbered(fade::index i) {
    return convert<T>(float(int(i * 37 % 251) - 125) * 0.5f);
}

/// A matrix of In with room behind each line, read as rows x k or, turned, as k x rows.
template <class In>
struct source {
    std::vector<In> values;
    block::operand<In> of;
    source(int rows, int depth, bool along_k) {
        const fade::index pitch = (along_k ? depth : rows) + 3;
        for (fade::index i = 0; i < pitch * (along_k ? rows : depth); ++i) values.push_back(numbered<In>(i));
        of = {values.data(), nullptr, nullptr, along_k ? pitch : 1, along_k ? 1 : pitch, rows};
    }
    template <class T>
    T at(int row, int k) const {
        return convert<T>(of.tile[row * of.row_stride + k * of.k_stride]);
    }
};

template <class T, class In>
int wrong_in_panel(int width, int columns, int depth, bool along_k) {
    const source<In> from(columns, depth, along_k);
    std::vector<T> panel(std::size_t(width * depth), T(99));
    block::pack_panel(panel.data(), width, from.of, columns, depth);
    int wrong = 0;
    for (int k = 0; k < depth; ++k)
        for (int c = 0; c < width; ++c)
            wrong += panel[std::size_t(k * width + c)] != (c < columns ? from.template at<T>(c, k) : T(0));
    return wrong;
}

template <class T, class In>
int wrong_in_strip(int rows, int depth, bool along_k) {
    const source<In> from(rows, depth, along_k);
    std::vector<T> memory(std::size_t(rows * depth));
    const auto read = block::stage_rows(memory.data(), from.of, rows, depth);
    int wrong = 0;
    for (int k = 0; k < depth; ++k)
        for (int r = 0; r < rows; ++r)
            wrong += read.at[r * read.row_stride + k * read.k_stride] != from.template at<T>(r, k);
    return wrong;
}

template <class T, class In>
void check_all() {
    constexpr int width = 128 / int(sizeof(T));
    for (const bool along_k : {false, true})
        for (const int depth : {1, 3, 4, 15, 16, 17, 67})
            for (const int n : {1, 2, 5, width - 1, width}) {
                INFO("along k: ", along_k, ", depth ", depth, ", rows ", n);
                CHECK(wrong_in_panel<T, In>(width, n, depth, along_k) == 0);
                CHECK(wrong_in_strip<T, In>(n, depth, along_k) == 0);
            }
}

}  // namespace

TEST_CASE("what a micro-kernel reads") {
    test::each_isa([] {
        check_all<float, float>();
        check_all<float, f16>();
        check_all<float, bf16>();
        check_all<float, f8e4m3>();
        check_all<double, double>();
        check_all<i32, i8>();
    });
}

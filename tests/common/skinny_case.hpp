// Products of few rows or few columns, and the kernel that makes them.
#pragma once
#include "common/gemm_case.hpp"
#include <fade/gemm.hpp>

namespace fade::test {

/// Which side of D is short.
enum class few { rows, columns };

/// Do the few lie along k, so that they are read in runs?
constexpr bool few_along_k(gemm_layout layout, few which) {
    return which == few::rows ? !a_transposed(layout) : b_transposed(layout);
}
/// Does what streams past them?
constexpr bool stream_along_k(gemm_layout layout, few which) {
    return which == few::rows ? b_transposed(layout) : !a_transposed(layout);
}

/// `count` rows or columns of D, `others` of the other kind; whole runs of `run` elements where they are read
/// so.
inline gemm_case skinny_case(gemm_layout layout, few which, index count, index others, index k, index run) {
    const auto whole = [&](index x) { return ceil_div(x, run) * run; };
    if (!stream_along_k(layout, which)) others = whole(others);
    if (stream_along_k(layout, which) || few_along_k(layout, which)) k = whole(k);
    gemm_case c;
    c.problem = {.m = which == few::rows ? count : others,
                 .n = which == few::rows ? others : count,
                 .k = k,
                 .layout = layout};
    lay_out(c.problem, 0, 0);
    return c;
}

/// Of the kernel of few rows that makes D or its transpose.
template <class Arch, class In, operand_access Access, few Which>
inline constexpr tile_shape skinny_tile =
    tune::row_of<Arch, In>()
        .skinny[std::size_t(Which == few::rows ? Access : tune::transposed(Access))]
        .block_tile;

/// With more columns than are few, there are few rows alone, and the other way.
inline index more_than_few(const tile_shape& tile, few which) {
    return which == few::rows ? 0 : 2 * index(tile.m);
}

}  // namespace fade::test

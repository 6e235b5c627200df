// The policies of products whose operands are no boxes: windows of images, rows of groups.
#pragma once
#include <fade/tune/gemm/amd.hpp>
#include <fade/tune/gemm/host.hpp>
#include <fade/tune/gemm/nvidia.hpp>

namespace FADE_NAMESPACE::tune {

/// The rows of matrix multiplication, but where those want boxes.
template <class Arch, class In>
struct rows_by_lanes : gemm_rows<Arch, In> {};
template <class In>
struct rows_by_lanes<arch::sm_90a, In> {
    static constexpr gemm_row row = sizeof(In) == 2 ? hopper_16bit_by_lanes : ampere_row<arch::sm_90a, In>();
};

/// What operands' addresses take leaves no registers for steps of twice the depth.
template <class In>
struct rows_by_lanes<arch::gfx908, In> {
    static constexpr gemm_row row = gemm_rows<arch::gfx908, In>::plain;
};

/// The rows of products that have two sizes of tiles, of groups and by tables of pointers: medium ones are
/// the small, where there are any. Elements are read one by one as in small ones.
template <class Arch, class In>
constexpr gemm_row row_of_two_sizes() {
    gemm_row row = rows_by_lanes<Arch, In>::row;
    if (row.medium.block_tile.m == 0) return row;
    if (row.strided.block_tile.m == 0) row.strided = row.small;
    row.small = row.medium, row.medium = {};
    return row;
}

}  // namespace FADE_NAMESPACE::tune

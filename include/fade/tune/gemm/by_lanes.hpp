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

}  // namespace FADE_NAMESPACE::tune

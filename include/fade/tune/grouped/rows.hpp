// Policies of products of groups whose operands the copy unit brings.
#pragma once
#include <fade/tune/gemm/nvidia.hpp>

namespace FADE_NAMESPACE::tune {

/// Does an architecture's copy unit bring In for products of groups, in both of their layouts?
template <class Arch, class In>
constexpr bool groups_by_boxes() {
    if constexpr (arch::has_atom<Arch, In> && Arch::traits.tensor_maps)
        return gemm_rows<Arch, In>::row.large.pipeline == block::pipeline_kind::tma_ring &&
               gemm_rows<Arch, In>::row.ring_transposes;
    else
        return false;
}

/// The tiles of a plain product.
template <class Arch, class In>
constexpr gemm_policy grouped_boxes_policy(size_class size) {
    return gemm_rows<Arch, In>::row.of(size);
}

}  // namespace FADE_NAMESPACE::tune

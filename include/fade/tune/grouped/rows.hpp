// Policies of products of groups whose operands the copy unit brings.
#pragma once
#include <fade/tune/gemm/entry.hpp>

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

/// What their kernels have in common, as something a device can launch.
template <class In, operand_access Access, size_class Size>
struct boxes_of_groups {
    static constexpr operand_access access = Access;
    template <class Arch>
    static constexpr gemm_policy policy = grouped_boxes_policy<Arch, In>(Size);

    template <class Arch>
    static constexpr launch_shape shape() {
        if constexpr (groups_by_boxes<Arch, In>())
            return shape_by_boxes<Arch, In, policy<Arch>, access_of(Access)>();
        else
            return {.waves = 1, .shared_bytes = 16};  // another entry is launched
    }
};

}  // namespace FADE_NAMESPACE::tune

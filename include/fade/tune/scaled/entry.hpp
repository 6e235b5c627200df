// The product with scales of parts as something a device can launch.
#pragma once
#include <fade/kernel/scaled/body.hpp>
#include <fade/kernel/scaled/boxes.hpp>
#include <fade/tune/gemm/entry.hpp>
#include <fade/tune/scaled/rows.hpp>

namespace FADE_NAMESPACE::tune {

template <class In, class Out, operand_access Access, size_class Size, class Epilogue>
struct scaled_entry {
    using arguments = kernel::scaled_arguments<In, Out, Epilogue>;
    template <class Arch>
    static constexpr gemm_policy policy = policy_for(scaled_rows<Arch, In>::row, Size, Access);
    template <class Arch>
    static constexpr bool on_host = std::is_same_v<Arch, arch::host>;

    template <class Arch>
    static constexpr launch_shape shape() {
        if constexpr (!arch::has_atom<Arch, In>)
            return {.waves = 1, .shared_bytes = 0};  // refused before a launch
        else if constexpr (on_host<Arch>) {
            using traits = kernel::gemm_traits<Arch, float, policy<Arch>>;
            return {.waves = 1, .shared_bytes = traits::shared_bytes + kernel::scaled_bytes<traits>};
        } else
            return {.waves = policy<Arch>.waves(),
                    .shared_bytes = kernel::scaled_shared_bytes<kernel::gemm_traits<Arch, In, policy<Arch>>>,
                    .waves_per_simd = policy<Arch>.waves_per_simd};
    }

    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        using arch = typename Block::arch;
        if constexpr (on_host<arch>)
            kernel::scaled_panels<policy<arch>>(block, args);
        else
            kernel::scaled_tiles<policy<arch>, access_of(Access)>(block, args);
    }
};

/// Does an architecture's copy unit bring In for products of such parts?
template <class Arch, class In>
constexpr bool scales_by_boxes() {
    if constexpr (is_float8<In> && arch::has_atom<Arch, In> && Arch::traits.tensor_maps)
        return gemm_rows<Arch, In>::row.small.pipeline == block::pipeline_kind::tma_ring &&
               gemm_rows<Arch, In>::row.small.block_tile.k == scale_depth;
    else
        return false;
}

/// By boxes, where both operands lie along k.
template <class In, class Out, size_class Size, class Epilogue>
struct scaled_boxes_entry {
    using arguments = kernel::with_maps<kernel::scaled_arguments<In, Out, Epilogue>>;
    template <class Arch>
    static constexpr gemm_policy policy = scaled_boxes_policy<Arch, In>(Size);

    template <class Arch>
    static constexpr launch_shape shape() {
        if constexpr (scales_by_boxes<Arch, In>())
            return shape_by_boxes<Arch, In, policy<Arch>, access_of(operand_access::nt)>();
        else
            return {.waves = 1, .shared_bytes = 16};  // the other entry is launched
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        using arch = typename Block::arch;
        if constexpr (scales_by_boxes<arch, In>())
            kernel::scaled_by_boxes<policy<arch>, access_of(operand_access::nt)>(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune

// The matrix multiplication as something a device can launch: every architecture's pass takes its own row of
// the table.
#pragma once
#include <fade/core/launch.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/gemm/body.hpp>
#include <fade/kernel/gemm/combine_gated.hpp>
#include <fade/kernel/gemm/combine_tail.hpp>
#include <fade/kernel/gemm/panels.hpp>
#include <fade/kernel/gemm/ring.hpp>
#include <fade/kernel/gemm/tma_cluster.hpp>
#include <fade/tune/gemm/amd.hpp>
#include <fade/tune/gemm/host.hpp>
#include <fade/tune/gemm/nvidia.hpp>
#include <fade/tune/gemm/select.hpp>
#include <fade/tune/gemm/sliced_k.hpp>

namespace FADE_NAMESPACE::tune {

/// The kernel of a policy and a reading.
template <gemm_policy Policy, operand_access Access, workgroup Block, class Arguments>
FADE_FN void run_gemm(Block& block, const Arguments& args) {
    using in = std::remove_cvref_t<decltype(*args.a)>;
    if constexpr (Policy.pipeline == block::pipeline_kind::sliced_k)
        kernel::gemm_of_few_rows<Policy, access_of(Access)>(block, args);
    else if constexpr (kernel::gemm_traits<typename Block::arch, in, Policy>::panels)
        kernel::gemm_panels<Policy>(block, args);
    else if constexpr (Policy.schedule == gemm_schedule::stream_k &&
                       Policy.pipeline != block::pipeline_kind::tma_ring)
        kernel::stream_k_body<Policy, access_of(Access)>(block, args);
    else if constexpr (Policy.pipeline != block::pipeline_kind::tma_ring)
        kernel::gemm_body<Policy, access_of(Access)>(block, args);
}

template <class Arch, class In, gemm_policy Policy>
constexpr int shared_bytes_of() {
    if constexpr (Policy.pipeline == block::pipeline_kind::sliced_k)
        return kernel::sliced_k_traits<Arch, kernel::sliced_atom<Arch, In>, Policy>::shared_bytes;
    else
        return kernel::gemm_traits<Arch, In, Policy>::shared_bytes;
}
template <class Arch, class In, gemm_policy Policy>
constexpr launch_shape gemm_shape() {
    return {.waves = Policy.waves(),
            .shared_bytes = shared_bytes_of<Arch, In, Policy>(),
            .waves_per_simd = Policy.waves_per_simd};
}

/// The table's row with the policies of few rows.
template <class Arch, class In>
constexpr gemm_row row_of() {
    gemm_row row = gemm_rows<Arch, In>::row;
    using enum operand_access;
    row.skinny[std::size_t(nn)] = sliced_k_policy<Arch, In, false, true>();
    row.skinny[std::size_t(nt)] = sliced_k_policy<Arch, In, false, false>();
    row.skinny[std::size_t(tn)] = sliced_k_policy<Arch, In, true, true>();
    row.skinny[std::size_t(tt)] = sliced_k_policy<Arch, In, true, false>();
    return row;
}

/// The row and its policies, each made once for all outputs and epilogues.
template <class Arch, class In>
inline constexpr gemm_row made_row = row_of<Arch, In>();
template <class Arch, class In, size_class Size, operand_access Access>
inline constexpr gemm_policy made_policy = policy_for(made_row<Arch, In>, Size, Access);

/// Does an architecture run a policy by boxes? Those have an entry of their own, whose arguments hold maps.
template <class Arch, class In, gemm_policy Policy>
inline constexpr bool is_by_boxes =
    Policy.pipeline == block::pipeline_kind::tma_ring && Arch::traits.tensor_maps;

/// By the table's policies.
template <class In, class Out, operand_access Access, size_class Size, class Epilogue>
struct gemm_entry {
    using arguments =
        std::conditional_t<Size == size_class::skinny, kernel::sliced_arguments<In, Out, Epilogue>,
                           kernel::gemm_arguments<In, Out, Epilogue>>;
    static constexpr operand_access access = Access;
    template <class Arch>
    static constexpr gemm_policy policy = made_policy<Arch, In, Size, Access>;

    template <class Arch>
    static constexpr launch_shape shape() {
        if constexpr (has_tiles<Arch>())
            return gemm_shape<Arch, In, policy<Arch>>();
        else
            return {.waves = 1, .shared_bytes = 16};  // refused before a launch, or never chosen
    }

    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        using arch = typename Block::arch;
        if constexpr (has_tiles<arch>()) run_gemm<policy<arch>, Access>(block, args);
    }

private:
    template <class Arch>
    static constexpr bool has_tiles() {
        if constexpr (arch::has_atom<Arch, In>)
            return policy<Arch>.block_tile.m > 0;
        else
            return false;
    }
};

template <class Arch, class In, gemm_policy Policy, kernel::gemm_access Access>
constexpr launch_shape shape_by_boxes() {
    using traits = kernel::tma_gemm_traits<Arch, In, Policy, Access>;
    return {.waves = Policy.waves(),
            .shared_bytes = traits::shared_bytes,
            .waves_per_simd = Policy.waves_per_simd,
            .awaits =
                Policy.cluster * Policy.cluster_k > 1 || Policy.block_tile.m >= 128,  // others end no sooner
            .producers = traits::producers,
            .cluster = Policy.cluster * Policy.cluster_k};
}

/// The kernel of an entry whose operands the copy unit brings.
template <class Entry, class In, class Out, class Epilogue>
struct tma_gemm_entry {
    using arguments = kernel::tma_gemm_arguments<In, Out, Epilogue>;
    static constexpr operand_access access = Entry::access;
    template <class Arch>
    static constexpr bool exists() {
        if constexpr (arch::has_atom<Arch, In> && Arch::traits.tensor_maps)
            return is_by_boxes<Arch, In, Entry::template policy<Arch>>;
        else
            return false;
    }
    template <class Arch>
    static constexpr launch_shape shape() {
        if constexpr (exists<Arch>())
            return shape_by_boxes<Arch, In, Entry::template policy<Arch>, access_of(access)>();
        else
            return {.waves = 1, .shared_bytes = 16};  // the other entry is launched
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        using arch = typename Block::arch;
        if constexpr (exists<arch>())
            kernel::gemm_by_boxes<Entry::template policy<arch>, access_of(access)>(block, args);
    }
};

/// The second launch of a product whose k was shared.
template <class In, class Out, class Epilogue>
struct combine_entry {
    using arguments = kernel::gemm_arguments<In, Out, Epilogue>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = Arch::traits.wave_size == 1 ? 1 : 256 / Arch::traits.wave_size, .shared_bytes = 16};
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::finish_partials(block, args);
    }
};

/// The second launch of a product whose clusters shared the last tiles.
template <class In, class Out, class Epilogue>
struct tail_combine_entry {
    using arguments = kernel::tma_gemm_arguments<In, Out, Epilogue>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return combine_entry<In, Out, Epilogue>::template shape<Arch>();
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::finish_tail(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune

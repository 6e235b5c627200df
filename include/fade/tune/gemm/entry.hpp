// The matrix multiplication as something a device can launch: every architecture's pass takes its own row of
// the table.
#pragma once
#include <fade/core/launch.hpp>
#include <fade/kernel/gemm/body.hpp>
#include <fade/kernel/gemm/combine.hpp>
#include <fade/kernel/gemm/panels.hpp>
#include <fade/kernel/gemm/ring.hpp>
#include <fade/tune/gemm/cdna.hpp>
#include <fade/tune/gemm/host.hpp>
#include <fade/tune/gemm/nvidia.hpp>
#include <fade/tune/gemm/rdna.hpp>
#include <fade/tune/gemm/select.hpp>

namespace FADE_NAMESPACE::tune {

template <class In, class Out, gemm_reading Reading, size_class Size, class Epilogue>
struct gemm_entry {
    using arguments = kernel::gemm_arguments<In, Out, Epilogue>;
    template <class Arch>
    static constexpr gemm_policy policy = policy_for(gemm_rows<Arch, In>::row, Size, Reading);

    template <class Arch>
    static constexpr launch_shape shape() {
        if constexpr (arch::has_atom<Arch, In>)
            return {.waves = policy<Arch>.waves(),
                    .shared_bytes = kernel::gemm_traits<Arch, In, policy<Arch>>::shared_bytes,
                    .waves_per_simd = policy<Arch>.waves_per_simd};
        else
            return {.waves = 1, .shared_bytes = 0};  // refused before a launch
    }

    template <class Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        using arch = typename Block::arch;
        if constexpr (kernel::gemm_traits<arch, In, policy<arch>>::panels)
            kernel::gemm_panels<policy<arch>>(block, args);
        else if constexpr (policy<arch>.pipeline == block::pipeline_kind::async_ring)
            kernel::gemm_ring<policy<arch>, access_of(Reading)>(block, args);
        else
            kernel::gemm_body<policy<arch>, access_of(Reading)>(block, args);
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
    template <class Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::combine_partials(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune

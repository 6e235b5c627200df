// Where the policies of a call come from: the table of its architecture, or the caller.
#pragma once
#include <fade/core/error.hpp>
#include <fade/kernel/gemm/fit.hpp>
#include <fade/tune/gemm/entry.hpp>
#include <fade/tune/gemm/evidence.hpp>
#include <fade/tune/passed.hpp>

namespace FADE_NAMESPACE::tune {

template <gemm_kernels Kernels>
struct table_policies {
    static constexpr bool passed = false;
    static constexpr gemm_kernels kernels = Kernels;
    template <class Arch, class In>
    static constexpr gemm_row row = made_row<Arch, In>;
    template <class In, class Out, operand_access Access, size_class Size, class Epilogue>
    using entry = gemm_entry<In, Out, Access, Size, Epilogue>;
};

/// The caller's policy, as both sizes of a row.
template <class Arch, class In, gemm_policy Policy>
inline constexpr gemm_row passed_row{
    .large = Policy, .small = Policy, .ring_transposes = gemm_rows<Arch, In>::row.ring_transposes};

/// One symbol for each policy that is passed.
template <class In, class Out, operand_access Access, gemm_policy Policy, class Epilogue>
struct passed_gemm_entry {
    using arguments = std::conditional_t<
        Policy.schedule == gemm_schedule::stream_k && Policy.pipeline != block::pipeline_kind::tma_ring,
        kernel::stream_k_arguments<In, Out, Epilogue>, kernel::gemm_arguments<In, Out, Epilogue>>;
    static constexpr operand_access access = Access;
    template <class Arch>
    static constexpr gemm_policy policy = policy_for(passed_row<Arch, In, Policy>, size_class::large, Access);

    template <class Arch>
    static constexpr bool exists() {
        if constexpr (arch::has_atom<Arch, In>)
            return kernel::misfit_of<Arch, In, Policy>() == kernel::gemm_misfit::none;
        else
            return false;
    }
    template <class Arch>
    static constexpr launch_shape shape() {
        if constexpr (exists<Arch>())
            return gemm_shape<Arch, In, policy<Arch>>();
        else
            return {.waves = 1, .shared_bytes = 16};  // refused before a launch
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        using arch = typename Block::arch;
        if constexpr (kernel::require_fit<arch, In, Policy>()) run_gemm<policy<arch>, Access>(block, args);
    }
};

/// The second launch of stream-k.
template <class In, class Out, gemm_policy Policy, class Epilogue>
struct stream_k_combine_entry {
    using arguments = kernel::stream_k_arguments<In, Out, Epilogue>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return combine_entry<In, Out, Epilogue>::template shape<Arch>();
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::combine_parts<Policy.block_tile>(block, args, kernel::walk_over_tiles<Policy, Block>(args));
    }
};

template <gemm_policy Policy>
struct passed_policy {
    static constexpr bool passed = true;
    static constexpr gemm_policy policy = Policy;
    template <class Arch, class In>
    static constexpr gemm_row row = passed_row<Arch, In, Policy>;
    template <class In, class Out, operand_access Access, size_class, class Epilogue>
    using entry = passed_gemm_entry<In, Out, Access, Policy, Epilogue>;
};

template <gemm_kernels Kernels>
using policies_of =
    std::conditional_t<Kernels.passes_policy, passed_policy<Kernels.policy>, table_policies<Kernels>>;

/// A device that learns its architecture at run time may have one that the policy is not for.
template <class Policies, class Arch, class In>
void require_runnable() {
    if constexpr (Policies::passed)
        if constexpr (kernel::misfit_of<Arch, In, Policies::policy>() != kernel::gemm_misfit::none)
            refuse_passed(Policies::policy, Arch::traits.name);
}

}  // namespace FADE_NAMESPACE::tune

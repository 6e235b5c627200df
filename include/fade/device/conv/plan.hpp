// What a convolution is told beside its problem, and what it will launch, decided but not run.
#pragma once
#include <cstddef>
#include <fade/core/error.hpp>
#include <fade/device/operation.hpp>
#include <fade/kernel/conv/problem.hpp>
#include <fade/kernel/gemm/policy.hpp>
#include <fade/tune/tuned.hpp>

namespace FADE_NAMESPACE {

/// The algorithms that a call is compiled with beside implicit_gemm, mec and direct, of which automatic takes
/// one. Each has kernels of its own, which cost the compiler time; one that is not compiled refuses.
struct conv_algorithms {
    bool im2col = false;    ///< conv_algorithm::im2col
    bool winograd = false;  ///< winograd_f2 and winograd_f4
    bool fft = false;       ///< conv_algorithm::fft
    /// Are all fields equal?
    constexpr bool operator==(const conv_algorithms&) const = default;
};

/// A pass, and the algorithms that it is compiled with.
struct conv_kernels {
    conv_pass pass;                   ///< the pass
    conv_algorithms algorithms = {};  ///< beside implicit_gemm, mec and direct

    /// Throws fade::error where an algorithm is asked for that is not compiled.
    void require_compiled(conv_algorithm asked) const {
        const bool is_im2col = asked == conv_algorithm::im2col, is_fft = asked == conv_algorithm::fft;
        if (is_im2col ? algorithms.im2col
            : is_fft  ? algorithms.fft
                      : !is_winograd(asked) || algorithms.winograd)
            return;
        throw error("algorithm", name(asked),
                    std::string("this call is compiled without it: let its template argument "
                                "conv_algorithms have ") +
                        (is_im2col ? ".im2col"
                         : is_fft  ? ".fft"
                                   : ".winograd") +
                        " = true");
    }
};

/// What a convolution is told beside its problem.
struct conv_options {
    bool strict = false;  ///< refuse a fallback instead of reporting it
    int split_k = 0;      ///< workgroups that share a tile's k; 0: as many as idle compute units call for
    conv_algorithm algorithm = conv_algorithm::automatic;  ///< one that cannot compute the call refuses it
    void* workspace = nullptr;        ///< device memory for shared k and copies; null: the device's own pool
    std::size_t workspace_bytes = 0;  ///< of that memory
    const tuned_policies* tuned = nullptr;  ///< asked for algorithm and policy; null: the selector alone
                                            ///< decides, and no file is touched
};

/// Report, launches and workspace_bytes are those of every operation.
struct conv_plan : operation_plan {
    conv_algorithm algorithm;     ///< what computes it; not automatic
    gemm_policy policy;           ///< of the product of matrices; default where there is none
    std::size_t main_launch = 0;  ///< the convolution; others copy tensors in another order, or add sums up
};

}  // namespace FADE_NAMESPACE

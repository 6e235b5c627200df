// From a convolution that is asked for to the operation that computes it.
#pragma once
#include <fade/device/conv/beside.hpp>
#include <fade/device/conv/call.hpp>
#include <fade/device/conv/direct.hpp>
#include <fade/device/conv/fft.hpp>
#include <fade/device/conv/folded.hpp>
#include <fade/device/conv/im2col.hpp>
#include <fade/device/conv/mec.hpp>
#include <fade/device/conv/padded.hpp>
#include <fade/device/conv/tuned.hpp>
#include <fade/device/conv/winograd.hpp>
#include <fade/kernel/conv/check.hpp>
#include <fade/tune/conv/algorithm.hpp>

namespace FADE_NAMESPACE {

/// Scalars, pointers and options that any algorithm takes.
template <class In, class Out, class Epilogue>
void check_conv(const conv_problem& p, const conv_memory<In, Out>& memory, const conv_options& options) {
    using value = epilogue::value_t<accumulator_t<In>, Out, Epilogue>;
    kernel::check_scalars<value>({.alpha = p.alpha, .beta = p.beta});
    kernel::check_operands(memory.a, memory.b, memory.c, p.beta, memory.d);
    require(options.split_k >= 0 && options.split_k <= 4096, "split_k", options.split_k,
            "it must be between 1 and 4096, or 0 to leave it to the selector");
    const int algorithm = int(options.algorithm);
    require(algorithm >= 0 && algorithm <= int(conv_algorithm::fft), "algorithm", algorithm,
            "a conv_algorithm is automatic, implicit_gemm, direct, im2col, winograd_f2, winograd_f4, mec or "
            "fft");
}

/// Of backward data: kernels have room for a number of parts, whose bounds are checked with the launch.
inline void check_strides(const spatial& s) {
    // Each is below 2^31.
    const wide_index parts = wide_index(s.d) * s.h * s.w;
    require(parts < wide_index(1) << 31, "stride", max_of(max_of(s.d, s.h), s.w),
            "the product of strides in backward data is at most 65535, but for im2col");
}

/// Which operation computes a convolution: the selector's, a tuned row's, or one that is asked for.
/// Checks the arguments when it is made. Holds references, so it lives within one call.
template <conv_kernels Kernels, class In, class Out, class Device, class Epilogue>
class conv_selection {
    static constexpr conv_pass pass = Kernels.pass;
    using implicit = conv_operation<pass, In, Out, Device, Epilogue>;

public:
    conv_selection(const Device& device, const conv_problem& problem, const conv_memory<In, Out>& memory,
                   const Epilogue& epilogue, const conv_options& options)
        : device_(device), problem_(problem), memory_(memory), epilogue_(epilogue), options_(options) {
        check_conv<In, Out, Epilogue>(problem, memory, options);
        if (pass == conv_pass::backward_data && options.algorithm != conv_algorithm::im2col && any())
            check_strides(problem.stride);
        Kernels.require_compiled(options.algorithm);
        request_ = {.pass = pass,
                    .sizes = kernel::sizes_of(problem),
                    .in_bytes = int(sizeof(In)),
                    .out_bytes = int(sizeof(Out)),
                    .floating = tune::direct_element<In>,
                    .gathers = std::is_same_v<Device, host_device>,
                    .asked = options.algorithm != conv_algorithm::automatic};
        choice_ = tune::select_algorithm(options.algorithm, request_);
    }

    /// Calls f(operation); what f returns.
    template <class F>
    auto with(F f) {
        if (options_.tuned && memory_.d.elements() > 0) {
            tuned_ = ask_tuned<Kernels, In, Out>(device_, problem_, epilogue_, options_, request_);
            if (tuned_.found.policy && tuned_.found.policy->algorithm != choice_.algorithm)
                return with_tuned(f);
        }
        return with_chosen(f);
    }

private:
    template <class F>
    auto with_tuned(F& f) {
        choice_ = {tuned_.found.policy->algorithm, "by a tuned row"};
        if (choice_.algorithm == conv_algorithm::implicit_gemm) {
            implicit operation(device_, problem_, memory_, epilogue_, options_, choice_.why, tuned_);
            tuned_ = operation.tuned();
            if (tuned_.found.policy) return f(operation);
            choice_ = tune::select_algorithm(options_.algorithm, request_);
        }
        return with_chosen(f);
    }
    template <class F>
    auto with_chosen(F& f) {
        if constexpr (tune::direct_element<In>)
            if (is(conv_algorithm::direct))
                return with_one<direct_conv_operation<pass, In, Out, Device, Epilogue>>(f, choice_.why);
        if constexpr (tune::direct_element<In> && Kernels.algorithms.im2col)
            if (is(conv_algorithm::im2col))
                return with_one<im2col_conv_operation<pass, In, Out, Device, Epilogue>>(f, choice_.why);
        if constexpr (tune::transformed_element<In> && Kernels.algorithms.winograd)
            if (is_winograd(choice_.algorithm) && any())
                return with_one<winograd_conv_operation<pass, In, Out, Device, Epilogue>>(f);
        if constexpr (tune::transformed_element<In> && Kernels.algorithms.fft)
            if (is(conv_algorithm::fft))
                return with_one<fft_conv_operation<pass, In, Out, Device, Epilogue>>(f);
        if constexpr (pass != conv_pass::backward_data)
            if (is(conv_algorithm::mec)) return with_mec(f);
        return with_implicit(f);
    }
    template <class Operation, class F, class... Why>
    auto with_one(F& f, const Why&... why) {
        Operation operation(device_, problem_, memory_, epilogue_, options_, why...);
        operation.rests_on(tuned_.found.evidence, tuned_.why);
        return f(operation);
    }
    template <class F>
    auto with_mec(F& f) {
        mec_conv_operation<pass, In, Out, Device, Epilogue> operation(device_, problem_, memory_, epilogue_,
                                                                      options_, choice_.why);
        const bool asked = options_.algorithm == conv_algorithm::mec;
        const std::string obstacle = asked ? operation.obstacle() : operation.drawback();
        if (tuned_.found.policy) tuned_.why += tune::words_of_use(obstacle);
        if (obstacle.empty()) {
            operation.rests_on(tuned_.found.evidence, tuned_.why);
            return f(operation);
        }
        if (asked) throw tune::refused(options_.algorithm, obstacle);
        tuned_.found = {};
        choice_ = {conv_algorithm::implicit_gemm, "mec does not suit it: " + obstacle};
        return with_implicit(f);
    }
    /// Implicit GEMM, of neighbours beside each other, of folded taps or of padded copies where that pays.
    template <class F>
    auto with_implicit(F& f) {
        if constexpr (pass == conv_pass::backward_data)
            if (!tuned_.found.policy && any() && tune::suits_beside(request_, options_.split_k)) {
                beside_conv_operation<In, Out, Device, Epilogue> operation(device_, problem_, memory_,
                                                                           epilogue_, options_, choice_.why);
                if (operation.pays()) return f(operation);
            }
        if constexpr (pass != conv_pass::backward_weights && !std::is_same_v<Device, host_device>)
            if (const tune::folding folding = folding_of_taps(); folding != tune::folding::none) {
                folded_conv_operation<pass, In, Out, Device, Epilogue> operation(
                    device_, problem_, memory_, epilogue_, options_, choice_.why, tuned_, folding);
                if (operation.pays()) return f(operation);
            }
        if constexpr (!std::is_same_v<Device, host_device>)
            if (any() && tune::suits_padding(request_, options_.split_k)) {
                padded_conv_operation<pass, In, Out, Device, Epilogue> operation(
                    device_, problem_, memory_, epilogue_, options_, choice_.why, tuned_);
                if (operation.pays()) return f(operation);
            }
        implicit operation(device_, problem_, memory_, epilogue_, options_, choice_.why, tuned_);
        return f(operation);
    }
    tune::folding folding_of_taps() const {
        constexpr bool maps = has_tensor_maps<Device>;
        const kernel::conv_sizes& s = request_.sizes;
        const bool by_boxes = maps && tune::comes_in_boxes<In, pass> && s.groups == 1 && s.d.input == 1 &&
                              s.d.output == 1 && s.d.filter == 1;
        if (!any()) return tune::folding::none;
        return tune::folding_of(request_, {maps ? 128 : 64, device_.compute_units(), by_boxes});
    }
    /// Is there a result to compute, and is it this algorithm's?
    bool any() const { return memory_.d.elements() > 0; }
    bool is(conv_algorithm algorithm) const { return choice_.algorithm == algorithm && any(); }

    const Device& device_;
    const conv_problem& problem_;
    const conv_memory<In, Out>& memory_;
    const Epilogue& epilogue_;
    const conv_options& options_;
    tune::algorithm_request request_;
    tune::algorithm_choice choice_;
    conv_tuning tuned_;
};

/// Calls f(operation) with what computes `problem`, which is checked; what f returns.
template <conv_kernels Kernels, class In, class Out, class Device, class Epilogue, class F>
auto with_conv_operation(const Device& device, const conv_problem& problem,
                         const conv_memory<In, Out>& memory, const Epilogue& epilogue,
                         const conv_options& options, F f) {
    return conv_selection<Kernels, In, Out, Device, Epilogue>(device, problem, memory, epilogue, options)
        .with(f);
}

}  // namespace FADE_NAMESPACE

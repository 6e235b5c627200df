// From a convolution that is asked for to the operation that computes it.
#pragma once
#include <fade/device/conv/beside.hpp>
#include <fade/device/conv/call.hpp>
#include <fade/device/conv/direct.hpp>
#include <fade/device/conv/fft.hpp>
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

/// Calls f(operation) with what computes `problem`, which is checked; what f returns.
template <conv_kernels Kernels, class In, class Out, class Device, class Epilogue, class F>
auto with_conv_operation(const Device& device, const conv_problem& problem,
                         const conv_memory<In, Out>& memory, const Epilogue& epilogue,
                         const conv_options& options, F f) {
    constexpr conv_pass pass = Kernels.pass;
    check_conv<In, Out, Epilogue>(problem, memory, options);
    Kernels.require_compiled(options.algorithm);
    const tune::algorithm_request request{.pass = pass,
                                          .sizes = kernel::sizes_of(problem),
                                          .in_bytes = int(sizeof(In)),
                                          .out_bytes = int(sizeof(Out)),
                                          .floating = tune::direct_element<In>,
                                          .gathers = std::is_same_v<Device, host_device>};
    using implicit = conv_operation<pass, In, Out, Device, Epilogue>;
    tune::algorithm_choice choice = tune::select_algorithm(options.algorithm, request);
    conv_tuning tuned;
    if (options.tuned && memory.d.elements() > 0)
        tuned = ask_tuned<Kernels, In, Out>(device, problem, epilogue, options, request);
    if (tuned.found.policy && tuned.found.policy->algorithm != choice.algorithm) {
        choice = {tuned.found.policy->algorithm, "by a tuned row"};
        if (choice.algorithm == conv_algorithm::implicit_gemm) {
            implicit operation(device, problem, memory, epilogue, options, choice.why, tuned);
            tuned = operation.tuned();
            if (tuned.found.policy) return f(operation);
            choice = tune::select_algorithm(options.algorithm, request);
        }
    }
    const auto with_tuned = [&](auto& operation) {
        operation.rests_on(tuned.found.evidence, tuned.why);
        return f(operation);
    };
    if constexpr (tune::direct_element<In>)
        if (choice.algorithm == conv_algorithm::direct && memory.d.elements() > 0) {
            direct_conv_operation<pass, In, Out, Device, Epilogue> operation(device, problem, memory,
                                                                             epilogue, options, choice.why);
            return with_tuned(operation);
        }
    if constexpr (tune::direct_element<In> && Kernels.algorithms.im2col)
        if (choice.algorithm == conv_algorithm::im2col && memory.d.elements() > 0) {
            im2col_conv_operation<pass, In, Out, Device, Epilogue> operation(device, problem, memory,
                                                                             epilogue, options, choice.why);
            return with_tuned(operation);
        }
    if constexpr (tune::transformed_element<In> && Kernels.algorithms.winograd)
        if (is_winograd(choice.algorithm) && memory.d.elements() > 0) {
            winograd_conv_operation<pass, In, Out, Device, Epilogue> operation(device, problem, memory,
                                                                               epilogue, options);
            return with_tuned(operation);
        }
    if constexpr (tune::transformed_element<In> && Kernels.algorithms.fft)
        if (choice.algorithm == conv_algorithm::fft && memory.d.elements() > 0) {
            fft_conv_operation<pass, In, Out, Device, Epilogue> operation(device, problem, memory, epilogue,
                                                                          options);
            return with_tuned(operation);
        }
    if constexpr (pass != conv_pass::backward_data)
        if (choice.algorithm == conv_algorithm::mec && memory.d.elements() > 0) {
            mec_conv_operation<pass, In, Out, Device, Epilogue> operation(device, problem, memory, epilogue,
                                                                          options, choice.why);
            const bool asked = options.algorithm == conv_algorithm::mec;
            const std::string obstacle = asked ? operation.obstacle() : operation.drawback();
            if (tuned.found.policy) tuned.why += tune::words_of_use(obstacle);
            if (obstacle.empty()) return with_tuned(operation);
            if (asked) throw tune::refused(options.algorithm, obstacle);
            tuned.found = {};
            choice = {conv_algorithm::implicit_gemm, "mec does not suit it: " + obstacle};
        }
    if constexpr (pass == conv_pass::backward_data)
        if (!tuned.found.policy && tune::suits_beside(request, options.split_k) && memory.d.elements() > 0) {
            beside_conv_operation<In, Out, Device, Epilogue> operation(device, problem, memory, epilogue,
                                                                       options, choice.why);
            if (operation.pays()) return f(operation);
        }
    if constexpr (!std::is_same_v<Device, host_device>)
        if (tune::suits_padding(request, options.split_k) && memory.d.elements() > 0) {
            padded_conv_operation<pass, In, Out, Device, Epilogue> operation(
                device, problem, memory, epilogue, options, choice.why, tuned);
            if (operation.pays()) return f(operation);
        }
    implicit operation(device, problem, memory, epilogue, options, choice.why, tuned);
    return f(operation);
}

}  // namespace FADE_NAMESPACE

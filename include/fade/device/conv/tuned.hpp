// A convolution asks a database of tuned policies.
#pragma once
#include <fade/core/dtype_names.hpp>
#include <fade/core/words.hpp>
#include <fade/device/conv/plan.hpp>
#include <fade/device/conv/words.hpp>
#include <fade/device/tuning_machine.hpp>
#include <fade/epilogue/chain.hpp>
#include <fade/tune/ask.hpp>
#include <fade/tune/conv/apply.hpp>
#include <string>

namespace FADE_NAMESPACE {

/// What a database said. Nothing where none was asked.
struct conv_tuning {
    tune::answer<tuned_conv> found{};
    std::string why{};  ///< begins with "; "
};

namespace detail {
inline std::string all_sizes(const char* name, const auto& s) {
    return words(", ", name, " ", s.d, "x", s.h, "x", s.w);
}

/// The same for all types, as a database knows it.
inline tuning_problem conv_to_ask(conv_pass pass, const conv_problem& p, dtype in, dtype out,
                                  const std::string& epilogue, const conv_options& options) {
    return {.kind = words("conv ", name(pass), " ", name(in), " to ", name(out),
                          p.layout == conv_layout::channels_first ? ", channels first" : "",
                          all_sizes("filter", p.filter), all_sizes("stride", p.stride),
                          all_sizes("dilation", p.dilation), all_sizes("pad", p.pad),
                          all_sizes("pad_end", p.pad_end), ", groups ", p.groups, ", epilogue ", epilogue,
                          ", algorithm ", name(options.algorithm), ", split_k ", options.split_k),
            .sizes = {p.batch, p.channels, p.filters, p.input.d, p.input.h, p.input.w}};
}
}  // namespace detail

/// What a tuned row must have in common with a call, and the sizes that may differ: batch, channels, filters,
/// d, h and w of x.
template <class In, class Out, class Epilogue>
tuning_problem problem_to_tune(conv_pass pass, const conv_problem& p, const Epilogue& epilogue,
                               const conv_options& options) {
    return detail::conv_to_ask(pass, p, dtype_v<In>, dtype_v<Out>, name_of(epilogue), options);
}

/// Asks the database of the options, where there is one. A row whose algorithm the call cannot run is none;
/// of implicit_gemm and mec the operation says the rest.
template <conv_kernels Kernels, class In, class Out, class Device, class Epilogue>
conv_tuning ask_tuned(const Device& device, const conv_problem& problem, const Epilogue& epilogue,
                      const conv_options& options, const tune::algorithm_request& request) {
    conv_tuning out;
    out.found = tune::ask<tuned_conv>(*options.tuned,
                                      problem_to_tune<In, Out>(Kernels.pass, problem, epilogue, options),
                                      machine_of(device), out.why);
    if (!out.found.policy) return out;
    const conv_algorithm algorithm = out.found.policy->algorithm;
    const bool compiled = algorithm != conv_algorithm::im2col || Kernels.algorithms.im2col;
    const std::string obstacle =
        tune::tuned_algorithm_obstacle(*out.found.policy, options.algorithm, compiled, request);
    if (!obstacle.empty())
        out.why += tune::words_of_use(obstacle), out.found = {};
    else if (algorithm != conv_algorithm::implicit_gemm && algorithm != conv_algorithm::mec)
        out.why += tune::words_of_use("");  // there is no policy to look at
    return out;
}

}  // namespace FADE_NAMESPACE

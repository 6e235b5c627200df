// Convolution and its backward passes, of one type of inputs (FADE_C_TYPE) and results of the same.
#include "finds.hpp"
#include "spatial.hpp"
#include "stages.hpp"
#include <fade/conv.hpp>

namespace fade::c {
namespace {

inline conv_problem problem_of(const fade_conv_args& a) {
    return {.batch = a.batch,
            .channels = a.channels,
            .filters = a.filters,
            .input = sizes_of(a.input),
            .filter = sizes_of(a.filter),
            .stride = sizes_of(a.stride),
            .dilation = sizes_of(a.dilation),
            .pad = margins_of(a.pad),
            .pad_end = margins_of(a.pad_end),
            .groups = a.groups,
            .layout = conv_layout(a.layout),
            .alpha = a.alpha,
            .beta = a.beta};
}

template <class T, conv_pass Pass>
auto operands_of(const fade_conv_args& a) {
    const auto *x = static_cast<const T*>(a.x), *w = static_cast<const T*>(a.w),
               *dy = static_cast<const T*>(a.dy), *c = static_cast<const T*>(a.c);
    auto* result = static_cast<T*>(a.result);
    if constexpr (Pass == conv_pass::forward)
        return conv_operands<T>{.x = x, .w = w, .c = c, .y = result};
    else if constexpr (Pass == conv_pass::backward_data)
        return conv_data_operands<T>{.dy = dy, .w = w, .c = c, .dx = result};
    else
        return conv_weights_operands<T>{.x = x, .dy = dy, .c = c, .dw = result, .db = static_cast<T*>(a.db)};
}

// Emulated kernels are a cost of the build alone: im2col and Winograd are held where they may be fast.
template <class Device>
inline constexpr bool is_emulated = false;
template <class Arch>
inline constexpr bool is_emulated<emulated_device<Arch>> = true;

template <class T, conv_pass Pass>
struct conv_runner {
    using arguments = fade_conv_args;
    static constexpr conv_kernels kernels{Pass,
                                          {.im2col = !is_emulated<device>, .winograd = !is_emulated<device>}};

    template <class Epilogue>
    static outcome with(device& on, const arguments& a, const Epilogue& epilogue, const manner& how) {
        const conv_options options{.strict = how.strict,
                                   .split_k = a.split_k,
                                   .algorithm = conv_algorithm(a.algorithm),
                                   .workspace = how.workspace,
                                   .workspace_bytes = how.workspace_bytes,
                                   .tuned = how.tuned};
        const conv_problem problem = problem_of(a);
        const auto operands = operands_of<T, Pass>(a);
#if defined(FADE_C_TUNE)
        if constexpr (is_tuned_here<T, T>())
            if (how.finds)
                return outcome_of(find_conv<T, T, kernels.algorithms>(on, problem, operands, database_of(how),
                                                                      how.finds->options, epilogue));
#endif
        if (!how.plans) return {detail::run_conv<kernels>(on, problem, operands, epilogue, options), {}, 0};
        conv_plan p = detail::plan_conv<kernels>(on, problem, operands, epilogue, options);
        return {std::move(p.report), std::move(p.launches), p.workspace_bytes};
    }
    static outcome run(device& on, const arguments& a, const manner& how) {
        // As of gemm: CPUs and emulation need no kernel of their own for a chain of none.
        if constexpr (learns_arch<device>)
            if (a.stage_count == 0) return with(on, a, epilogue::none{}, how);
        return with(on, a, chain_of<T>(a.stages, a.stage_count), how);
    }
};

template <class T, conv_pass Pass, operation Op>
struct add_pass {
    add_pass() {
        static_cast<void>(add_caller<Op, T, T, conv_runner<T, Pass>>());
        if constexpr (is_tuned_here<T, T>()) static_cast<void>(add_find<Op, T, T>());
    }
};

// nvcc takes minutes for the kernels of a pass: it makes each in a part of its own.
using in = fade::FADE_C_TYPE;
#if !defined(FADE_C_PART) || FADE_C_PART == 0
const add_pass<in, conv_pass::forward, operation::conv_forward> added_forward;
#endif
#if !defined(FADE_C_PART) || FADE_C_PART == 1
const add_pass<in, conv_pass::backward_data, operation::conv_backward_data> added_data;
#endif
#if !defined(FADE_C_PART) || FADE_C_PART == 2
const add_pass<in, conv_pass::backward_weights, operation::conv_backward_weights> added_weights;
#endif

}  // namespace
}  // namespace fade::c

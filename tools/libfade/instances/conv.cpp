// Convolution and its backward passes, of each type of inputs (FADE_C_TYPES) and results of the same. Numbers
// of 8 bits have the forward pass alone, with wider results.
#include "finds.hpp"
#include "spatial.hpp"
#include "stages.hpp"
#include "types.hpp"
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

template <class In, class Out, conv_pass Pass>
auto operands_of(const fade_conv_args& a) {
    const auto *x = static_cast<const In*>(a.x), *w = static_cast<const In*>(a.w),
               *dy = static_cast<const In*>(a.dy);
    const auto* c = static_cast<const Out*>(a.c);
    auto* result = static_cast<Out*>(a.result);
    if constexpr (Pass == conv_pass::forward)
        return conv_operands<In, Out>{
            .x = x, .w = w, .c = c, .y = result, .x_zero = a.x_zero, .w_zero = a.w_zero};
    else if constexpr (Pass == conv_pass::backward_data)
        return conv_data_operands<In, Out>{.dy = dy, .w = w, .c = c, .dx = result};
    else
        return conv_weights_operands<In, Out>{
            .x = x, .dy = dy, .c = c, .dw = result, .db = static_cast<Out*>(a.db)};
}

// Emulated kernels are a cost of the build alone: algorithms beside what every call has are held where they
// may be fast, and for the types that they take.
template <class In>
constexpr conv_algorithms algorithms_of() {
    constexpr bool held = !is_emulated && tune::transformed_element<In>;
    return {.im2col = held, .winograd = held, .fft = held};
}

template <class In, class Out, conv_pass Pass>
struct conv_runner {
    using arguments = fade_conv_args;
    static constexpr conv_kernels kernels{Pass, algorithms_of<In>()};

    template <class Epilogue>
    static outcome with(device& on, const arguments& a, const Epilogue& epilogue, const manner& how) {
        const conv_options options{.strict = how.strict,
                                   .split_k = a.split_k,
                                   .algorithm = conv_algorithm(a.algorithm),
                                   .workspace = how.workspace,
                                   .workspace_bytes = how.workspace_bytes,
                                   .tuned = how.tuned};
        const conv_problem problem = problem_of(a);
        const auto operands = operands_of<In, Out, Pass>(a);
#if defined(FADE_C_TUNE)
        if constexpr (is_tuned_here<In, Out>())
            if (how.finds) {
                detail::conv_to_tune<kernels, In, Out, std::remove_cv_t<decltype(operands)>, Epilogue, device>
                    convolution(on, problem, operands, epilogue);
                return found_of(on, convolution, how);
            }
#endif
        if (!how.plans) return {detail::run_conv<kernels>(on, problem, operands, epilogue, options), {}, 0};
        conv_plan p = detail::plan_conv<kernels>(on, problem, operands, epilogue, options);
        return {std::move(p.report), std::move(p.launches), p.workspace_bytes};
    }
    static outcome run(device& on, const arguments& a, const manner& how) {
        // As of gemm: CPUs and emulation need no kernel of their own for a chain of none.
        if constexpr (learns_arch<device>)
            if (a.stage_count == 0) return with(on, a, epilogue::none{}, how);
        return with(on, a, chain_of<Out>(a.stages, a.stage_count), how);
    }
};

#if defined(FADE_C_TUNE)
template <class In>
bool give(tune::background& to, const fade_conv_args& a, int threads) {
    return to.conv_forward<In, algorithms_of<In>()>(problem_of(a), threads, any_chain<In>{});
}
#endif

template <class In, class Out, conv_pass Pass, operation Op>
void add_pass() {
    if constexpr (multiplied_here<In>()) add_caller<Op, In, Out, conv_runner<In, Out, Pass>>();
    add_find<Op, In, Out>();
#if defined(FADE_C_TUNE)
    if constexpr (is_given_here<In, Out>() && Pass == conv_pass::forward)
        add_background<Op, In, fade_conv_args, &give<In>>();
#endif
}
template <class In, class... Outs>
void add_forward() {
    (add_pass<In, Outs, conv_pass::forward, operation::conv_forward>(), ...);
}
template <class In, conv_pass Pass, operation Op>
void add_gradient() {
    if constexpr (sizeof(In) > 1) add_pass<In, In, Pass, Op>();
}

// nvcc takes minutes for the kernels of a pass: it makes each in a part of its own.
template <class In>
void add() {
#if !defined(FADE_C_PART) || FADE_C_PART == 0
    if constexpr (std::is_same_v<In, i8>)
        add_forward<In, i32, f32>();
    else if constexpr (is_float8<In>)
        add_forward<In, bf16, f16, f32>();
    else
        add_forward<In, In>();
#endif
#if !defined(FADE_C_PART) || FADE_C_PART == 1
    add_gradient<In, conv_pass::backward_data, operation::conv_backward_data>();
#endif
#if !defined(FADE_C_PART) || FADE_C_PART == 2
    add_gradient<In, conv_pass::backward_weights, operation::conv_backward_weights>();
#endif
}
const bool added = of_each_type([]<class In>(type_of<In>) { add<In>(); });

}  // namespace
}  // namespace fade::c

// What every function of fade.h that runs an operation does: reads its struct, checks it, finds its kernel.
#pragma once
#include "device.hpp"
#include "report.hpp"
#include "structs.hpp"

namespace fade::c {

/// What was compiled for an operation and its types on the kind of device that `on` is.
caller found(const fade_device& on, operation op, fade_dtype in, fade_dtype out);

/// Has a call one type, that of its elements?
template <class S>
inline constexpr bool has_one_type = false;

/// The type of a call's inputs.
template <class S>
fade_dtype input_type(const S& s) {
    if constexpr (requires { s.in; })
        return s.in;
    else
        return FADE_I32;
}

/// The type of its results. A struct that names none has losses (f32), or tables alone (i32).
template <class S>
fade_dtype result_type(const S& s, operation op) {
    if constexpr (requires { s.cache; })
        return s.cache;
    else if constexpr (requires { requires std::is_same_v<decltype(s.gradient), fade_dtype>; })
        return s.gradient;
    else if constexpr (has_one_type<S>)
        return s.in;
    else if constexpr (requires { s.out; })
        return op == operation::argmax ? fade_dtype(FADE_I32) : s.out;
    else if constexpr (requires { s.in; })
        return FADE_F32;
    else
        return FADE_I32;
}

/// Products take one gate, convolutions none.
inline void check_stages(const fade_stage* stages, int count, int gates) {
    require_one_of(count, 9, "stage_count", "an epilogue has between 0 and 8 stages");
    if (count && !stages) throw error("stages", "null", "stage_count says that there are some");
    if (count && stages->size != sizeof(fade_stage))
        throw error("stages.size", std::to_string(stages->size),
                    "fade_stage_init sets it to sizeof(fade_stage), here " +
                        std::to_string(sizeof(fade_stage)) +
                        ": a program with another fade.h must be recompiled");
    for (int i = 0; i < count; ++i) {
        require_one_of(stages[i].kind, FADE_GEGLU_TANH + 1, "stages.kind",
                       "a fade_stage_kind is one of FADE_BIAS to FADE_GEGLU_TANH");
        if (stages[i].kind >= FADE_SWIGLU && gates-- == 0)
            throw error("stages.kind", std::to_string(stages[i].kind),
                        "a gate (FADE_SWIGLU to FADE_GEGLU_TANH) halves the columns of D: a product takes "
                        "one, a convolution none");
    }
}
inline void check_choice(std::int32_t choice, const char* argument = "check_indices") {
    if (choice < -1 || choice > 1)
        throw error(argument, std::to_string(choice), "it is 1, 0, or -1 to leave it to the device");
}

/// Refuses fields that cannot be: enums, types beside the inputs' and results', stages. Specialised for
/// structs that have such.
template <class S>
void check_fields(const S&, operation) {}
template <>
void check_fields(const fade_gemm_args&, operation);
template <>
void check_fields(const fade_conv_args&, operation);
template <>
void check_fields(const fade_attention_args&, operation);
template <>
void check_fields(const fade_norm_args&, operation);

/// The kernels that a call takes: products of operands of two types have their own.
template <class S>
operation kernels_of(const S& s, operation op) {
    if constexpr (requires { s.in_b; })
        if (s.in_b != 0 && s.in_b != s.in) return operation::gemm_of_pairs;
    return op;
}

/// Makes a call whose fields were checked, by the kernels that were found for it on a device of `on`.
/// Products have sums behind them.
template <class S>
outcome run(fade_device&, const S& arguments, caller f, void* device, const manner& how) {
    return f(device, &arguments, how);
}
template <>
outcome run(fade_device&, const fade_gemm_args&, caller, void*, const manner&);

/// Refuses what a find cannot be asked.
template <class S>
void check_find(const S&) {}
template <>
void check_find(const fade_gemm_args&);
template <>
void check_find(const fade_conv_args&);
template <>
void check_find(const fade_attention_args&);

/// Asks an operation a database?
constexpr bool has_policies(operation op) {
    return op == operation::gemm || op == operation::attention || op == operation::rms_norm ||
           op == operation::layer_norm || op == operation::softmax || op == operation::log_softmax ||
           (op >= operation::conv_forward && op <= operation::conv_backward_weights);
}

template <class S>
fade_status call(operation op, fade_device* on, const S* arguments, const fade_options* options) {
    return guarded([&] {
        if (!on) throw error("device", "null", "fade_device_open() gives one");
        const S a = read(arguments, "arguments");
        const fade_options o = options ? read(options, "options") : defaults<fade_options>;
        check_fields(a, op);
        if (o.tuned && !has_policies(op))
            throw error("tuned", "given",
                        std::string(name(op)) +
                            " has no tuned policies: gemm, conv, attention, norms and softmax have them");
        const caller f = found(*on, kernels_of(a, op), input_type(a), result_type(a, op));
        const only_user alone(*on);
        outcome out = run(*on, a, f, on->on(o.stream),
                          {.workspace = o.workspace,
                           .workspace_bytes = o.workspace_bytes,
                           .strict = o.strict != 0,
                           .plans = o.plan != nullptr,
                           .tuned = o.tuned ? o.tuned->policies.get() : nullptr});
        hand_out(std::move(out), o);
    });
}

}  // namespace fade::c

#define FADE_C_CALL(function, struct_, op)                                                                   \
    fade_status function(fade_device* on, const struct_* arguments, const fade_options* options) {           \
        return fade::c::call(fade::c::operation::op, on, arguments, options);                                \
    }

// One call of fade.h: its struct read and checked, and the function for its types found and called.
#pragma once
#include "device.hpp"
#include "report.hpp"
#include "structs.hpp"

namespace fade::c {

/// What was compiled for an operation and its types on the kind of device that `on` is.
caller found(const fade_device& on, operation op, fade_dtype in, fade_dtype out);

/// check(struct) throws for fields that no operation can take; result_type(struct) says what it writes.
template <class S, class Check, class Type>
fade_status call(operation op, fade_device* on, const S* arguments, const fade_options* options, Check check,
                 Type result_type) {
    return guarded([&] {
        if (!on) throw error("device", "null", "fade_device_open() gives one");
        const S a = read(arguments, "arguments");
        const fade_options o = options ? read(options, "options") : defaults<fade_options>;
        check(a);
        const caller f = found(*on, op, a.in, result_type(a));
        const only_user alone(*on);
        outcome out = f(on->on(o.stream), &a,
                        {.workspace = o.workspace,
                         .workspace_bytes = o.workspace_bytes,
                         .strict = o.strict != 0,
                         .plans = o.plan != nullptr});
        hand_out(std::move(out), o);
    });
}

}  // namespace fade::c

// Products with quantised weights on every machine: integers of 4 or 8 bits, and the OCP's block formats.
#pragma once
#include <fade/core/quiet_begin.inc>

#include <fade/device/devices.hpp>
#include <fade/device/weight_call.hpp>
#include <fade/epilogue/all.hpp>
#include <fade/kernel/weights/problem.hpp>

namespace FADE_NAMESPACE {

namespace detail {

/// Weights become what f16 and bf16 hold; where the types are others, the call does not compile.
template <class Device, class In, weight_format Format>
constexpr bool multiplies_weights() {
    constexpr bool halves = std::is_same_v<In, f16> || std::is_same_v<In, bf16>;
    static_assert(halves, "weight_gemm multiplies A of fade::f16 or fade::bf16: name one of them as the type "
                          "of the call, and convert A");
    if constexpr (halves && require_weight_format<Format>())
        return multiplies_on<Device, In>();
    else
        return false;
}

}  // namespace detail

/// Multiplies A by quantised weights on `device`, and says what ran: weight_gemm<weights::gptq(), f16>(...).
/// Format: how W is stored; In: type of A, f16 or bf16, which weights become; Out: type of C and D. A weight
/// is scale * (element - zero) in f32, rounded once to In, or not where sums of a group are scaled
/// (docs/weight-gemm.md); sums are in f32, and one rounding leads to Out; the same bits each time. Work is
/// queued on the device's stream; host and emulated devices are done on return. Throws fade::error, with
/// nothing written, for sizes, leading dimensions, pointers, alignments or overlaps that cannot be, and where
/// a workspace that k needs is too small.
template <weight_format Format, class In, class Out = In, class Device, class Epilogue = epilogue::none>
report weight_gemm(Device&& device, const weight_gemm_problem& problem,
                   const weight_gemm_operands<Format, In, Out>& operands, const Epilogue& epilogue = {},
                   const weight_gemm_options& options = {}) {
    using target = named_device_t<Device>;
    if constexpr (epilogue::require_stage<Epilogue>() && detail::multiplies_weights<target, In, Format>()) {
        weight_operation<Format, In, Out, target, Epilogue> operation(device, problem, operands, epilogue,
                                                                      options);
        return run_operation(device, operation, common_options(options));
    }
}

/// What weight_gemm() would launch, without launching it.
template <weight_format Format, class In, class Out = In, class Device, class Epilogue = epilogue::none>
weight_gemm_plan plan_weight_gemm(Device&& device, const weight_gemm_problem& problem,
                                  const weight_gemm_operands<Format, In, Out>& operands,
                                  const Epilogue& epilogue = {}, const weight_gemm_options& options = {}) {
    using target = named_device_t<Device>;
    if constexpr (epilogue::require_stage<Epilogue>() && detail::multiplies_weights<target, In, Format>()) {
        weight_operation<Format, In, Out, target, Epilogue> operation(device, problem, operands, epilogue,
                                                                      options);
        return {plan_operation(device, operation, common_options(options)), operation.policy()};
    }
}

}  // namespace FADE_NAMESPACE

#include <fade/core/quiet_end.inc>

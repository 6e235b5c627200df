// Does a tuned row still hold? Its policy and the model's choice are timed again.
#pragma once
#include <cmath>
#include <fade/device/tune_gemm.hpp>
#include <string>

namespace FADE_NAMESPACE {

/// What timing a row again found.
struct gemm_verification {
    double nanoseconds = 0;        ///< median of the row's policy now
    double model_nanoseconds = 0;  ///< median of the model's choice now
    double drift = 0;              ///< |now / then - 1|; infinite where the row holds no time
    std::string obstacle;          ///< why nothing was timed; empty where it was
    /// Does the row beat the model's choice?
    bool wins() const { return nanoseconds < model_nanoseconds; }
};

namespace detail {
inline std::string in_words(const gemm_tuning_problem& p) {
    return p.kind + ", " + std::to_string(p.m) + " x " + std::to_string(p.n) + " x " + std::to_string(p.k) +
           ", batch " + std::to_string(p.batch);
}
}  // namespace detail

/// Times the policy of a row and the model's choice, one after the other, on the host. D is written, unless
/// `obstacle` says why the row does not belong to this call: it is of another problem, machine or build, or
/// this program has no kernel of its policy. Throws fade::error for a beta that is not 0, and for what gemm()
/// refuses.
template <class In, class Out = In, class Device, class Epilogue = epilogue::none>
gemm_verification verify_gemm(Device& device, const gemm_problem& problem,
                              const gemm_operands<In, Out>& operands, const tune::gemm_tuning_row& row,
                              const Epilogue& epilogue = {}) {
    static_assert(std::is_same_v<Device, host_device>,
                  "verify_gemm times calls of fade::host_device: an emulated device has no speed");
    require_real(problem.beta == 0, "beta", problem.beta, "calls are repeated, so C must not be needed");
    using operation = gemm_operation<In, Out, Device, Epilogue, all_accesses>;
    detail::one_policy source;
    const gemm_options options{.tuned = &source};
    source.policy = row.policy;
    const report said = operation(device, problem, operands, epilogue, options).said();
    if (source.asked_machine.arch.empty()) return {.obstacle = said.why};
    if (row.build != tune::this_build()) return {.obstacle = "the row is of another build"};
    if (source.asked_machine != row.machine)
        return {.obstacle = "the row is of " + row.machine.arch + " with " + row.machine.traits +
                            ", and this is " + source.asked_machine.arch + " with " +
                            source.asked_machine.traits};
    if (source.asked_problem != row.problem)
        return {.obstacle = "the row is of '" + detail::in_words(row.problem) + "', and the call is '" +
                            detail::in_words(source.asked_problem) + "'"};
    if (said.evidence != source.evidence) return {.obstacle = said.why};
    const auto time = [&] {
        return detail::time_calls(
                   [&] {
                       operation one(device, problem, operands, epilogue, options);
                       run_operation(device, one, common_options(options));
                   },
                   std::chrono::steady_clock::time_point::max())
            .median;
    };
    gemm_verification out;
    out.nanoseconds = time();
    source.policy.reset();
    out.model_nanoseconds = time();
    out.drift = std::abs(out.nanoseconds / row.nanoseconds - 1);
    return out;
}

}  // namespace FADE_NAMESPACE

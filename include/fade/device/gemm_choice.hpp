// What a matrix multiplication gets: kernel, policy, workgroups that share k, and the words for all that.
#pragma once
#include <fade/arch/host.hpp>
#include <fade/core/error.hpp>
#include <fade/core/report.hpp>
#include <fade/core/words.hpp>
#include <fade/epilogue/chain.hpp>
#include <fade/kernel/gemm/check.hpp>
#include <fade/tune/gemm/apply.hpp>
#include <fade/tune/gemm/policies.hpp>
#include <fade/tune/gemm/transpose_few.hpp>
#include <string>
#include <string_view>

namespace FADE_NAMESPACE {

/// A problem as it was asked for, with all sizes, leading dimensions and strides in it.
template <class In, class Out, class Epilogue>
struct gemm_request {
    gemm_problem problem;
    gemm_operands<In, Out> operands;
    Epilogue epilogue;
    int split_k;
    const tuned_policies* tuned = nullptr;  ///< asked for a policy
    tuning_machine machine{};               ///< that the policy is for, where it is asked
    gemm_layout layout = problem.layout;    ///< as it was asked for
    tune::transposed_operand transposed =
        tune::transposed_operand::none;  ///< that a launch copies along k first
    bool compiles = false;               ///< are kernels compiled that the program does not hold?
    std::string missing{};               ///< why the device cannot have the row's; empty where it can
    bool empty() const { return problem.m == 0 || problem.n == 0 || problem.batch == 0; }
};

struct gemm_decision {
    fade::report report{};
    gemm_policy policy{};
    operand_access access = operand_access::strided;
    tune::size_class size = tune::size_class::small;
    int splits = 1;         ///< workgroups that share a tile's k
    int compute_units = 1;  ///< of the device
    int resident = 1;       ///< workgroups that a compute unit holds at once, if registers are as planned
    bool compiled = false;  ///< is the policy none of the program's?
};

namespace detail {

/// The names of what is multiplied into what: as values, so that sentences are compiled once.
struct types_in_words {
    std::string input;
    const char* output;
    std::string epilogue;
};
template <class In, class Out, class Epilogue>
types_in_words words_of_types(const gemm_request<In, Out, Epilogue>& r) {
    return {input_name<In>(), fade::name(dtype_v<Out>), name_of(r.epilogue)};
}

inline std::string requested_words(const gemm_problem& p, gemm_layout layout, const types_in_words& types) {
    return words("gemm ", fade::name(layout), " ", p.m, " x ", p.n, " x ", p.k,
                 p.batch == 1 ? "" : words(", batch ", p.batch), ", ", types.input, " to ", types.output,
                 ", epilogue ", types.epilogue);
}

inline std::string chosen_words(const gemm_decision& d, bool passed, bool any_chain) {
    const tile_shape& t = d.policy.block_tile;
    return "gemm_" + std::string(fade::name(d.access)) + "_" +
           (passed       ? "passed"
            : d.compiled ? "compiled"
                         : tune::name(d.size)) +
           " " + std::to_string(t.m) + "x" + std::to_string(t.n) + "x" + std::to_string(t.k) + ", " +
           block::name(d.policy.pipeline) +
           (d.policy.schedule == gemm_schedule::stream_k ? ", stream_k" : "") +
           (d.splits > 1 ? ", k shared by " + std::to_string(d.splits) : "") +
           (d.policy.cluster_k > 1 ? ", k shared in clusters of " + std::to_string(d.policy.cluster_k) : "") +
           (any_chain ? ", any_chain" : "");
}

/// The device whose times tune::gemm_choice::by_times means.
inline constexpr std::string_view timed_device = "NVIDIA H200";

/// That a choice rests on times, and whether a device of that name is another than was timed.
inline std::string words_of_timed_device(const std::string& device) {
    const std::string out = "; these are times of an " + std::string(timed_device);
    return device.find(timed_device) != std::string::npos ? out : out + ", and this device is " + device;
}

/// What runs of an operand ask of its memory.
template <class Arch, class In>
constexpr tune::run_rule run_rule_of() {
    return {int(sizeof(In)), arch::access_alignment(Arch::traits, 16)};
}

template <class Policies, class Arch, class In, class Out, class Epilogue>
tune::gemm_choice select(const gemm_request<In, Out, Epilogue>& r, const tune::gemm_row& row,
                         int compute_units) {
    if constexpr (std::is_same_v<Arch, arch::host>)
        return tune::select_host_gemm(compute_units);
    else if constexpr (Policies::passed)
        return tune::select_passed(row, r.problem, r.operands.a, r.operands.b, run_rule_of<Arch, In>());
    else
        return tune::select_gemm(row, r.problem, r.operands.a, r.operands.b, run_rule_of<Arch, In>(),
                                 compute_units, r.split_k, Policies::kernels, tune::model_of<Arch, In>(),
                                 epilogue::columns_per_output<Epilogue> == 1);  // a gate pairs columns
}

template <class Policies, class Arch, class In>
std::string evidence(const gemm_problem& p, const gemm_decision& d) {
    if constexpr (Policies::passed)
        return tune::passed_evidence(Arch::traits.name);
    else if constexpr (is_operand_pair<In>)
        return "none: nobody audited or measured products of " + input_name<In>() + " on " +
               std::string(Arch::traits.name);
    else
        return tune::gemm_evidence(Arch::traits.name, dtype_v<In>, p.layout, d.access, d.policy);
}

/// Are both operands read in 16-byte runs as their layout says?
template <class Arch, class In, class Out, class Epilogue>
bool reads_runs(const gemm_request<In, Out, Epilogue>& r, operand_access access) {
    return int(access) == int(r.problem.layout) &&
           tune::access_obstacle(r.problem, r.operands.a, r.operands.b, run_rule_of<Arch, In>()).empty();
}

/// Runs between the multiples of 16 bytes touch more lines of the cache, so that is said.
template <class Arch, class In, class Out, class Epilogue>
std::string words_of_alignment(const gemm_request<In, Out, Epilogue>& r, operand_access access) {
    constexpr int alignment = run_rule_of<Arch, In>().alignment;
    if (alignment == 16 || !reads_runs<Arch>(r, access) ||
        tune::access_obstacle(r.problem, r.operands.a, r.operands.b, int(sizeof(In))).empty())
        return "";
    return "; runs begin at multiples of " + std::to_string(alignment) + " bytes";
}

/// The same for all types, as a database knows it.
inline tuning_problem gemm_to_ask(const gemm_problem& p, gemm_layout layout, const types_in_words& types,
                                  std::string_view access, int split_k) {
    return {.kind = words("gemm ", fade::name(layout), " ", types.input, " to ", types.output, ", epilogue ",
                          types.epilogue, ", read ", access, ", split_k ", split_k),
            .sizes = {p.m, p.n, p.k, p.batch}};
}

/// What a tuned row must have in common with a call, and the sizes that may differ.
template <class Arch, class In, class Out, class Epilogue>
tuning_problem problem_to_tune(const gemm_request<In, Out, Epilogue>& r, operand_access access) {
    const bool few = access != operand_access::strided && !reads_runs<Arch>(r, access);
    return gemm_to_ask(r.problem, r.layout, words_of_types(r),
                       words(fade::name(access), few ? " of few" : ""), r.split_k);
}

/// Puts a tuned row in the place of the model's choice, and returns the row's evidence; empty where the
/// model's choice stands. `why` says which, and for what reason.
template <class Policies, class Arch, class In, class Out, class Epilogue>
std::string apply_tuned(const gemm_request<In, Out, Epilogue>& r, const tune::gemm_row& row, gemm_decision& d,
                        std::string& why) {
    if (!r.tuned || r.empty()) return "";
    if constexpr (Policies::passed) {
        why += "; the tuning database is not asked, since the policy was passed";
        return "";
    } else {
        const auto found =
            tune::ask<tuned_gemm>(*r.tuned, problem_to_tune<Arch>(r, d.access), r.machine, why);
        if (!found.policy) return "";
        const auto& [policy, split_k] = *found.policy;
        tune::tuned_fit fit = tune::fit_tuned<Arch, In>(row, d.access, r.problem, policy, found.exact,
                                                        reads_runs<Arch>(r, d.access));
        if (r.compiles && !fit.obstacle.empty()) {
            fit = tune::fit_compiled<Arch>(row, d.access, policy, reads_runs<Arch>(r, d.access));
            if (fit.obstacle.empty()) fit.obstacle = r.missing;
            d.compiled = fit.obstacle.empty();
        }
        if (fit.obstacle.empty()) fit.obstacle = tune::split_obstacle(split_k);
        if (fit.obstacle.empty())
            fit.obstacle = tune::schedule_obstacle(policy, r.problem, epilogue::columns_per_output<Epilogue>,
                                                   d.compute_units);
        why += tune::words_of_use(fit.obstacle);
        d.compiled &= fit.obstacle.empty();
        if (!fit.obstacle.empty()) return "";
        d.policy = policy, d.size = fit.size;
        if (r.split_k == 0) d.splits = tune::splits_for(d.policy, r.problem, split_k, d.compute_units);
        return found.evidence;
    }
}

}  // namespace detail

/// Policies: the table's, or the one that the caller passed.
template <class Policies, class Arch, class In, class Out, class Epilogue>
gemm_decision decide(const gemm_request<In, Out, Epilogue>& r, const std::string& device, int compute_units) {
    tune::require_runnable<Policies, Arch, In>();
    constexpr tune::gemm_row row = Policies::template row<Arch, In>;
    tune::gemm_choice choice = detail::select<Policies, Arch>(r, row, compute_units);
    if (choice.by_times) choice.why += detail::words_of_timed_device(device);
    choice.why +=
        detail::words_of_alignment<Arch>(r, choice.access) + tune::transposed_words(r.problem, r.transposed);
    gemm_decision d{.policy = tune::policy_for(row, choice.size, choice.access),
                    .access = choice.access,
                    .size = choice.size,
                    .compute_units = compute_units};
    if constexpr (std::is_same_v<Arch, arch::host>)
        d.policy = tune::host_policy<In>(r.problem, compute_units, tune::few_rows::as_dots);
    const std::string tuned = detail::apply_tuned<Policies, Arch>(r, row, d, choice.why);
    if constexpr (!std::is_same_v<Arch, arch::host>)
        kernel::check_reach<In, Out>(r.problem, d.policy.block_tile);
    if (tuned.empty() || r.split_k != 0)
        d.splits = choice.parts > 0 ? choice.parts
                   : d.size == tune::size_class::flat && r.problem.m <= d.policy.block_tile.m
                       ? tune::parts_of_flat(d.policy, r.problem, r.split_k, compute_units)
                       : tune::splits_for(d.policy, r.problem, r.split_k, compute_units);
    if (choice.shares_tail && tuned.empty()) d.policy.schedule = gemm_schedule::stream_k;
    if (d.policy.schedule == gemm_schedule::stream_k)
        d.splits = 1,
        d.resident =
            max_of(d.policy.waves_per_simd * Arch::traits.simds_per_cu / max_of(d.policy.waves(), 1), 1);
    if (r.split_k > 1 && d.splits != r.split_k)
        choice.why += "; k is too shallow for " + std::to_string(r.split_k) +
                      " equal parts of whole steps, so " + std::to_string(d.splits) + " share it";
    std::string requested = detail::requested_words(r.problem, r.layout, detail::words_of_types(r));
    if constexpr (Policies::passed) requested += ", policy " + tune::in_words(Policies::policy);
    d.report = {.requested = std::move(requested),
                .chosen = detail::chosen_words(d, Policies::passed, epilogue::chosen_at_run_time<Epilogue>),
                .why = choice.why,
                .device = device,
                .arch = std::string(Arch::traits.name),
                .fallback = choice.fallback,
                .evidence = tuned.empty() ? detail::evidence<Policies, Arch, In>(r.problem, d) : tuned};
    if (!r.empty()) return d;
    // A D without elements has no kernel, so nothing is said of one.
    d.splits = 1, d.report.fallback = false, d.report.evidence = "none is needed";
    d.report.chosen = "nothing", d.report.why = "D has no elements, so nothing is launched";
    return d;
}

}  // namespace FADE_NAMESPACE

// Which policy is the fastest for one product here: every candidate is timed within a budget.
#pragma once
#include <algorithm>
#include <chrono>
#include <ctime>
#include <fade/device/gemm_call.hpp>
#include <fade/device/is_cpu.hpp>
#include <fade/device/run_on.hpp>
#include <fade/tune/database/database.hpp>
#include <optional>
#include <vector>

namespace FADE_NAMESPACE {

/// What tuning found.
struct gemm_tuning {
    tune::gemm_tuning_row row;     ///< the fastest policy
    double model_nanoseconds = 0;  ///< median of the model's choice
    int candidates = 0;            ///< how many were timed; fewer than there are where the budget ended
    bool kept = false;             ///< is the row in the database? It is where it won twice
};

namespace detail {

/// Answers with one policy, and remembers what was asked.
class one_policy : public tuned_gemms {
public:
    tuned_gemm find(const gemm_tuning_problem& problem, const tuning_machine& machine) const override {
        asked_problem = problem, asked_machine = machine;
        if (!policy) return {.match = tuned_match::miss, .why = "this is the model's choice"};
        return {.match = tuned_match::exact,
                .policy = *policy,
                .split_k = 1,
                .why = "a candidate is timed",
                .evidence = evidence};
    }
    static constexpr const char* evidence = "none yet";
    std::optional<gemm_policy> policy;
    mutable gemm_tuning_problem asked_problem;
    mutable tuning_machine asked_machine;
};

/// Even shares of D: the model's numbers of parts, and those around them.
inline std::vector<gemm_policy> host_candidates(const gemm_problem& p, const gemm_policy& model) {
    std::vector<gemm_policy> out;
    const index rows = ceil_div<index>(p.m, model.block_tile.m),
                columns = ceil_div<index>(p.n, model.block_tile.n);
    for (index i : {rows, rows + 1, 2 * rows, 4 * rows, max_of<index>(rows / 2, 1)})
        for (index j : {columns, columns + 1, 2 * columns, 4 * columns, max_of<index>(columns / 2, 1)}) {
            gemm_policy c = model;
            c.block_tile.m = int(ceil_div<index>(p.m, i)), c.block_tile.n = int(ceil_div<index>(p.n, j));
            if (c != model && std::ranges::find(out, c) == out.end()) out.push_back(c);
        }
    return out;
}

struct call_times {
    double median = 0, noise = 0;
    bool whole = false;  // did the budget last?
};

/// The middle of seven calls after one to warm up, and how far the quarters lie apart.
template <class Call>
call_times time_calls(const Call& call, std::chrono::steady_clock::time_point end) {
    using clock = std::chrono::steady_clock;
    std::vector<double> times;
    for (int i = 0; i < 8; ++i) {
        const auto begin = clock::now();
        // A call that would end too late is not begun.
        const double longest = times.empty() ? 0 : *std::ranges::max_element(times);
        if (begin + std::chrono::nanoseconds(std::int64_t(longest)) >= end) return {};
        call();
        const double took = std::chrono::duration<double, std::nano>(clock::now() - begin).count();
        if (i == 0 || i == 1) times.clear();
        times.push_back(took);
    }
    std::ranges::sort(times);
    return {times[3], (times[5] - times[1]) / times[3], true};
}

}  // namespace detail

/// Times policies of one product on the host for at most `budget`, and keeps the fastest in the database,
/// with a time in the build's own name. D is written. A policy is kept only where it beats the model's
/// choice when both are timed second. Throws fade::error for a device whose calls are not timed here (all but
/// the host), and for what gemm() refuses.
template <class In, class Out = In, class Device, class Epilogue = epilogue::none>
gemm_tuning tune_gemm(Device& device, const gemm_problem& problem, const gemm_operands<In, Out>& operands,
                      tuning_database& database, std::chrono::duration<double> budget,
                      const Epilogue& epilogue = {}) {
    static_assert(std::is_same_v<Device, host_device>,
                  "tune_gemm times calls of fade::host_device: an emulated device has no speed");
    require_real(budget.count() > 0, "budget", budget.count(), "it must be a time above 0 seconds");
    require_real(problem.beta == 0, "beta", problem.beta, "calls are repeated, so C must not be needed");
    using clock = std::chrono::steady_clock;
    using operation = gemm_operation<In, Out, Device, Epilogue, all_accesses>;
    const auto end = clock::now() + std::chrono::duration_cast<clock::duration>(budget);
    detail::one_policy source;
    const gemm_options options{.tuned = &source};
    const auto call = [&] {
        operation one(device, problem, operands, epilogue, options);
        run_operation(device, one, common_options(options));
    };
    const auto time = [&](std::optional<gemm_policy> policy) {
        source.policy = policy;
        return detail::time_calls(call, end);
    };
    const gemm_policy model = operation(device, problem, operands, epilogue, options).policy();
    gemm_tuning out;
    const detail::call_times first = time({});
    out.model_nanoseconds = first.median;
    out.row = {.problem = source.asked_problem,
               .machine = source.asked_machine,
               .policy = model,
               .nanoseconds = first.median,
               .noise = first.noise,
               .date = std::int64_t(std::time(nullptr)),
               .evidence = "measured on " + device.name()};
    if (!first.whole) return out;
    for (const gemm_policy& candidate : detail::host_candidates(problem, model)) {
        const detail::call_times found = time(candidate);
        if (!found.whole) break;
        ++out.candidates;
        if (found.median < out.row.nanoseconds)
            out.row.policy = candidate, out.row.nanoseconds = found.median, out.row.noise = found.noise;
    }
    if (out.row.policy == model) return out;
    const detail::call_times second = time(out.row.policy), second_model = time({});
    if (!second.whole || !second_model.whole || second.median >= second_model.median) return out;
    out.row.nanoseconds = second.median, out.row.noise = second.noise;
    out.model_nanoseconds = second_model.median;
    database.put(out.row);
    out.kept = true;
    return out;
}

}  // namespace FADE_NAMESPACE

// Which policy of a call is the fastest here: every candidate is timed within a budget.
#pragma once
#include <cmath>
#include <ctime>
#include <fade/core/error.hpp>
#include <fade/core/report.hpp>
#include <fade/core/require.hpp>
#include <fade/device/tune/timing.hpp>
#include <fade/tune/database/database.hpp>
#include <functional>
#include <string>
#include <vector>

namespace FADE_NAMESPACE {

/// A policy, and how long a call with it took.
struct timed_policy {
    std::string policy;      ///< as tune::policy_json spells it
    double nanoseconds = 0;  ///< median
    double noise = 0;        ///< spread of the times over their median
};

/// What tuning found.
struct tuning {
    tune::tuning_row row;          ///< the fastest policy
    double model_nanoseconds = 0;  ///< median of the model's choice; 0 where the budget was too short for it
    int candidates = 0;            ///< how many were timed; fewer than there are where the budget ended
    bool kept = false;             ///< is the row in the database? It is where it won twice
    bool whole = false;            ///< did the budget last for all candidates?
    std::vector<timed_policy> times{};  ///< the model's choice, then the candidates
};

/// What timing a row again found.
struct verification {
    double nanoseconds = 0;        ///< median of the row's policy now
    double model_nanoseconds = 0;  ///< median of the model's choice now
    double drift = 0;              ///< |now / then - 1|; infinite where the row holds no time
    std::string obstacle{};        ///< why nothing was timed; empty where it was
    /// Does the row beat the model's choice?
    bool wins() const { return nanoseconds < model_nanoseconds; }
};

namespace detail {

/// Answers with one policy, and remembers what was asked.
class one_policy : public tuned_policies {
public:
    tuned_policy find(const tuning_problem& problem, const tuning_machine& machine) const override {
        asked_problem = problem, asked_machine = machine;
        if (policy.empty()) return {.match = tuned_match::miss, .why = "this is the model's choice"};
        return {.match = tuned_match::exact,
                .policy = policy,
                .why = "a candidate is timed",
                .evidence = evidence};
    }
    static constexpr const char* evidence = "none yet";
    std::string policy;
    mutable tuning_problem asked_problem;
    mutable tuning_machine asked_machine;
};

/// A policy that may be faster, and how many times as long as the model's choice it takes at most.
struct candidate {
    std::string policy;
    double slower = 1;
};

/// A call that asks a source, as tuning sees it.
struct tuned_call {
    one_policy& source;
    std::function<void()> run;
    std::string model;  ///< the model's choice
    std::vector<candidate> candidates{};
    double longest = 0;    ///< nanoseconds of the first call of the model's choice, at most
    std::string device{};  ///< its name
};

inline void check_budget(std::chrono::duration<double> budget) {
    require_real(budget.count() > 0, "budget", budget.count(), "it must be a time above 0 seconds");
}

inline call_times time_policy(tuned_call& c, const std::string& policy, const deadline& end,
                              const call_bounds& bounds) {
    c.source.policy = policy;
    return time_calls(c.run, end, bounds);
}

/// Times the model's choice, then the candidates; keeps a candidate that is faster twice.
inline tuning search(tuned_call& c, const deadline& end, tuning_database& database) {
    constexpr double margin = 2;  // of a first call over later ones
    tuning out;
    constexpr double hopeless = 2;  // times the fastest
    const call_times first = time_policy(c, "", end, {c.longest});
    out.model_nanoseconds = first.median;
    out.row = {.problem = c.source.asked_problem,
               .machine = c.source.asked_machine,
               .policy = c.model,
               .nanoseconds = first.median,
               .noise = first.noise,
               .date = std::int64_t(std::time(nullptr)),
               .evidence = "measured on " + c.device};
    if (!first.whole) return out;
    out.times.push_back({c.model, first.median, first.noise});
    out.whole = true;
    for (const candidate& one : c.candidates) {
        const call_times found = time_policy(
            c, one.policy, end, {margin * one.slower * first.longest, hopeless * out.row.nanoseconds});
        out.whole = out.whole && found.whole;
        if (!found.whole) continue;
        ++out.candidates;
        out.times.push_back({one.policy, found.median, found.noise});
        if (found.median < out.row.nanoseconds)
            out.row.policy = one.policy, out.row.nanoseconds = found.median, out.row.noise = found.noise;
    }
    if (out.row.policy == c.model) return out;
    const call_times second = time_policy(c, out.row.policy, end, {margin * first.longest}),
                     second_model = time_policy(c, "", end, {margin * first.longest});
    out.whole = out.whole && second.whole && second_model.whole;
    if (!second.whole || !second_model.whole || second.median >= second_model.median) return out;
    out.row.nanoseconds = second.median, out.row.noise = second.noise;
    out.model_nanoseconds = second_model.median;
    database.put(out.row);
    out.kept = true;
    return out;
}

inline std::string in_words(const tuning_problem& p) {
    std::string out = p.kind + ", sizes";
    for (const index size : p.sizes) out += " " + std::to_string(size);
    return out;
}

/// Why a row does not belong to a call that said this when the row was its source; empty where it does.
inline std::string row_obstacle(const one_policy& source, const tune::tuning_row& row, const report& said) {
    if (source.asked_machine.arch.empty()) return said.why;
    if (row.build != tune::this_build()) return "the row is of another build";
    if (source.asked_machine != row.machine)
        return "the row is of " + row.machine.arch + " with " + row.machine.traits + ", and this is " +
               source.asked_machine.arch + " with " + source.asked_machine.traits;
    if (source.asked_problem != row.problem)
        return "the row is of '" + in_words(row.problem) + "', and the call is '" +
               in_words(source.asked_problem) + "'";
    return said.evidence == source.evidence ? "" : said.why;
}

/// Times the policy of a row and the model's choice, one after the other.
inline verification verify(tuned_call& c, const tune::tuning_row& row) {
    verification out;
    const auto never = deadline::never();
    out.nanoseconds = time_policy(c, row.policy, never, {}).median;
    out.model_nanoseconds = time_policy(c, "", never, {}).median;
    out.drift = std::abs(out.nanoseconds / row.nanoseconds - 1);
    return out;
}

}  // namespace detail
}  // namespace FADE_NAMESPACE

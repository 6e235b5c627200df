// Which policy of a call is the fastest here: candidates are timed within a budget, the better ones longer.
#pragma once
#include <cmath>
#include <ctime>
#include <fade/core/error.hpp>
#include <fade/core/report.hpp>
#include <fade/core/require.hpp>
#include <fade/device/tune/timing.hpp>
#include <fade/tune/database/database.hpp>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace FADE_NAMESPACE {

/// A policy, and how long a call with it took.
struct timed_policy {
    std::string policy;      ///< as tune::policy_json spells it
    double nanoseconds = 0;  ///< median
    double noise = 0;        ///< spread of the times over their median
    int calls = 0;           ///< how many were timed: the better a policy, the more
};

/// A policy that was compiled for nothing, or not at all.
struct refused_policy {
    std::string policy;  ///< as tune::policy_json spells it
    std::string why;     ///< the compiler's words, or the device's
};

/// What tuning found.
struct tuning {
    tune::tuning_row row;          ///< the fastest policy
    double model_nanoseconds = 0;  ///< median of the model's choice; 0 where the budget was too short for it
    int candidates = 0;            ///< how many were timed; fewer than there are where the budget ended
    bool kept = false;   ///< is the row in the database? It is where it won each time, or no policy did and
                         ///< the row is of the model's choice
    bool whole = false;  ///< did the budget last for all candidates?
    int sets = 1;        ///< of memory, which calls took in turn
    std::vector<timed_policy> times{};  ///< the model's choice, then the candidates
    int compiled = 0;                   ///< candidates that the program does not hold, compiled now or before
    std::vector<refused_policy> refused{};  ///< of those, what no kernel was had of
};

/// What timing a row again found.
struct verification {
    double nanoseconds = 0;        ///< median of the row's policy now
    double model_nanoseconds = 0;  ///< median of the model's choice now
    double drift = 0;              ///< |now / then - 1|; infinite where the row holds no time
    bool of_model = false;         ///< is the row's policy the model's choice?
    std::string obstacle{};        ///< why nothing was timed; empty where it was
    /// Does the row beat the model's choice, or is it that?
    bool wins() const { return of_model || nanoseconds < model_nanoseconds; }
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
    bool compiled = false;  ///< is it none of the program's?
};

/// A call that asks a source, as tuning sees it.
struct tuned_call {
    one_policy& source;
    std::function<void()> run;  ///< `at_once` calls, to their end
    std::string model;          ///< the model's choice
    std::vector<candidate> candidates{};
    double longest = 0;    ///< nanoseconds of the first call of the model's choice, at most
    std::string device{};  ///< its name
    int sets = 1;          ///< of memory
    int at_once = 1;  ///< calls that are timed together, as a GPU is asked to begin the next before it waits
    bool model_fits = false;                 ///< would a row of the model's choice be used?
    tune::build build = tune::this_build();  ///< of its kernels
    std::function<void()> renew{};           ///< gives it other memory; none where it has no copies
    std::vector<refused_policy> refused{};   ///< candidates that are none
    bool compiled_all = true;                ///< did the budget last for compiling?
};

inline void check_budget(std::chrono::duration<double> budget) {
    require_real(budget.count() > 0, "budget", budget.count(), "it must be a time above 0 seconds");
}

/// A policy that is timed, and how long its first call takes at most. The model's choice has no text.
struct contestant {
    std::string policy;
    double first = 0;
    call_times times{};
};

/// So many calls of each, in turn, so that what disturbs the machine disturbs all. False where the budget
/// ended.
inline bool time_in_turn(tuned_call& c, std::span<contestant* const> all, int calls, const deadline& end) {
    for (int i = 0; i < calls; ++i)
        for (contestant* one : all) {
            c.source.policy = one->policy;
            if (!time_call(c.run, end, one->first, one->times)) return false;
        }
    return true;
}

inline constexpr int final_calls = 7, warming = 1;

/// Two calls of each candidate after one to warm up, or one where that shows it hopeless. Those that the
/// budget had no time for are left out.
inline std::vector<contestant> first_round(tuned_call& c, const contestant& model, const deadline& end) {
    constexpr double margin = 2;    // of a first call over later ones
    constexpr double hopeless = 2;  // times the fastest
    std::vector<contestant> out;
    double fastest = model.times.median();
    for (const candidate& one : c.candidates) {
        contestant next{one.policy, margin * one.slower * model.times.longest()};
        contestant* const all[] = {&next};
        try {
            if (!time_in_turn(c, all, warming + 1, end)) continue;
        } catch (const error& e) {  // the compiler took it, and the device launches no such workgroup
            if (!one.compiled) throw;
            c.refused.push_back({one.policy, e.what()});
            continue;
        }
        if (next.times.median() <= hopeless * fastest && !time_in_turn(c, all, 1, end)) continue;
        fastest = std::min(fastest, next.times.median());
        out.push_back(std::move(next));
    }
    return out;
}

/// The better half, and none that is slower than the model's choice by more than the noise.
inline void halve(std::vector<contestant*>& all, const contestant& model) {
    const auto median = [](const contestant* one) { return one->times.median(); };
    std::ranges::sort(all, {}, median);
    all.resize((all.size() + 1) / 2);
    const double bound = model.times.median() * (1 + model.times.error());
    std::erase_if(all, [&](const contestant* one) { return median(one) >= bound; });
}

/// Do the best and the worst lie no further apart than the noise? More calls would not tell them apart.
inline bool are_even(std::span<contestant* const> sorted) {
    const call_times &best = sorted.front()->times, &worst = sorted.back()->times;
    return worst.median() - best.median() < std::max(best.error(), worst.error()) * best.median();
}

/// Successive halving: half of the candidates stay for twice as many calls. Null where the model's choice is
/// the fastest. `whole` becomes false where the budget ended.
inline const contestant* fastest_of(tuned_call& c, std::vector<contestant>& field, const contestant& model,
                                    const deadline& end, bool& whole) {
    constexpr int most_calls = 16;
    std::vector<contestant*> left;
    for (contestant& one : field) left.push_back(&one);
    for (int calls = 2; !left.empty(); calls *= 2) {
        halve(left, model);
        if (left.size() <= 1 || calls > most_calls || (calls > 2 && are_even(left))) break;
        if (!time_in_turn(c, left, calls, end)) {
            whole = false;
            break;
        }
    }
    return left.empty() ? nullptr : left.front();
}

/// Of one call.
inline double nanoseconds_of(const tuned_call& c, const call_times& times) {
    return times.median() / c.at_once;
}
inline void note(tuning& to, const tuned_call& c, const std::string& policy, const call_times& times) {
    to.times.push_back({policy, nanoseconds_of(c, times), times.noise(), times.count()});
}
inline void set_time(tune::tuning_row& row, const tuned_call& c, const call_times& times) {
    row.nanoseconds = nanoseconds_of(c, times), row.noise = times.noise();
}

/// Looks at a winner behind the race, each in memory of its own, and what it must gain in each: one look in
/// sixty showed a policy 20 % faster that was slower in the next process (docs/tuning.md).
inline constexpr int looks = 3;
inline constexpr double least_gain = 0.02;

/// Times the winner and the model's choice again, in turn, and again in other memory. True where the winner
/// is faster by more than the noise each time.
inline bool wins_again(tuned_call& c, tuning& out, double first, const deadline& end) {
    for (int look = 0; look < looks; ++look) {
        if (look > 0 && c.renew) c.renew();
        contestant model{"", first}, winner{out.row.policy, first};
        contestant* const both[] = {&winner, &model};
        out.whole &= time_in_turn(c, both, warming + final_calls, end);
        if (!out.whole) return false;
        const double error = std::max({winner.times.error(), model.times.error(), least_gain});
        const bool wins = winner.times.median() * (1 + error) < model.times.median();
        out.model_nanoseconds = nanoseconds_of(c, model.times);
        set_time(out.row, c, wins ? winner.times : model.times);
        if (!wins) return false;
    }
    return true;
}

/// Times the model's choice, then the candidates; keeps a candidate that is faster each time, or else the
/// model's choice, so that nobody searches again.
inline tuning search(tuned_call& c, const deadline& end, tuning_database& database) {
    constexpr double margin = 2;
    tuning out;
    out.sets = c.sets;
    contestant model{"", c.longest};
    contestant* const alone[] = {&model};
    const bool timed = time_in_turn(c, alone, warming + final_calls, end);
    out.row = {.problem = c.source.asked_problem,
               .machine = c.source.asked_machine,
               .build = c.build,
               .policy = c.model,
               .date = std::int64_t(std::time(nullptr)),
               .evidence = "measured on " + c.device};
    if (!timed) return out;
    out.model_nanoseconds = nanoseconds_of(c, model.times);
    set_time(out.row, c, model.times);
    const std::size_t refused = c.refused.size();
    std::vector<contestant> field = first_round(c, model, end);
    out.candidates = int(field.size());
    out.whole = c.compiled_all && field.size() + c.refused.size() - refused == c.candidates.size();
    out.compiled = int(std::ranges::count_if(c.candidates, &candidate::compiled));
    out.refused = c.refused;
    const contestant* best = fastest_of(c, field, model, end, out.whole);
    note(out, c, c.model, model.times);
    for (const contestant& one : field) note(out, c, one.policy, one.times);
    bool wins = false;
    if (best) {
        out.row.policy = best->policy;
        set_time(out.row, c, best->times);
        wins = wins_again(c, out, margin * std::max(best->times.longest(), model.times.longest()), end);
    }
    if (!wins && out.whole) out.row.policy = c.model;
    out.kept = wins || (out.whole && c.model_fits);
    if (out.kept) database.put(out.row);
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

/// Times the policy of a row and the model's choice, in turn.
inline verification verify(tuned_call& c, const tune::tuning_row& row) {
    verification out{.of_model = row.policy == c.model};
    contestant model{""}, kept{row.policy};
    contestant* const both[] = {&kept, &model};
    time_in_turn(c, both, warming + final_calls, deadline::never());
    out.nanoseconds = nanoseconds_of(c, kept.times), out.model_nanoseconds = nanoseconds_of(c, model.times);
    out.drift = std::abs(out.nanoseconds / row.nanoseconds - 1);
    return out;
}

}  // namespace detail
}  // namespace FADE_NAMESPACE

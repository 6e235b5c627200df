// A find: the row of a problem where there is one, and a search where the mode says so.
#pragma once
#include <fade/device/tune/attention.hpp>
#include <fade/device/tune/conv.hpp>
#include <fade/device/tune/find_options.hpp>
#include <fade/device/tune/gemm.hpp>
#include <fade/device/tune/rows.hpp>
#include <functional>

namespace FADE_NAMESPACE {

/// Where the policy that a call gets now comes from.
enum class find_source {
    hit,    ///< from a row that was there
    tuned,  ///< from a row that a search kept
    model   ///< from the model
};

/// The word of a choice.
constexpr const char* name(find_source s) {
    constexpr const char* names[] = {"hit", "tuned", "model"};
    return names[int(s)];
}

/// What a find did. Calls that ask the database get the policy.
struct found_policy {
    find_source source = find_source::model;
    std::string why{};  ///< in words
    tuning search{};    ///< what a search found; without times where none was made, but with the row of a hit
};

namespace detail {

/// MIOpen takes these for orders about the database, which other modes would not follow.
inline find_options without_contradiction(find_options o, std::string& why) {
    using enum find_enforce;
    if (o.mode == find_mode::normal || o.enforce == none || o.enforce == search) return o;
    why = std::string("mode NORMAL instead of ") + name(o.mode) + ", since " + name(o.enforce) +
          " is enforced; ";
    o.mode = find_mode::normal;
    return o;
}

/// A problem whose policy can be found, whichever operation's.
struct problem_to_find {
    one_policy& source;
    std::function<report()> said;                                      ///< of a call now
    std::function<verification(const tune::tuning_row&)> verify;       ///< times a row again
    std::function<tuning(std::chrono::duration<double> budget)> tune;  ///< searches
};

template <class Device, class Problem>
problem_to_find to_find(Device& device, Problem& problem, tuning_database& database) {
    return {.source = problem.source,
            .said = [&] { return problem.said(); },
            .verify = [&](const tune::tuning_row& row) { return verify_row(device, problem, row); },
            .tune = [&](auto budget) { return tune_within(device, problem, database, budget); }};
}

inline found_policy search_now(const problem_to_find& problem, tuning_database& database,
                               const find_options& options, const std::optional<kept_row>& row,
                               std::string why) {
    constexpr std::chrono::hours unlimited(24 * 365);
    const bool full = options.mode == find_mode::trust_verify_full;
    found_policy out{.search = problem.tune(full ? unlimited : options.budget)};
    out.source = out.search.kept ? find_source::tuned : row ? find_source::hit : find_source::model;
    const bool won = out.search.kept && out.search.row.nanoseconds < out.search.model_nanoseconds;
    out.why = why + (won                ? "a policy won over the model's choice"
                     : out.search.kept  ? "no policy won over the model's choice, which is kept"
                     : out.search.whole ? "no policy won over the model's choice"
                                        : "the budget ended");
    if (out.search.kept || !out.search.whole || !row || !row->of_user) return out;
    database.remove(row->row);
    out.source = find_source::model, out.why += ", so the row that was there is removed";
    return out;
}

/// Is a row of the system's as fast as it says?
inline bool holds(const problem_to_find& problem, const tune::tuning_row& row, double tolerance) {
    const verification now = problem.verify(row);
    return now.obstacle.empty() && now.nanoseconds <= row.nanoseconds * (1 + tolerance);
}

inline found_policy find(const problem_to_find& problem, tuning_database& database,
                         const find_options& asked) {
    std::string why;
    const find_options options = without_contradiction(asked, why);
    problem.source.policy.clear();
    const report said = problem.said();
    if (problem.source.asked_machine.arch.empty()) return {.why = why + said.why};
    found_policy out;
    out.search.row = {.problem = problem.source.asked_problem, .machine = problem.source.asked_machine};
    const auto row = database.row_of(out.search.row.problem, out.search.row.machine);
    const auto hit = [&](const char* words) {
        out.source = find_source::hit, out.search.row = row->row, out.why = words;
        return out;
    };
    const auto model = [&](const std::string& words) {
        out.why = words;
        return out;
    };
    const auto search = [&] { return search_now(problem, database, options, row, why); };
    if (options.enforce == find_enforce::db_clean) {
        if (row && row->of_user) database.remove(row->row);
        return model(why + (!row           ? "there was no row to remove"
                            : row->of_user ? "the row is removed"
                                           : "the row is the system's, and stays"));
    }
    if (options.mode == find_mode::normal) return search();
    if (!row) {
        if (options.mode != find_mode::fast || options.enforce == find_enforce::search) return search();
        return model("there is no row, and FAST does not search");
    }
    const bool trusted = row->of_user || options.mode < find_mode::trust_verify;
    if (trusted) return hit("there is a row");
    if (!holds(problem, row->row, options.tolerance)) {
        why += "the system's row is slower here than it says; ";
        return search();
    }
    database.put(row->row);
    return hit("the system's row is as fast as it says, and is the user's now");
}

}  // namespace detail

/// Takes the row of a product, or searches for one, as the options say, on the host or a GPU. What is found
/// is in the database, for calls that ask it. D is written where calls are timed. Throws fade::error as
/// tune_gemm does.
template <class In, class Out = In, gemm_kernels Kernels = all_accesses, class Device,
          class Epilogue = epilogue::none>
found_policy find_gemm(Device& device, const gemm_problem& problem, const gemm_operands<In, Out>& operands,
                       tuning_database& database, const find_options& options = find_options_of_environment(),
                       const Epilogue& epilogue = {}, int split_k = 1) {
    static_assert(detail::has_speed<Device>,
                  "find_gemm times calls of fade::host_device and GPUs: an emulated device has no speed");
    detail::check_budget(options.budget);
    detail::product_to_tune<In, Out, Epilogue, Device, Kernels> product(device, problem, operands, epilogue,
                                                                        split_k);
    return detail::find(detail::to_find(device, product, database), database, options);
}

/// The same of a row operator. Throws fade::error as tune_rows does.
template <class Operator, class Device>
found_policy find_rows(Device& device, const char* name, const kernel::row_size& size, const Operator& op,
                       tuning_database& database,
                       const find_options& options = find_options_of_environment()) {
    static_assert(detail::has_speed<Device>,
                  "find_rows times calls of fade::host_device and GPUs: an emulated device has no speed");
    detail::check_budget(options.budget);
    detail::rows_to_tune<Operator, Device> rows(device, name, size, op);
    return detail::find(detail::to_find(device, rows, database), database, options);
}

/// The same of a convolution; the pass is that of the operands. Throws fade::error as tune_conv
/// does.
template <class In, class Out = In, conv_algorithms Algorithms = conv_algorithms{}, class Device,
          class Operands, class Epilogue = epilogue::none>
found_policy find_conv(Device& device, const conv_problem& problem, const Operands& operands,
                       tuning_database& database, const find_options& options = find_options_of_environment(),
                       const Epilogue& epilogue = {}) {
    static_assert(detail::has_speed<Device>,
                  "find_conv times calls of fade::host_device and GPUs: an emulated device has no speed");
    detail::check_budget(options.budget);
    constexpr conv_kernels kernels{pass_of(Operands{}), Algorithms};
    detail::conv_to_tune<kernels, In, Out, Operands, Epilogue, Device> convolution(device, problem, operands,
                                                                                   epilogue);
    return detail::find(detail::to_find(device, convolution, database), database, options);
}

/// The same of an attention. Throws fade::error as tune_attention does.
template <class In, class Out = In, class Device, class Rule = no_rule>
found_policy find_attention(Device& device, const attention_problem& problem,
                            const attention_operands<In, Out>& operands, tuning_database& database,
                            const find_options& options = find_options_of_environment(),
                            const Rule& rule = {}) {
    static_assert(
        detail::has_speed<Device>,
        "find_attention times calls of fade::host_device and GPUs: an emulated device has no speed");
    detail::check_budget(options.budget);
    detail::attention_to_tune<In, Out, Rule, Device> attention(device, problem, operands, rule);
    return detail::find(detail::to_find(device, attention, database), database, options);
}

}  // namespace FADE_NAMESPACE

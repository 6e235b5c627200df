#include "tune/run.hpp"
#include "common/output.hpp"
#include "common/progress.hpp"
#include "common/refusal.hpp"
#include "tune/budget.hpp"
#include "tune/found_line.hpp"
#include "tune/interrupts.hpp"

namespace fade::tools {

namespace {
using clock = std::chrono::steady_clock;
using seconds = std::chrono::duration<double>;

/// Will the find take the row that is there?
bool is_known(workload& call, const tuning_database& rows, const find_options& options) {
    return options.mode != find_mode::normal && options.enforce != find_enforce::db_update &&
           options.enforce != find_enforce::search_db_update &&
           call.plan(rows).evidence.starts_with("tuned: ");
}

found_policy too_long(const work& w) {
    char text[128];
    std::snprintf(text, sizeof text, "making its %.3g numbers takes longer than its share of the budget",
                  elements_of(w));
    return {.why = text};
}

found_policy find_within(const work& w, timed_device& device, tuning_database& rows, find_options options,
                         seconds share) {
    const auto end = clock::now() + std::chrono::duration_cast<clock::duration>(share);
    constexpr double max = double(1 << 30);  // numbers in all
    if (elements_of(w) > max) return {.why = "its tensors have more than 2^30 numbers"};
    const auto call = device.make(w);
    if (!call) return {.why = "this fade-tune has no kernels for it there"};
    const bool times = options.mode != find_mode::fast || options.enforce == find_enforce::search;
    if (times && options.enforce != find_enforce::db_clean && !is_known(*call, rows, options)) {
        if (device.seconds_to_fill(elements_of(w)) > share.count()) return too_long(w);
        call->fill();
        options.budget = end - clock::now();
        if (options.budget.count() <= 0) return too_long(w);
    }
    return call->find(rows, options);
}

/// Each product for each split_k that calls may have: a row belongs to one.
std::vector<listed_call> with_all_splits(const std::vector<listed_call>& list, const timed_device& device) {
    std::vector<listed_call> out;
    for (const listed_call& one : list) {
        out.push_back(one);
        auto* const first = std::get_if<product_work>(&out.back().call);
        if (!first || first->split_k) continue;
        first->split_k = 1;
        if (!device.shares_k()) continue;
        out.push_back(out.back());
        std::get<product_work>(out.back().call).split_k = 0;
    }
    return out;
}

}  // namespace

void run_list(const std::vector<listed_call>& listed, const run_options& options) {
    const auto begin = clock::now();
    tuning_database rows({options.database, {}});
    if (!rows.refused_writes().empty()) throw refusal(rows.refused_writes() + ".");
    const auto end = end_of_work(begin, options.find.budget);
    stop_when_asked();
    const std::vector<listed_call> list = with_all_splits(listed, *options.device);
    progress_bar bar(double(list.size()));
    std::size_t left = list.size();
    for (const listed_call& one : list) {
        // Tensors are allocated where they are wanted, so that a long list needs no more than its largest.
        const auto share = seconds(end - clock::now()) / double(left--);
        if (interrupted || share.count() <= 0) break;
        bar.at(double(list.size() - left - 1), one.name);
        const found_policy found = find_within(one.call, *options.device, rows, options.find, share);
        bar.aside([&] {
            write_output((options.json ? line_of(found, one.name) : sentence_of(found, one.name)) + "\n");
        });
    }
}

}  // namespace fade::tools

#include "tune/verify.hpp"
#include "common/output.hpp"
#include "common/refusal.hpp"
#include "tune/interrupts.hpp"
#include "tune/workload.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace fade::tools {

namespace {
using tune::tuning_row;

verification time_again(timed_device& device, const tuning_row& row) {
    constexpr double max = double(1 << 30);  // numbers in all: a row may come from anywhere
    const auto found = work_of(row.problem, device.dtype());
    if (row.build != tune::this_build()) return {.obstacle = "the row is of another build"};
    if (!found)
        return {.obstacle = "fade-tune makes no such call: it has those of its lists, in " + device.dtype()};
    if (!(elements_of(*found) <= max)) return {.obstacle = "its tensors have more than 2^30 numbers"};
    try {
        const auto call = device.make(*found);
        if (!call) return {.obstacle = "this fade-tune has no kernels for it there"};
        call->fill();
        return call->verify(row);
    } catch (const error& e) {
        return {.obstacle = e.what()};
    }
}

const char* verdict_of(const verification& found, double bound) {
    if (!found.obstacle.empty()) return "not timed";
    if (!found.wins()) return "lost";
    return found.drift <= bound ? "holds" : "drifted";
}

nlohmann::ordered_json line_of(const tuning_row& row, const verification& found) {
    nlohmann::ordered_json out{{"kind", row.problem.kind}, {"sizes", row.problem.sizes}};
    out["kept_nanoseconds"] = row.nanoseconds;
    if (!found.obstacle.empty()) {
        out["why"] = found.obstacle;
        return out;
    }
    out["nanoseconds"] = found.nanoseconds;
    out["model_nanoseconds"] = found.model_nanoseconds;
    out["drift"] = found.drift;  // null where the row holds no time
    return out;
}
}  // namespace

bool verify_rows(const std::string& database, const verify_options& options) {
    std::vector<tuning_row> rows;
    tune::database_layer::readable(database).each_row([&](const auto& row) { rows.push_back(row); });
    std::optional<tune::database_layer> written;
    if (options.prune) written.emplace(tune::database_layer::writable(database));
    stop_when_asked();
    bool all_hold = true;
    for (const tuning_row& row : rows) {
        if (interrupted) break;
        const verification found = time_again(*options.device, row);
        const std::string verdict = verdict_of(found, options.bound);
        auto line = line_of(row, found);
        line["verdict"] = verdict;
        line["removed"] = verdict == "lost" && written && written->remove(row);
        write_output(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
        all_hold &= verdict == "holds" || verdict == "not timed";
    }
    return all_hold;
}

}  // namespace fade::tools

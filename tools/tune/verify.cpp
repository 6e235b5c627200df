#include "tune/verify.hpp"
#include "common/output.hpp"
#include "common/refusal.hpp"
#include "tune/random_product.hpp"
#include <algorithm>
#include <csignal>
#include <fade/tune.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace fade::tools {

namespace {
using tune::tuning_row;

volatile std::sig_atomic_t interrupted = 0;

/// The f32 product of a row; nothing for a row of other types.
std::optional<gemm_problem> problem_of(const tuning_problem& p) {
    using enum gemm_layout;
    if (p.sizes.size() != 4) return std::nullopt;
    for (auto layout : {nn, nt, tn, tt})
        if (p.kind.starts_with("gemm " + std::string(name(layout)) + " f32 to f32, "))
            return gemm_problem{
                .m = p.sizes[0], .n = p.sizes[1], .k = p.sizes[2], .layout = layout, .batch = p.sizes[3]};
    return std::nullopt;
}

/// A row may come from anywhere, so its sizes are bounded before operands are made.
bool can_be_held(const gemm_problem& p) {
    constexpr double max = double(1 << 30);  // numbers in an operand: 4 GiB
    const double m = double(p.m), n = double(p.n), k = double(p.k), batch = double(p.batch);
    return std::max({m * k, k * n, m * n}) * batch <= max;
}

verification time_again(host_device& device, const tuning_row& row) {
    const auto p = problem_of(row.problem);
    if (row.build != tune::this_build()) return {.obstacle = "the row is of another build"};
    if (!p) return {.obstacle = "fade-tune times products in f32 alone"};
    if (!can_be_held(*p)) return {.obstacle = "an operand has more than 2^30 numbers"};
    random_product product(*p);
    return verify_gemm<float>(device, *p, product.operands(), row);
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
    host_device device(options.threads);
    std::signal(SIGINT, [](int) { interrupted = 1; });
    bool all_hold = true;
    for (const tuning_row& row : rows) {
        if (interrupted) break;
        const verification found = time_again(device, row);
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

#include "tune/json_lines.hpp"
#include "common/refusal.hpp"
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace fade::tools {

namespace {
using json = nlohmann::json;

/// A whole number of at least `min`.
std::int64_t whole(const json& from, const char* name, std::int64_t min) {
    const json& value = from.at(name);
    if (!value.is_number_integer() || value.get<double>() > 9e18 || value.get<std::int64_t>() < min)
        throw refusal(std::string(name) + " is no whole number of at least " + std::to_string(min));
    return value.get<std::int64_t>();
}
double time_of(const json& from, const char* name) {
    const double value = from.at(name).get<double>();
    if (!(value >= 0)) throw refusal(std::string(name) + " is below 0");
    return value;
}
}  // namespace

namespace {
nlohmann::ordered_json json_of(const tune::gemm_tuning_row& r) {
    return {{"kind", r.problem.kind},
            {"m", r.problem.m},
            {"n", r.problem.n},
            {"k", r.problem.k},
            {"batch", r.problem.batch},
            {"arch", r.machine.arch},
            {"traits", r.machine.traits},
            {"fingerprint", r.build.fingerprint},
            {"compiler", r.build.compiler},
            {"version", r.build.version},
            {"policy", nlohmann::ordered_json::parse(tune::policy_json(r.policy))},
            {"split_k", r.split_k},
            {"nanoseconds", r.nanoseconds},
            {"noise", r.noise},
            {"date", r.date},
            {"evidence", r.evidence}};
}
std::string text_of(const nlohmann::ordered_json& line) {
    return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}
}  // namespace

std::string line_of(const tune::gemm_tuning_row& row) { return text_of(json_of(row)); }

std::string line_of(const gemm_tuning& found) {
    nlohmann::ordered_json line = json_of(found.row);
    line["kept"] = found.kept, line["candidates"] = found.candidates;
    line["model_nanoseconds"] = found.model_nanoseconds;
    return text_of(line);
}

tune::gemm_tuning_row row_of(const std::string& line, int number) {
    try {
        const json j = json::parse(line);
        // As policy_json spells it: fields in the policy's order.
        const auto policy = tune::read_policy(nlohmann::ordered_json::parse(line).at("policy").dump());
        if (!policy) throw refusal("policy is none of this version of FADE");
        const std::int64_t split_k = whole(j, "split_k", 1);
        if (split_k > 4096) throw refusal("split_k is above 4096");
        return {.problem = {j.at("kind").get<std::string>(), whole(j, "m", 0), whole(j, "n", 0),
                            whole(j, "k", 0), whole(j, "batch", 0)},
                .machine = {j.at("arch").get<std::string>(), j.at("traits").get<std::string>()},
                .build = {j.at("fingerprint").get<std::string>(), j.at("compiler").get<std::string>(),
                          j.at("version").get<std::string>()},
                .policy = *policy,
                .split_k = int(split_k),
                .nanoseconds = time_of(j, "nanoseconds"),
                .noise = time_of(j, "noise"),
                .date = whole(j, "date", std::numeric_limits<std::int64_t>::min()),
                .evidence = j.at("evidence").get<std::string>()};
    } catch (const std::exception& e) {
        std::string why = e.what();  // which may quote half a character
        std::ranges::replace_if(why, [](unsigned char c) { return c >= 127; }, '?');
        throw refusal("Line " + std::to_string(number) + " is no row: " + why + "; nothing was imported.");
    }
}

}  // namespace fade::tools

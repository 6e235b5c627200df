#include "tune/json_lines.hpp"
#include "common/refusal.hpp"
#include <algorithm>
#include <fade/tune/attention/tuned.hpp>
#include <fade/tune/conv/tuned.hpp>
#include <fade/tune/gemm/tuned.hpp>
#include <fade/tune/rows/tuned.hpp>
#include <limits>

namespace fade::tools {

namespace {
using json = nlohmann::json;

constexpr std::size_t max_sizes = 32;

/// Does a policy of the operation that the kind begins with read so? Others are whoever's.
bool reads_policy(const std::string& kind, const std::string& policy) {
    if (kind.starts_with("gemm ")) return tune::read_policy<tuned_gemm>(policy).has_value();
    if (kind.starts_with("conv ")) return tune::read_policy<tuned_conv>(policy).has_value();
    if (kind.starts_with("attention ")) return tune::read_policy<tuned_attention>(policy).has_value();
    if (kind.starts_with("rows ")) return tune::read_policy<tuned_rows>(policy).has_value();
    return true;
}

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
using ordered = nlohmann::ordered_json;

}  // namespace

ordered json_of(const tune::tuning_row& r) {
    return {{"kind", r.problem.kind},
            {"sizes", r.problem.sizes},
            {"arch", r.machine.arch},
            {"traits", r.machine.traits},
            {"fingerprint", r.build.fingerprint},
            {"compiler", r.build.compiler},
            {"version", r.build.version},
            {"policy", ordered::parse(r.policy)},
            {"nanoseconds", r.nanoseconds},
            {"noise", r.noise},
            {"date", r.date},
            {"evidence", r.evidence}};
}
std::string text_of(const ordered& line) {
    return line.dump(-1, ' ', false, ordered::error_handler_t::replace);
}

namespace {

std::vector<index> sizes_of(const json& j) {
    // Lines of products had names for their sizes once.
    if (!j.contains("sizes"))
        return {whole(j, "m", 0), whole(j, "n", 0), whole(j, "k", 0), whole(j, "batch", 0)};
    const json& list = j.at("sizes");
    if (!list.is_array() || list.size() > max_sizes)
        throw refusal("sizes is no list of at most " + std::to_string(max_sizes) + " numbers");
    std::vector<index> out;
    for (const json& size : list) out.push_back(whole(json{{"a size", size}}, "a size", 0));
    return out;
}

/// A policy in its one spelling: fields in the order of the line. Where FADE knows the operation, it must
/// know the policy too.
std::string policy_of(const std::string& line, const json& j) {
    ordered policy = ordered::parse(line).at("policy");
    if (!policy.is_object()) throw refusal("policy is no object");
    if (!j.contains("sizes")) {
        const std::int64_t split_k = whole(j, "split_k", 1);
        if (split_k > 4096) throw refusal("split_k is above 4096");
        policy["split_k"] = split_k;
    }
    const std::string out = policy.dump();
    if (!tune::looks_like_policy(out) || !reads_policy(j.at("kind").get<std::string>(), out))
        throw refusal("policy is none of this version of FADE");
    return out;
}
}  // namespace

std::string line_of(const tune::tuning_row& row) { return text_of(json_of(row)); }

tune::tuning_row row_of(const std::string& line, int number) {
    try {
        const json j = json::parse(line);
        return {.problem = {j.at("kind").get<std::string>(), sizes_of(j)},
                .machine = {j.at("arch").get<std::string>(), j.at("traits").get<std::string>()},
                .build = {j.at("fingerprint").get<std::string>(), j.at("compiler").get<std::string>(),
                          j.at("version").get<std::string>()},
                .policy = policy_of(line, j),
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

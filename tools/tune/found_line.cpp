#include "tune/found_line.hpp"
#include "tune/json_lines.hpp"
#include <cstdio>

namespace fade::tools {

std::string line_of(const found_policy& found, const std::string& name) {
    const tuning& search = found.search;
    nlohmann::ordered_json line{{"source", fade::name(found.source)}};
    if (!name.empty()) line["name"] = name;
    if (!search.row.policy.empty())
        line.update(json_of(search.row));
    else if (!search.row.problem.kind.empty())
        line["kind"] = search.row.problem.kind, line["sizes"] = search.row.problem.sizes;
    line["kept"] = search.kept, line["candidates"] = search.candidates, line["why"] = found.why;
    line["sets"] = search.sets;
    if (search.compiled > 0 || !search.refused.empty()) {
        line["compiled"] = search.compiled, line["refused"] = nlohmann::ordered_json::array();
        for (const refused_policy& r : search.refused)
            line["refused"].push_back({{"policy", nlohmann::ordered_json::parse(r.policy)}, {"why", r.why}});
    }
    line["model_nanoseconds"] = search.model_nanoseconds;
    line["times"] = nlohmann::ordered_json::array();
    for (const timed_policy& t : search.times)
        line["times"].push_back({{"policy", nlohmann::ordered_json::parse(t.policy)},
                                 {"nanoseconds", t.nanoseconds},
                                 {"noise", t.noise},
                                 {"calls", t.calls}});
    return text_of(line);
}

std::string sentence_of(const found_policy& found, const std::string& name) {
    const tuning& search = found.search;
    std::string out = name.empty() ? "" : name + ", ";
    out += search.row.problem.kind.empty() ? "a call" : search.row.problem.kind;
    for (const index size : search.row.problem.sizes) out += " " + std::to_string(size);
    out += std::string(": ") + fade::name(found.source);
    char text[96];
    const auto say = [&](const char* form, auto... values) {
        std::snprintf(text, sizeof text, form, values...);
        out += text;
    };
    if (search.row.nanoseconds > 0) say(", %.4g us", search.row.nanoseconds / 1e3);
    if (search.model_nanoseconds > 0) say(", the model's choice %.4g us", search.model_nanoseconds / 1e3);
    if (search.candidates > 0) say(", %d timed", search.candidates);
    if (search.compiled > 0) say(", %d of them compiled", search.compiled);
    if (!search.refused.empty())
        say(", %zu refused, the first since ", search.refused.size()), out += search.refused.front().why;
    return out + (found.why.empty() ? "" : "; " + found.why);
}

}  // namespace fade::tools

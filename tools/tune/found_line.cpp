#include "tune/found_line.hpp"
#include "tune/json_lines.hpp"

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
    line["model_nanoseconds"] = search.model_nanoseconds;
    line["times"] = nlohmann::ordered_json::array();
    for (const timed_policy& t : search.times)
        line["times"].push_back({{"policy", nlohmann::ordered_json::parse(t.policy)},
                                 {"nanoseconds", t.nanoseconds},
                                 {"noise", t.noise},
                                 {"calls", t.calls}});
    return text_of(line);
}

}  // namespace fade::tools

#include "print.hpp"
#include <cstdio>
#include <nlohmann/json.hpp>

namespace fade::bench {
namespace {

using json = nlohmann::ordered_json;

json value_of(const policy_field& f) {
    if (!f.word.empty()) return f.word;
    return f.numbers.size() == 1 ? json(f.numbers[0]) : json(f.numbers);
}

json policy_of(const kernel_choice& c) {
    json out = json::object();
    for (const policy_field& f : c.policy) out[f.name] = value_of(f);
    return out;
}

json report_of(const fade::report& r) {
    return {{"requested", r.requested}, {"chosen", r.chosen}, {"why", r.why},
            {"device", r.device},       {"arch", r.arch},     {"fallback", r.fallback},
            {"evidence", r.evidence}};
}

json side_check_of(const side_check& c) {
    json out{{"rel_err", c.rel_err}, {"bound", c.bound}};
    if (c.wrong_kind) out["nan_or_infinity_misplaced"] = c.wrong_kind;
    return out;
}

json check_of(const check_result& c) {
    json out{{"ok", c.ok()}, {"rel_err", c.rel_err}, {"max_abs_err", c.max_abs_err}, {"bound", c.bound}};
    if (c.rows_checked < c.rows) out.update({{"rows_checked", c.rows_checked}, {"rows", c.rows}});
    if (c.wrong_kind) out["nan_or_infinity_misplaced"] = c.wrong_kind;
    if (c.outside) out["bytes_written_outside"] = c.outside;
    for (const side_check& s : c.beside) out[s.name] = side_check_of(s);
    constexpr std::size_t max = 4;
    if (!c.faults.empty())
        out["faults"] = std::vector(c.faults.begin(), c.faults.begin() + std::min(max, c.faults.size()));
    return out;
}

json launch_of(const launch& l) {
    return {{l.exact ? "symbol" : "symbol_contains", l.symbol},
            {"grid", l.grid},
            {"block", l.block},
            {"dynamic_lds", l.dynamic_lds},
            {"cluster", l.cluster}};
}

/// The launch that computes; where there are others, all follow in a list.
void add_plan(const kernel_choice& c, json& to) {
    if (!c.launches.empty()) to.update(launch_of(c.launches[c.main_launch]));
    to["workspace_bytes"] = c.workspace_bytes;
    if (c.launches.size() != 1) {
        to["launches"] = json::array();
        for (const launch& l : c.launches) to["launches"].push_back(launch_of(l));
    }
}

std::string in_hex(std::uint64_t x) {
    char text[20];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(x));
    return text;
}

void add_run(const answer& a, json& to) {
    to.update({{"ms", a.time->median},
               {"ms_min", a.time->min},
               {"ms_max", a.time->max},
               {"samples", a.time->samples},
               {"clock", a.asked->clock == clock_kind::wall ? "wall" : "processor"},
               {"warm_cache", a.asked->warm_cache || !a.device.measures()},
               {"tflops", a.tflops()},
               {"checksum", in_hex(a.checksum)},
               {"seed", a.asked->seed}});
    if (a.bytes > 0) to["gbps"] = a.gbps();
    if (a.asked->spoilt) to["spoil"] = a.asked->spoilt->given;
    if (a.check) to["check"] = check_of(*a.check);
    if (a.peer)
        to["vs"] = {{"name", a.peer->name},       {"ms", a.peer->time.median},
                    {"ms_min", a.peer->time.min}, {"ms_max", a.peer->time.max},
                    {"ratio", a.peer->ratio},     {"difference", a.peer->difference}};
}

}  // namespace

std::string as_json(const answer& a, const json& problem) {
    json out{{"op", a.op},
             {"device", a.device.name},
             {"arch", a.choice.report.arch},
             {"dtype", a.asked->in->name},
             {"out_dtype", a.asked->out->name}};
    out.update({{"problem", problem}, {"kernel", a.choice.kernel}, {"policy", policy_of(a.choice)}});
    a.time ? add_run(a, out) : add_plan(a.choice, out);
    out["report"] = report_of(a.choice.report);
    return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace fade::bench

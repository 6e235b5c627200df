#include <nlohmann/json.hpp>
#include "answer.hpp"

namespace fade::bench {
namespace {

using json = nlohmann::ordered_json;

json problem_of(const gemm_request& r) {
    json out;
    if (r.grouped) {
        out["grouped"] = *r.grouped;
        for (const gemm_sizes& s : r.sizes) out["sizes"].push_back({s.m, s.n, s.k});
    } else {
        const gemm_problem p = r.problems()[0];
        out = {{"m", p.m}, {"n", p.n}, {"k", p.k}, {"batch", p.batch}, {"lda", p.lda}, {"ldb", p.ldb}, {"ldc", p.ldc}};
    }
    out.update({{"layout", name(r.layout)}, {"alpha", r.alpha}, {"beta", r.beta}, {"epilogue", name(r.epilogue)}});
    out["split_k"] = r.split_k ? json(r.split_k) : json("auto");
    if (r.strict) out["strict"] = true;
    return out;
}

json value_of(const policy_field& f) {
    if (!f.word.empty()) return f.word;
    return f.numbers.size() == 1 ? json(f.numbers[0]) : json(f.numbers);
}

json policy_of(const gemm_choice& c) {
    json out = json::object();
    for (const policy_field& f : c.policy) out[f.name] = value_of(f);
    return out;
}

json report_of(const fade::report& r) {
    return {{"requested", r.requested}, {"chosen", r.chosen}, {"why", r.why}, {"device", r.device}, {"arch", r.arch}, {"fallback", r.fallback}, {"evidence", r.evidence}};
}

json check_of(const check_result& c) {
    json out{{"ok", c.ok()}, {"rel_err", c.rel_err}, {"max_abs_err", c.max_abs_err}, {"bound", c.bound}};
    if (c.rows_checked < c.rows) out.update({{"rows_checked", c.rows_checked}, {"rows", c.rows}});
    if (c.wrong_kind) out["nan_or_infinity_misplaced"] = c.wrong_kind;
    if (c.outside) out["bytes_written_outside"] = c.outside;
    constexpr std::size_t most = 4;
    if (!c.faults.empty()) out["faults"] = std::vector(c.faults.begin(), c.faults.begin() + std::min(most, c.faults.size()));
    return out;
}

json launch_of(const launch& l) {
    return {{l.exact ? "symbol" : "symbol_contains", l.symbol}, {"grid", l.grid}, {"block", l.block}, {"dynamic_lds", l.dynamic_lds}};
}

/// The first launch is the product itself; others, where there are any, follow in a list.
void add_plan(const gemm_choice& c, json& to) {
    if (!c.launches.empty()) to.update(launch_of(c.launches[0]));
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

void add_run(const gemm_answer& a, json& to) {
    to.update({{"ms", *a.ms}, {"tflops", a.tflops()}, {"checksum", in_hex(a.checksum)}, {"seed", a.request->seed}});
    if (a.check) to["check"] = check_of(*a.check);
    if (a.peer) to["vs"] = {{"name", a.peer->name}, {"ms", a.peer->ms}, {"ratio", a.peer->ratio}, {"difference", a.peer->difference}};
}

}  // namespace

std::string as_json(const gemm_answer& a) {
    json out{{"op", "gemm"}, {"device", a.device.name}, {"arch", a.choice.report.arch}, {"dtype", a.request->in->name}, {"out_dtype", a.request->out->name}};
    out.update({{"problem", problem_of(*a.request)}, {"kernel", a.choice.kernel}, {"policy", policy_of(a.choice)}});
    a.ms ? add_run(a, out) : add_plan(a.choice, out);
    out["report"] = report_of(a.choice.report);
    return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace fade::bench

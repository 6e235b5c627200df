#include "tune/model.hpp"
#include "common/output.hpp"
#include "common/refusal.hpp"
#include <cmath>
#include <fade/arch/arch_list.hpp>
#include <fade/tune/gemm/policies.hpp>
#include <fade/tune/gemm/rank.hpp>
#include <functional>
#include <nlohmann/json.hpp>

namespace fade::tools {

namespace {
using ordered = nlohmann::ordered_json;
using ranking = std::function<std::vector<tune::ranked_gemm>(const gemm_problem&)>;

template <class Arch>
ranking ranking_on(const model_options& o) {
    const auto of = [&]<class In>(In) -> ranking {
        if constexpr (arch::has_atom<Arch, In>)
            return [units = o.compute_units](const gemm_problem& p) {
                return tune::rank_gemm<Arch, In>(p, units);
            };
        else
            return {};
    };
    if (o.dtype == "f16") return of(f16{});
    if (o.dtype == "bf16") return of(bf16{});
    if (o.dtype == "f32") return of(float{});
    throw refusal("--dtype is " + tools::quoted(o.dtype) + ": the model has f16, bf16 and f32.");
}

ranking ranking_of(const model_options& o) {
    ranking out;
    const bool known =
        arch::with_arch(arch::amd{}, o.arch, [&](auto a) { out = ranking_on<decltype(a)>(o); });
    if (!known)
        throw refusal("--model is " + tools::quoted(o.arch) +
                      ", which is no AMD architecture that FADE has.");
    if (!out) throw refusal(o.arch + " multiplies no " + o.dtype + ".");
    return out;
}

void rank(ordered& line, const gemm_problem& p, const ranking& ranks) {
    line["sizes"] = {p.m, p.n, p.k, p.batch};
    line["why"] = "modelled from figures of machine code that was read; no machine was timed";
    line["ranking"] = ordered::array();
    for (const tune::ranked_gemm& r : ranks(p)) {
        ordered one{{"policy", ordered::parse(tune::policy_json(r.choice))}};
        one["relative_time"] = std::isfinite(r.relative) ? ordered(r.relative) : ordered(nullptr);
        one["evidence"] = r.evidence;
        line["ranking"].push_back(one);
    }
}

/// For people: the policy that comes first.
std::string sentence_of(const ordered& line) {
    std::string out = line.value("name", "");
    if (!out.empty()) out += ", ";
    if (!line.contains("ranking")) return out + "a call: " + line["why"].get<std::string>();
    for (const auto& size : line["sizes"]) out += size.dump() + " ";
    out += "on " + line["arch"].get<std::string>() + ": ";
    if (line["ranking"].empty()) return out + "no policy";
    const auto& first = line["ranking"][0];
    return out + first["policy"].dump() + ", " + first["evidence"].get<std::string>();
}
}  // namespace

void model_list(const std::vector<listed_call>& list, const model_options& options) {
    const ranking ranks = ranking_of(options);
    for (const listed_call& one : list) {
        ordered line{{"source", "model"}, {"arch", options.arch}, {"dtype", options.dtype}};
        if (!one.name.empty()) line["name"] = one.name;
        if (const auto* p = std::get_if<gemm_problem>(&one.call))
            rank(line, *p, ranks);
        else
            line["why"] = "the static model ranks products alone";
        const auto replace = ordered::error_handler_t::replace;
        write_output((options.json ? line.dump(-1, ' ', false, replace) : sentence_of(line)) + "\n");
    }
}

}  // namespace fade::tools

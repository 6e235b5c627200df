#include "tune/model.hpp"
#include "common/output.hpp"
#include "common/refusal.hpp"
#include <cmath>
#include <fade/arch/arch_list.hpp>
#include <fade/norm.hpp>
#include <fade/softmax.hpp>
#include <fade/tune/attention/rank.hpp>
#include <fade/tune/conv/rank.hpp>
#include <fade/tune/gemm/policies.hpp>
#include <fade/tune/gemm/rank.hpp>
#include <fade/tune/rows/rank.hpp>
#include <functional>
#include <nlohmann/json.hpp>

namespace fade::tools {

namespace {
using ordered = nlohmann::ordered_json;

/// What the model says of a call: a list, of JSON.
using ranking = std::function<ordered(const work&)>;

template <class Choice>
ordered list_of(const std::vector<tune::ranked<Choice>>& all) {
    ordered out = ordered::array();
    for (const tune::ranked<Choice>& r : all) {
        ordered one{{"policy", ordered::parse(tune::policy_json(r.choice))}};
        one["relative_time"] = std::isfinite(r.relative) ? ordered(r.relative) : ordered(nullptr);
        one["evidence"] = r.evidence;
        out.push_back(one);
    }
    return out;
}

template <class Arch, class In>
struct ranks {
    int units;
    ordered operator()(const gemm_problem& p) const { return list_of(tune::rank_gemm<Arch, In>(p, units)); }
    ordered operator()(const conv_work& w) const {
        return list_of(tune::rank_conv<Arch, In>(w.pass, w.problem, units));
    }
    ordered operator()(const attention_problem& p) const {
        return list_of(tune::rank_attention<Arch, In>(p, units));
    }
    ordered operator()(const rows_work& w) const {
        switch (w.what) {
        case row_operator::rms_norm:
            return list_of(
                tune::rank_rows<Arch, kernel::rms_norm_rows<In, In, In>>(w.rows, w.columns, units));
        case row_operator::layer_norm:
            return list_of(
                tune::rank_rows<Arch, kernel::layer_norm_rows<In, In, In>>(w.rows, w.columns, units));
        default:
            return list_of(
                tune::rank_rows<Arch, kernel::softmax_rows<In, In, false>>(w.rows, w.columns, units));
        }
    }
};

template <class Arch>
ranking ranking_on(const model_options& o) {
    const auto of = [&]<class In>(In) -> ranking {
        if constexpr (arch::has_atom<Arch, In>)
            return [one = ranks<Arch, In>{o.compute_units}](const work& w) { return std::visit(one, w); };
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

std::vector<fade::index> sizes_of(const gemm_problem& p) { return {p.m, p.n, p.k, p.batch}; }
std::vector<fade::index> sizes_of(const conv_work& w) {
    const conv_problem& p = w.problem;
    return {p.batch, p.channels, p.filters, p.input.d, p.input.h, p.input.w};
}
std::vector<fade::index> sizes_of(const attention_problem& p) {
    return {p.batch, p.heads, p.kv_heads, p.seq_q, p.seq_k, p.head_dim, p.head_dim_v};
}

std::vector<fade::index> sizes_of(const rows_work& w) { return {w.rows, w.columns}; }

std::string operation_of(const work& w) {
    constexpr const char* operations[] = {"gemm", "conv", "attention"};
    const auto* const rows = std::get_if<rows_work>(&w);
    return rows ? rows->name() : operations[w.index()];
}

/// For people: the policy that comes first.
std::string sentence_of(const ordered& line) {
    std::string out = line.value("name", "");
    if (!out.empty()) out += ", ";
    out += line["op"].get<std::string>() + " ";
    for (const auto& size : line["sizes"]) out += size.dump() + " ";
    out += "on " + line["arch"].get<std::string>() + ": ";
    if (line["ranking"].empty()) return out + line["why"].get<std::string>();
    const auto& first = line["ranking"][0];
    return out + first["policy"].dump() + ", " + first["evidence"].get<std::string>();
}
}  // namespace

void model_list(const std::vector<listed_call>& list, const model_options& options) {
    const ranking ranked = ranking_of(options);
    for (const listed_call& one : list) {
        ordered line{{"source", "model"}, {"arch", options.arch}, {"dtype", options.dtype}};
        if (!one.name.empty()) line["name"] = one.name;
        line["op"] = operation_of(one.call);
        line["sizes"] = std::visit([](const auto& call) { return sizes_of(call); }, one.call);
        line["why"] = "modelled from figures of machine code that was read; no machine was timed";
        line["ranking"] = ordered::array();
        try {
            line["ranking"] = ranked(one.call);
        } catch (const error& e) {
            line["why"] = e.what();
        }
        const auto replace = ordered::error_handler_t::replace;
        write_output((options.json ? line.dump(-1, ' ', false, replace) : sentence_of(line)) + "\n");
    }
}

}  // namespace fade::tools

// Random attentions, captured as launches on an architecture would be.
#pragma once
#include <fade/attention.hpp>
#include "capture.hpp"
#include "common/attention_reference.hpp"

namespace fade::replay {

template <class V>
void keep(capture& to, const std::string& name, const V& values, const std::string& role) {
    to.memory(name, values.data(), values.size() * sizeof(values[0]), role);
}

/// Outputs in f64; NaN where the output's poison must stay.
template <class T>
std::vector<double> expected_outputs(const test::attention_data<T>& x) {
    const attention_problem& p = x.problem;
    std::vector<double> out(x.o.size(), std::nan(""));
    for (index b = 0; b < p.batch; ++b)
        for (index h = 0; h < p.heads; ++h)
            for (index i = 0; i < x.queries(b); ++i) {
                const auto weights = test::reference_weights(x, b, h, i).weights;
                for (index d = 0; d < p.head_dim; ++d) {
                    double& sum = out[std::size_t(x.query_at(b, i, h) + d)] = 0;
                    for (index j = 0; j < x.keys(b); ++j) sum += weights[std::size_t(j)] * test::value_of(x.v[std::size_t(x.key_at(b, j, h * p.kv_heads / p.heads) + d)]);
                }
            }
    return out;
}

/// Captures what attention() would launch on `target`.
template <class T>
void capture_attention(const hip_target& target, const fs::path& folder, const test::attention_case& c) {
    test::attention_data<T> x(c);
    std::vector<std::byte> workspace(plan_attention<T>(target, x.problem, x.operands()).workspace_bytes, std::byte{0xff});
    const auto plan = plan_attention<T>(target, x.problem, x.operands(), {.workspace = workspace.data(), .workspace_bytes = workspace.size()});
    capture out(folder);
    keep(out, "q", x.q, "in"), keep(out, "k", x.k, "in"), keep(out, "v", x.v, "in"), keep(out, "o", x.o, "inout"), keep(out, "lse", x.lse, "inout");
    keep(out, "alibi", x.slopes, "in"), keep(out, "sink", x.sinks, "in"), keep(out, "lengths_q", x.begin_q, "in"), keep(out, "lengths_k", x.begin_k, "in");
    keep(out, "workspace", workspace, "scratch");
    for (const auto& launch : plan.launches) out.launch(target.row(), launch);
    out.expect("o", name(dtype_v<T>), expected_outputs(x), 2 * test::power_of_two(-1 - test::format_of<T>.mantissa));
    out.close();
    std::ofstream(folder / "case.txt") << c << '\n';
}

}  // namespace fade::replay

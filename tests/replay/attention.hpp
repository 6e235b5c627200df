// Random attentions, captured as launches on an architecture would be.
#pragma once
#include "capture.hpp"
#include "common/attention_reference.hpp"
#include "launched.hpp"
#include <fade/attention.hpp>

namespace fade::replay {

/// Results in f64; NaN where the poison of before must stay.
struct expected_results {
    std::vector<double> o, lse;
};

template <class T, class Out>
void expect_query(const test::attention_data<T, Out>& x, index b, index h, index i, expected_results& to) {
    const attention_problem& p = x.problem;
    const index kv_head = h * p.kv_heads / p.heads;
    const test::reference_query r = test::reference_weights(x, b, h, i);
    to.lse[std::size_t((b * p.heads + h) * p.seq_q + i)] = r.lse;
    for (index d = 0; d < p.head_dim_v; ++d) {
        double& sum = to.o[std::size_t(x.output_at(b, i, h) + d)] = 0;
        for (index j = 0; j < x.keys(b); ++j)
            sum += r.weights[std::size_t(j)] * x.scale_at(x.scales_v, kv_head) *
                   test::value_of(x.v[std::size_t(x.value_at(b, j, kv_head) + d)]);
    }
}

template <class T, class Out>
expected_results expected(const test::attention_data<T, Out>& x) {
    expected_results out{std::vector<double>(x.o.size(), std::nan("")),
                         std::vector<double>(x.lse.size(), std::nan(""))};
    for (index b = 0; b < x.problem.batch; ++b)
        for (index h = 0; h < x.problem.heads; ++h)
            for (index i = 0; i < x.queries(b); ++i) expect_query(x, b, h, i, out);
    return out;
}

/// All that a launch may read or write.
template <class T, class Out>
void keep(capture& out, const test::attention_data<T, Out>& x) {
    keep(out, "q", x.q, "in"), keep(out, "k", x.k, "in"), keep(out, "v", x.v, "in"),
        keep(out, "o", x.o, "inout"), keep(out, "lse", x.lse, "inout");
    keep(out, "alibi", x.slopes, "in"), keep(out, "sink", x.sinks, "in"), keep(out, "bias", x.bias, "in"),
        keep(out, "table", x.table, "in"), keep(out, "lengths_q", x.begin_q, "in"),
        keep(out, "lengths_k", x.begin_k, "in"), keep(out, "counts_q", x.counts_q, "in"),
        keep(out, "counts_k", x.counts_k, "in");
    keep(out, "scales_q", x.scales_q, "in"), keep(out, "scales_k", x.scales_k, "in"),
        keep(out, "scales_v", x.scales_v, "in");
}

/// Captures what attention() would launch on `target`.
template <class T, class Out = T>
void capture_attention(capture_target target, const fs::path& folder, const test::attention_case& c,
                       int splits = 0) {
    test::attention_data<T, Out> x(c);
    attention_options options{.split_kv = splits};
    std::vector<std::byte> workspace(
        plan_attention<T, Out>(target, x.problem, x.operands(), options).workspace_bytes, std::byte{0xff});
    options.workspace = workspace.data(), options.workspace_bytes = workspace.size();
    capture out(folder);
    keep(out, x), keep(out, "workspace", workspace, "scratch");
    for (const auto& launch : plan_attention<T, Out>(target, x.problem, x.operands(), options).launches)
        out.launch(target.row(), launch);
    const expected_results want = expected(x);
    out.expect("o", name(dtype_v<Out>), want.o, 2 * test::power_of_two(-1 - test::format_of<Out>.mantissa));
    out.expect("lse", "f32", want.lse, 1e-5);
    out.close();
    std::ofstream(folder / "case.txt") << c << '\n';
}

}  // namespace fade::replay

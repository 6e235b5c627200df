#include "tune/workload.hpp"
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <fade/core/dtype_names.hpp>

namespace fade::tools {

namespace {

double elements(const gemm_problem& p) {
    const double m = double(p.m), n = double(p.n), k = double(p.k);
    return (m * k + k * n + m * n) * double(p.batch);
}
double elements(const conv_work& w) {
    const conv_problem& p = w.problem;
    const auto volume = [](const spatial& s) { return double(s.d) * s.h * s.w; };
    return double(p.batch) * (volume(p.input) * p.channels + volume(p.output()) * p.filters) +
           volume(p.filter) * p.channels * p.filters / std::max(p.groups, 1);
}
double elements(const attention_problem& p) {
    return double(p.batch) * 2 * double(p.head_dim) *
           (double(p.seq_q) * double(p.heads) + double(p.seq_k) * double(p.kv_heads));
}
double elements(const rows_work& w) { return 2 * (double(w.rows) + 1) * double(w.columns); }

std::optional<work> product_of(const tuning_problem& p, const std::string& types) {
    using enum gemm_layout;
    if (p.sizes.size() != 4) return std::nullopt;
    constexpr std::string_view option = ", split_k ";
    const std::size_t at = p.kind.rfind(option);
    int split_k = -1;
    if (at == std::string::npos) return std::nullopt;
    const char* const end = p.kind.data() + p.kind.size();
    const auto read = std::from_chars(p.kind.data() + at + option.size(), end, split_k);
    if (read.ptr != end || split_k < 0 || split_k > 4096) return std::nullopt;
    for (auto layout : {nn, nt, tn, tt})
        if (p.kind.starts_with("gemm " + std::string(name(layout)) + types + ", "))
            return product_work{
                {.m = p.sizes[0], .n = p.sizes[1], .k = p.sizes[2], .layout = layout, .batch = p.sizes[3]},
                split_k};
    return std::nullopt;
}

/// Sizes that fit a convolution's.
bool are_small(const std::vector<fade::index>& sizes) {
    return std::ranges::all_of(sizes, [](fade::index s) { return s >= 0 && s < fade::index(1) << 30; });
}

std::optional<work> convolution_of(const tuning_problem& p, const std::string& types) {
    using enum conv_pass;
    if (p.sizes.size() != 6 || !are_small(p.sizes)) return std::nullopt;
    for (auto pass : {forward, backward_data, backward_weights}) {
        const std::string begin = std::string("conv ") + name(pass) + types;
        if (!p.kind.starts_with(begin + ",")) continue;
        conv_problem c{.batch = p.sizes[0], .channels = int(p.sizes[1]), .filters = int(p.sizes[2])};
        c.input = {.d = int(p.sizes[3]), .h = int(p.sizes[4]), .w = int(p.sizes[5])};
        const char* rest = p.kind.c_str() + begin.size();
        if (p.kind.find(", channels first") == begin.size())
            c.layout = conv_layout::channels_first, rest += sizeof(", channels first") - 1;
        spatial &f = c.filter, &s = c.stride, &d = c.dilation;
        margins &b = c.pad, &e = c.pad_end;
        const int read =
            std::sscanf(rest,
                        ", filter %9dx%9dx%9d, stride %9dx%9dx%9d, dilation %9dx%9dx%9d, pad %9dx%9dx%9d, "
                        "pad_end %9dx%9dx%9d, groups %9d",
                        &f.d, &f.h, &f.w, &s.d, &s.h, &s.w, &d.d, &d.h, &d.w, &b.d, &b.h, &b.w, &e.d, &e.h,
                        &e.w, &c.groups);
        if (read == 16) return conv_work{pass, c};
    }
    return std::nullopt;
}

std::optional<work> attention_of(const tuning_problem& p, const std::string& types) {
    using enum causal_kind;
    if (p.sizes.size() != 7) return std::nullopt;
    attention_problem a{.batch = p.sizes[0],
                        .heads = p.sizes[1],
                        .kv_heads = p.sizes[2],
                        .seq_q = p.sizes[3],
                        .seq_k = p.sizes[4],
                        .head_dim = p.sizes[5],
                        .head_dim_v = p.sizes[6]};
    for (auto causal : {none, bottom_right, top_left}) {
        const std::string begin =
            "attention" + types + (causal == none ? "" : std::string(", causal ") + name(causal));
        a.causal = causal;
        if (p.kind == begin + ", split_kv 0") return a;
        if (p.kind != begin + ", heads packed, split_kv 0") continue;
        a.heads = a.kv_heads * std::min(a.seq_q, fade::index(1) << 20), a.seq_q = 1;
        return a;
    }
    return std::nullopt;
}

std::optional<work> rows_of(const tuning_problem& p, int bytes) {
    if (p.sizes.size() != 2 || p.sizes[0] < 1 || p.sizes[1] < 1) return std::nullopt;
    for (const row_operator what : row_operators)
        if (p.kind.starts_with("rows " + std::string(name(what)) + ", ") &&
            p.kind.find(" tensors of " + std::to_string(bytes) + " bytes") != std::string::npos)
            return rows_work{what, p.sizes[0], p.sizes[1]};
    return std::nullopt;
}

}  // namespace

double elements_of(const work& w) {
    return std::visit([](const auto& one) { return elements(one); }, w);
}

std::optional<work> work_of(const tuning_problem& p, const std::string& dtype) {
    const std::string types = " " + dtype + " to " + dtype;
    if (auto found = product_of(p, types)) return found;
    if (auto found = convolution_of(p, types)) return found;
    if (auto found = attention_of(p, types)) return found;
    return rows_of(p, dtype == "f32" ? 4 : 2);
}

}  // namespace fade::tools

// The whole path through HIP on whatever device the runtime has: memory, copies, launches, results. Exit 1 where one is wrong.
#include <cstdio>
#include <fade/attention.hpp>
#include "common/attention_reference.hpp"
#include "common/gemm_check.hpp"
#include "on_device.hpp"

using namespace fade;
using replay::on_device;

namespace {

test::gemm_case sized(fade::index m, fade::index n, fade::index k, bool aligned, std::uint64_t seed) {
    test::gemm_case c;
    c.problem = {.m = m, .n = n, .k = k, .layout = gemm_layout::nt, .alpha = 2, .beta = 0.5};
    test::lay_out(c.problem, aligned ? 8 : 3, 0);
    c.seed = seed;
    return c;
}

/// Runs a case; `make` composes its epilogue from where the stages' memory lies on the device.
template <class T, class Make>
std::string wrong_with(hip_device& device, const test::gemm_case& c, Make make) {
    constexpr auto kernels = only(gemm_reading::nt, gemm_reading::strided);
    test::gemm_data<T, T> data(c);
    const auto reference = test::expected(data);
    data.poison_output();
    const on_device<T> a(device, data.a), b(device, data.b), from(device, data.c), d(device, data.d), source(device, *data.sources.at(0));
    const gemm_operands<T> operands{.a = a.data(), .b = b.data(), .c = from.data(), .d = d.data()};
    const report said = gemm<T, T, kernels>(device, c.problem, operands, make(source.data(), data), {.split_k = c.split_k});
    d.read(data.d);
    device.synchronize();
    std::printf("  %s on %s: %s\n", said.requested.c_str(), said.device.c_str(), said.chosen.c_str());
    if (data.d.disturbed()) return "elements between the rows of D were written";
    return test::difference(data.d, reference);
}

template <class T>
std::string wrong_with(hip_device& device, const test::attention_case& c) {
    test::attention_data<T> x(c);
    const on_device<T> q(device, x.q), k(device, x.k), v(device, x.v), o(device, x.o);
    const on_device<float> lse(device, x.lse), alibi(device, x.slopes), sink(device, x.sinks);
    const on_device<int> table(device, x.table);
    const report said = attention<T>(device, x.problem, {.q = q.data(), .k = k.data(), .v = v.data(), .o = o.data(), .lse = lse.data(), .alibi = alibi.data(), .sink = sink.data(), .block_table = table.data()});
    o.read(x.o), lse.read(x.lse);
    device.synchronize();
    std::printf("  %s on %s: %s\n", said.requested.c_str(), said.device.c_str(), said.chosen.c_str());
    return test::wrong_with(x);
}

int failures = 0;
void check(const char* what, const std::string& wrong) {
    if (wrong.empty()) return;
    std::printf("FAILED %s: %s\n", what, wrong.c_str());
    ++failures;
}

void run(std::uint64_t seed) {
    hipStream_t stream{};
    backend::hip::check(hipStreamCreate(&stream), "hipStreamCreate");
    hip_device device(0, stream);
    const auto gelus = [](const auto* values, const auto&) { return bias(values) | gelu(); };
    const auto adds = [](const auto* values, const auto& data) { return residual(values, data.sources[0]->place().ld); };
    auto c = sized(72, 88, 104, true, seed);
    c.stages = {{stage_kind::bias}, {stage_kind::gelu}};
    check("f16 with bias and gelu", wrong_with<f16>(device, c, gelus));
    c.split_k = 2;
    check("f16 with shared k", wrong_with<f16>(device, c, gelus));
    c = sized(37, 29, 41, false, seed + 1);
    c.stages = {{stage_kind::residual}};
    check("f32, unaligned, with residual", wrong_with<float>(device, c, adds));
    test::attention_case attended{.problem = {.heads = 2, .kv_heads = 1, .seq_q = 50, .seq_k = 90, .head_dim = 64, .causal = causal_kind::bottom_right}, .seed = seed + 2};
    check("causal attention", wrong_with<f16>(device, attended));
    attended.problem.page_size = 7, attended.problem.window_left = 30, attended.sink = true;
    check("attention over pages, with a window and a sink", wrong_with<f16>(device, attended));
    backend::hip::check(hipStreamDestroy(stream), "hipStreamDestroy");
}

}  // namespace

int main(int, char** words) {
    try {
        run(words[1] ? std::strtoull(words[1], nullptr, 10) : 1);
    } catch (const std::exception& e) { check("the device", e.what()); }
    return failures != 0;
}

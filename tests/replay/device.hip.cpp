// The whole path through HIP on whatever device the runtime has: memory, copies, launches, results. Exit 1
// where one is wrong.
#include "common/append_reference.hpp"
#include "common/attention_reference.hpp"
#include "common/gemm_check.hpp"
#include "common/quantize_case.hpp"
#include "held_device.hpp"
#include "on_device.hpp"
#include <cstdio>
#include <fade/attention.hpp>
#include <fade/kv_cache.hpp>
#include <fade/quantize.hpp>

using namespace fade;
using replay::on_device;

namespace {

/// Products here are small, of f16 with rows along k and of f32 with rows anywhere.
template <class Entry>
constexpr bool launched = true;
template <class In, class Out, operand_access Access, tune::size_class Size, class Epilogue>
constexpr bool launched<tune::gemm_entry<In, Out, Access, Size, Epilogue>> =
    Size == tune::size_class::small &&
    Access == (std::is_same_v<In, f16> ? operand_access::nt : operand_access::strided);

/// Heads have 64 dimensions.
template <class In, class Out, int HeadClass, tune::attention_variant Variant, class Rule>
constexpr bool launched<tune::attention_entry<In, Out, HeadClass, Variant, Rule>> = HeadClass == 64;

struct held {
    template <class Entry>
    static constexpr bool has = launched<Entry>;
};
using device_here = replay::held_device<held>;

void print(const report& said) {
    std::printf("  %s on %s: %s\n", said.requested.c_str(), said.device.c_str(), said.chosen.c_str());
}

test::gemm_case sized(fade::index m, fade::index n, fade::index k, bool aligned, std::uint64_t seed) {
    test::gemm_case c;
    c.problem = {.m = m, .n = n, .k = k, .layout = gemm_layout::nt, .alpha = 2, .beta = 0.5};
    test::lay_out(c.problem, aligned ? 8 : 3, 0);
    c.seed = seed;
    return c;
}

/// Runs a case; `make` composes its epilogue from where the stages' memory lies on the device.
template <class T, class Make>
std::string wrong_with(device_here& device, const test::gemm_case& c, Make make) {
    constexpr auto kernels = only(operand_access::nt, operand_access::strided);
    test::gemm_data<T, T> data(c);
    const auto reference = test::expected(data);
    data.poison_output();
    const on_device<T> a(device, data.a), b(device, data.b), from(device, data.c), d(device, data.d),
        source(device, *data.sources.at(0));
    const gemm_operands<T> operands{.a = a.data(), .b = b.data(), .c = from.data(), .d = d.data()};
    const report said =
        gemm<T, T, kernels>(device, c.problem, operands, make(source.data(), data), {.split_k = c.split_k});
    d.read(data.d);
    device.synchronize();
    print(said);
    if (data.d.disturbed()) return "elements between the rows of D were written";
    return test::difference(data.d, reference);
}

template <class T>
std::string wrong_with(device_here& device, const test::attention_case& c) {
    test::attention_data<T> x(c);
    const on_device<T> q(device, x.q), k(device, x.k), v(device, x.v), o(device, x.o);
    const on_device<float> lse(device, x.lse), alibi(device, x.slopes), sink(device, x.sinks);
    const on_device<int> table(device, x.table);
    const report said = attention<T>(device, x.problem,
                                     {.q = q.data(),
                                      .k = k.data(),
                                      .v = v.data(),
                                      .o = o.data(),
                                      .lse = lse.data(),
                                      .alibi = alibi.data(),
                                      .sink = sink.data(),
                                      .block_table = table.data()});
    o.read(x.o), lse.read(x.lse);
    device.synchronize();
    print(said);
    return test::wrong_with(x);
}

template <class T>
std::string wrong_with(device_here& device, const test::append_case& c) {
    test::append_data<T> x(c);
    const test::append_reference<T, T> want(x);
    const on_device<T> fresh(device, x.fresh), cache(device, x.cache), rotated(device, x.rotated);
    const on_device<float> angles(device, x.angles);
    const on_device<int> held(device, x.held), begins(device, x.begins), table(device, x.table);
    T* const q_out = x.rotated.empty() ? fresh.data() + x.q_out.at : rotated.data();
    const report said = append_kv<T>(device, x.problem,
                                     {.new_k = fresh.data() + x.new_k.at,
                                      .new_v = fresh.data() + x.new_v.at,
                                      .k = cache.data() + x.k.at,
                                      .v = cache.data() + x.v.at,
                                      .q = fresh.data() + x.q.at,
                                      .q_out = q_out,
                                      .cos = angles.data(),
                                      .sin = angles.data() + x.angle_at(0, 0, true),
                                      .cache_lengths = held.data(),
                                      .new_lengths = begins.data(),
                                      .block_table = table.data()});
    fresh.read(x.fresh), cache.read(x.cache), rotated.read(x.rotated);
    device.synchronize();
    print(said);
    return want.wrong_with(x);
}

template <class Out, class In>
std::string wrong_with(device_here& device, const test::quantize_case& c) {
    test::quantize_data<Out, In> d(c);
    const on_device<In> x(device, d.x);
    const on_device<Out> out(device, d.out);
    const on_device<float> scales(device, d.scales);
    const report said =
        quantize<Out, In>(device, d.problem, {.x = x.data(), .out = out.data(), .scales = scales.data()});
    out.read(d.out), scales.read(d.scales);
    device.synchronize();
    print(said);
    return test::wrong_with(d);
}

int failures = 0;
void check(const char* what, const std::string& wrong) {
    if (wrong.empty()) return;
    std::printf("FAILED %s: %s\n", what, wrong.c_str());
    ++failures;
}

void fill_caches(device_here& device, std::uint64_t seed) {
    test::append_case appended{.problem = {.batch = 2,
                                           .heads = 3,
                                           .kv_heads = 2,
                                           .new_positions = 9,
                                           .capacity = 40,
                                           .head_dim = 32,
                                           .rotary_dim = 24},
                               .lie = test::arrangement::fused,
                               .held = {3, 20},
                               .fresh = {9, 4},
                               .seed = seed};
    check("an append of packed tokens whose queries turn where they lie", wrong_with<f16>(device, appended));
    appended.problem.style = rotary_style::interleaved, appended.problem.page_size = 16,
    appended.lie = test::arrangement::gaps, appended.fresh = {};
    check("an append to pages", wrong_with<f16>(device, appended));
    check("a quantisation",
          wrong_with<f8e4m3, f16>(
              device,
              test::quantize_case{
                  .problem = {.batch = 2, .positions = 70, .heads = 3, .head_dim = 40, .per_head = true},
                  .specials = true,
                  .spread = 3,
                  .seed = seed + 1}));
}

void run(std::uint64_t seed) {
    hipStream_t stream{};
    backend::hip::check(hipStreamCreate(&stream), "hipStreamCreate");
    device_here device(0, stream);
    const auto gelus = [](const auto* values, const auto&) { return bias(values) | gelu(); };
    const auto adds = [](const auto* values, const auto& data) {
        return residual(values, data.sources[0]->place().ld);
    };
    auto c = sized(72, 88, 104, true, seed);
    c.stages = {{stage_kind::bias}, {stage_kind::gelu}};
    check("f16 with bias and gelu", wrong_with<f16>(device, c, gelus));
    c.split_k = 2;
    check("f16 with shared k", wrong_with<f16>(device, c, gelus));
    c = sized(37, 29, 41, false, seed + 1);
    c.stages = {{stage_kind::residual}};
    check("f32, unaligned, with residual", wrong_with<float>(device, c, adds));
    test::attention_case attended{.problem = {.heads = 2,
                                              .kv_heads = 1,
                                              .seq_q = 50,
                                              .seq_k = 90,
                                              .head_dim = 64,
                                              .causal = causal_kind::bottom_right},
                                  .seed = seed + 2};
    check("causal attention", wrong_with<f16>(device, attended));
    test::attention_case far{
        .problem = {.heads = 2, .kv_heads = 1, .seq_q = 40, .seq_k = 520, .head_dim = 64},
        .seed = seed + 7};  // tiles enough for scores ahead
    check("attention to many keys", wrong_with<f16>(device, far));
    far.problem.scale = 1;
    check("attention whose maxima grow late", wrong_with<f16>(device, far));
    attended.problem.page_size = 7, attended.problem.window_left = 30, attended.sink = true;
    check("attention over pages, with a window and a sink", wrong_with<f16>(device, attended));
    fill_caches(device, seed + 3);
    backend::hip::check(hipStreamDestroy(stream), "hipStreamDestroy");
}

}  // namespace

int main(int, char** words) {
    try {
        run(words[1] ? std::strtoull(words[1], nullptr, 10) : 1);
    } catch (const std::exception& e) {
        check("the device", e.what());
    }
    return failures != 0;
}

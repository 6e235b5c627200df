// Products by tables of pointers, with scales of 128 k and with quantised weights through fade.h are the C++
// calls, bit for bit, and what fade.h alone refuses of them.
#include "beside.hpp"
#include <algorithm>
#include <fade/batched_gemm.hpp>
#include <fade/scaled_gemm.hpp>
#include <fade/weight_gemm.hpp>
#include <string>

using namespace fade::test;

TEST_CASE("scaled_gemm") {
    using fade::bf16, fade::f8e4m3;
    opened on;
    for (int i = 0; i < 6; ++i) {
        CAPTURE(i);
        fade::scaled_gemm_problem p{
            .m = drawn(1, 40), .n = drawn(1, 150), .k = drawn(0, 300), .layout = fade::gemm_layout(i % 4)};
        const fade::index parts = (p.k + 127) / 128 + 1;
        p.lda = (a_transposed(p.layout) ? p.m : p.k) + drawn(0, 3);
        p.ldb = (b_transposed(p.layout) ? p.k : p.n) + drawn(0, 3), p.ldd = p.n + drawn(0, 3);
        p.rows_per_scale = i % 2 ? 4 : 1, p.columns_per_scale = i % 2 ? 1 : 128;
        p.scale_a_row = 1, p.scale_a_k = p.m + 1, p.scale_b_column = 2 * parts, p.scale_b_k = 2;
        const auto a = some<f8e4m3>(40 * 310 + 310 * 50), b = some<f8e4m3>(310 * 160);
        const auto scale_a = some<float>(parts * p.scale_a_k), scale_b = some<float>(151 * p.scale_b_column);
        const auto bias = some<bf16>(p.n);
        auto out = poison<bf16>(p.m * p.ldd), expected = out;
        fade_stage stages[2] = {made(fade_stage_init), made(fade_stage_init)};
        stages[0].kind = FADE_BIAS, stages[0].values = bias.data(), stages[1].kind = FADE_GEGLU;
        fade_scaled_gemm_args c = made(fade_scaled_gemm_init);
        c.layout = int(p.layout), c.m = p.m, c.n = p.n, c.k = p.k, c.lda = p.lda, c.ldb = p.ldb,
        c.ldd = p.ldd;
        c.rows_per_scale = p.rows_per_scale, c.columns_per_scale = p.columns_per_scale;
        c.scale_a_row = p.scale_a_row, c.scale_a_k = p.scale_a_k, c.scale_b_column = p.scale_b_column;
        c.scale_b_k = p.scale_b_k, c.a = a.data(), c.b = b.data(), c.d = out.data();
        c.scale_a = scale_a.data(), c.scale_b = scale_b.data(), c.stages = stages, c.stage_count = 1;
        is_done(fade_scaled_gemm(on.c, &c, nullptr));
        const fade::scaled_gemm_operands<f8e4m3, bf16> operands{.a = a.data(),
                                                                .b = b.data(),
                                                                .d = expected.data(),
                                                                .scale_a = scale_a.data(),
                                                                .scale_b = scale_b.data()};
        fade::scaled_gemm(on.cpp, p, operands, fade::bias(bias));
        CHECK(same(out, expected));
        c.stage_count = 2, c.n = p.n = p.n / 2 * 2;
        const bool there = p.n > 0;
        is_done(fade_scaled_gemm(on.c, &c, nullptr));
        fade::scaled_gemm(on.cpp, p, operands, fade::bias(bias) | fade::geglu());
        CHECK(same(out, expected));
        c.n = p.n + 1, c.ldb = c.ldd = 0;
        CHECK(fade_scaled_gemm(on.c, &c, nullptr) == FADE_INVALID);
        CHECK(std::string(fade_last_error()->argument) == "n");
        c.n = p.n, c.ldb = p.ldb, c.ldd = p.ldd;
        const auto before = out;
        const auto refused = [&](auto change, fade_status as) {
            fade_scaled_gemm_args broken = c;
            change(broken);
            CHECK(fade_scaled_gemm(on.c, &broken, nullptr) == as);
        };
        refused([](auto& x) { x.rows_per_scale = 3; }, FADE_INVALID);
        refused([](auto& x) { x.layout = 4; }, FADE_INVALID);
        refused([](auto& x) { x.scale_b = nullptr; }, p.k == 0 || !there ? FADE_OK : FADE_INVALID);
        refused([](auto& x) { x.in = FADE_F16; }, FADE_UNSUPPORTED);
        CHECK(same(out, before));
    }
}

namespace {

using fade::f16;
using fade::index;

/// Memory that begins at a multiple of 16 bytes, of any bits that are numbers.
template <class T>
std::vector<T> any_bits(index count) {
    std::vector<T> out(static_cast<std::size_t>(count));
    for (T& x : out) x = T(drawn(0, 127) % 100);
    return out;
}

/// One product by both, with a bias; behind a gate D has half of its columns.
template <fade::weight_format Format>
struct weight_case {
    fade::weight_gemm_problem cpp{.m = drawn(1, 20), .n = 8 * drawn(1, 12), .k = 0, .alpha = 0.5, .beta = 2};
    std::vector<f16> a, old, bias, behind;
    std::vector<std::uint8_t> words, scale_bytes, zeros;
    std::vector<f16> halves;
    std::vector<float> reals;
    fade_stage stages[3] = {made(fade_stage_init), made(fade_stage_init), made(fade_stage_init)};
    fade_weight_gemm_args c = made(fade_weight_gemm_init);

    explicit weight_case(fade_weights format, index group = 0) {
        cpp.k = 128 * drawn(1, 3);
        const index groups = Format.group ? cpp.k / Format.group : 1;
        a = some<f16>(cpp.m * cpp.k), old = some<f16>(cpp.m * cpp.n), bias = some<f16>(cpp.n);
        behind = some<f16>(cpp.n / 2);
        words = any_bits<std::uint8_t>(cpp.k * cpp.n * Format.bits() / 8);
        halves = some<f16>(groups * cpp.n), reals = some<float>(groups * cpp.n);
        scale_bytes = any_bits<std::uint8_t>(groups * cpp.n);
        zeros = any_bits<std::uint8_t>(groups * cpp.n / 2);
        stages[0].kind = FADE_BIAS, stages[0].values = bias.data();
        stages[1].kind = FADE_GEGLU_TANH;
        stages[2].kind = FADE_SCALE_COLUMNS, stages[2].values = behind.data();
        c.format = format, c.group = group, c.m = cpp.m, c.n = cpp.n, c.k = cpp.k, c.split_k = 1;
        c.alpha = cpp.alpha, c.beta = cpp.beta, c.a = a.data(), c.weights = words.data(), c.c = old.data();
        c.scales = Format.scale_bytes() == 2   ? static_cast<const void*>(halves.data())
                   : Format.scale_bytes() == 4 ? static_cast<const void*>(reals.data())
                                               : scale_bytes.data();
        c.zeros = Format.packs_zeros() ? zeros.data() : nullptr;
        c.stages = stages, c.stage_count = 1;
    }
    fade::weight_gemm_operands<Format, f16> operands(f16* d) const {
        return {.a = a.data(),
                .weights = words.data(),
                .scales = static_cast<const fade::weight_scale_t<Format>*>(c.scales),
                .zeros = c.zeros,
                .c = old.data(),
                .d = d};
    }
};

template <fade::weight_format Format>
void check_weights(fade_weights format, index group = 0) {
    CAPTURE(group);
    opened on;
    weight_case<Format> w(format, group);
    auto out = poison<f16>(w.cpp.m * w.cpp.n), expected = out;
    w.c.d = out.data();
    is_done(fade_weight_gemm(on.c, &w.c, nullptr));
    fade::weight_gemm<Format, f16>(on.cpp, w.cpp, w.operands(expected.data()), fade::bias(w.bias),
                                   {.split_k = 1});
    CHECK(same(out, expected));
    const auto before = out;
    const auto refused = [&](auto change, fade_status as, const char* argument) {
        fade_weight_gemm_args broken = w.c;
        change(broken);
        CHECK(fade_weight_gemm(on.c, &broken, nullptr) == as);
        CHECK(std::string(fade_last_error()->argument) == argument);
    };
    refused([](auto& x) { x.format = 6; }, FADE_INVALID, "format");
    refused([](auto& x) { x.k -= 1; }, FADE_INVALID, "k");
    refused([](auto& x) { x.scales = nullptr; }, FADE_INVALID, "scales");
    refused([](auto& x) { x.out = FADE_F32; }, FADE_UNSUPPORTED, "types");
    refused([](auto& x) { x.group = 24; }, FADE_INVALID, "group");
    refused([](auto& x) { x.group = -2; }, FADE_INVALID, "group");
    refused([](auto& x) { x.group = 1024; }, FADE_INVALID, format <= FADE_WEIGHTS_AWQ ? "k" : "group");
    refused([](auto& x) { x.stage_count = 2; }, FADE_INVALID, "beta");  // a gate has beta 0
    CHECK(same(out, before));
}

/// A gate between two stages, and alone.
template <fade::weight_format Format>
void check_gated_weights(fade_weights format) {
    opened on;
    weight_case<Format> w(format);
    auto out = poison<f16>(w.cpp.m * w.cpp.n / 2), expected = out;
    w.c.d = out.data(), w.c.beta = w.cpp.beta = 0, w.c.stage_count = 3;
    is_done(fade_weight_gemm(on.c, &w.c, nullptr));
    fade::weight_gemm<Format, f16>(on.cpp, w.cpp, w.operands(expected.data()),
                                   fade::bias(w.bias) | fade::geglu_tanh() | fade::scale_columns(w.behind),
                                   {.split_k = 1});
    CHECK(same(out, expected));
    w.c.stages = w.stages + 1, w.c.stage_count = 1;
    is_done(fade_weight_gemm(on.c, &w.c, nullptr));
    fade::weight_gemm<Format, f16>(on.cpp, w.cpp, w.operands(expected.data()), fade::geglu_tanh(),
                                   {.split_k = 1});
    CHECK(same(out, expected));
    w.stages[0].kind = FADE_SWIGLU, w.c.stages = w.stages, w.c.stage_count = 2;
    CHECK(fade_weight_gemm(on.c, &w.c, nullptr) == FADE_INVALID);
    CHECK(std::string(fade_last_error()->argument) == "stages.kind");
    CHECK(same(out, expected));
}

}  // namespace

TEST_CASE("weight_gemm") {
    using namespace fade::weights;
    check_weights<gptq()>(FADE_WEIGHTS_GPTQ);
    check_weights<gptq(32)>(FADE_WEIGHTS_GPTQ, 32);
    check_weights<gptq(0)>(FADE_WEIGHTS_GPTQ, -1);
    check_weights<awq()>(FADE_WEIGHTS_AWQ, 128);
    check_weights<awq(64)>(FADE_WEIGHTS_AWQ, 64);
    check_weights<int8_rows()>(FADE_WEIGHTS_INT8);
    check_weights<mxfp4()>(FADE_WEIGHTS_MXFP4);
    check_weights<mxfp8()>(FADE_WEIGHTS_MXFP8);
    check_weights<nvfp4()>(FADE_WEIGHTS_NVFP4);
    check_gated_weights<awq()>(FADE_WEIGHTS_AWQ);
}

namespace {

/// Matrices of one size in one memory, each at a place of its own, in random order and apart.
template <class T>
struct scattered {
    std::vector<T> memory;
    std::vector<T*> table;
    scattered(std::vector<T> of, index count, index each) : memory(std::move(of)) {
        for (index i = 0; i < count; ++i) table.push_back(memory.data() + i * each);
        std::shuffle(table.begin(), table.end(), numbers());
    }
    template <class U>
    U* const* pointers() const {
        return reinterpret_cast<U* const*>(table.data());
    }
};

/// A problem said to both interfaces.
template <class In, class Out>
struct batched {
    fade::gemm_problem cpp{.m = drawn(1, 40),
                           .n = drawn(1, 40),
                           .k = drawn(1, 40),
                           .layout = fade::gemm_layout(drawn(0, 3)),
                           .batch = drawn(1, 5),
                           .alpha = 2,
                           .beta = 3};
    fade_batched_gemm_args c = made(fade_batched_gemm_init);
    index each_d = 0;
    scattered<In> a{{}, 0, 0}, b{{}, 0, 0};
    scattered<Out> old{{}, 0, 0};
    std::vector<Out> bias, kept, expected_kept;
    fade_stage stages[3] = {made(fade_stage_init), made(fade_stage_init), made(fade_stage_init)};

    batched(fade_dtype in, fade_dtype out) {
        const bool ta = a_transposed(cpp.layout), tb = b_transposed(cpp.layout);
        cpp.lda = (ta ? cpp.m : cpp.k) + drawn(0, 3), cpp.ldb = (tb ? cpp.k : cpp.n) + drawn(0, 3);
        cpp.ldc = cpp.ldd = cpp.n + drawn(0, 3), each_d = cpp.m * cpp.ldd + drawn(0, 3);
        const index each_a = (ta ? cpp.k : cpp.m) * cpp.lda, each_b = (tb ? cpp.n : cpp.k) * cpp.ldb;
        a = {some<In>(cpp.batch * each_a), cpp.batch, each_a};
        b = {some<In>(cpp.batch * each_b), cpp.batch, each_b};
        old = {some<Out>(cpp.batch * each_d), cpp.batch, each_d};
        bias = some<Out>(cpp.batch * cpp.n), kept = poison<Out>(cpp.batch * cpp.m * cpp.n);
        expected_kept = kept;
        stages[0].kind = FADE_BATCH_BIAS, stages[0].values = bias.data();
        stages[1].kind = FADE_AUX, stages[1].values = kept.data();
        stages[2].kind = FADE_CLAMP, stages[2].low = -9, stages[2].high = 8;
        c.in = in, c.out = out, c.layout = int(cpp.layout), c.batch = cpp.batch, c.alignment = sizeof(In);
        c.m = cpp.m, c.n = cpp.n, c.k = cpp.k, c.alpha = cpp.alpha, c.beta = cpp.beta;
        c.lda = cpp.lda, c.ldb = cpp.ldb, c.ldc = cpp.ldc, c.ldd = cpp.ldd;
        c.a = a.template pointers<const void>(), c.b = b.template pointers<const void>();
        c.c = old.template pointers<const void>(), c.stages = stages, c.stage_count = 3;
    }
    scattered<Out> results() const { return {poison<Out>(cpp.batch * each_d), cpp.batch, each_d}; }
    fade::batched_gemm_operands<In, Out> operands(Out* const* d) const {
        return {.a = a.template pointers<const In>(),
                .b = b.template pointers<const In>(),
                .c = old.template pointers<const Out>(),
                .d = d};
    }
};

/// The same pointers at the same places of another memory.
template <class T>
std::vector<T*> at_the_same_places(const scattered<T>& of, std::vector<T>& there) {
    std::vector<T*> out;
    for (T* p : of.table) out.push_back(there.data() + (p - of.memory.data()));
    return out;
}

/// One call by both; nothing is written where it is planned.
template <class In, class Out>
void check_batch(fade_dtype in, fade_dtype out) {
    opened on;
    batched<In, Out> p(in, out);
    const scattered<Out> d = p.results();
    std::vector<Out> expected = d.memory;
    const std::vector<Out> untouched = d.memory;
    const std::vector<Out*> expected_table = at_the_same_places(d, expected);
    p.c.d = d.template pointers<void>();
    fade_options how = made(fade_options_init);
    fade_plan* plan = nullptr;
    how.plan = &plan;
    is_done(fade_batched_gemm(on.c, &p.c, &how));
    CHECK(fade_plan_launch_count(plan) == 1);
    CHECK(fade_plan_workspace_bytes(plan) == 0);
    CHECK(same(d.memory, untouched));
    fade_plan_close(plan);
    fade_report* report = nullptr;
    how.plan = nullptr, how.report = &report, how.strict = 1;
    is_done(fade_batched_gemm(on.c, &p.c, &how));
    const fade::report said = fade::batched_gemm<In, Out>(on.cpp, p.cpp, p.operands(expected_table.data()),
                                                          fade::batch_bias(p.bias) |
                                                              fade::aux(p.expected_kept) | fade::clamp(-9, 8),
                                                          {.strict = true, .alignment = sizeof(In)});
    CHECK(same(d.memory, expected));
    CHECK(same(p.kept, p.expected_kept));
    CHECK(fade_report_text(report, FADE_REPORT_CHOSEN) == said.chosen);
    fade_report_close(report);
}

}  // namespace

TEST_CASE("batched_gemm") {
    for (int i = 0; i < 8; ++i) {
        CAPTURE(i);
        check_batch<float, float>(FADE_F32, FADE_F32);
        check_batch<f16, float>(FADE_F16, FADE_F32);
    }
    const fade::gemm_problem product;
    const fade::batched_gemm_options options;
    const auto unset = made(fade_batched_gemm_init);
    CHECK((unset.layout == int(product.layout) && unset.batch == product.batch && unset.in == FADE_F32));
    CHECK((unset.alpha == product.alpha && unset.beta == product.beta && unset.out == FADE_F32));
    CHECK((unset.alignment == options.alignment && unset.check_pointers == -1));
}

TEST_CASE("what products by tables of pointers refuse names its field, and nothing is written") {
    opened on;
    batched<float, float> p(FADE_F32, FADE_F32);
    scattered<float> d = p.results();
    const std::vector<float> untouched = d.memory;
    p.c.d = d.pointers<void>();
    const auto refused = [&](auto change, fade_status as, const std::string& argument) {
        auto broken = p.c;
        change(broken);
        CHECK(fade_batched_gemm(on.c, &broken, nullptr) == as);
        CHECK(fade_last_error()->argument == argument);
        CHECK(same(d.memory, untouched));
    };
    refused([](auto& x) { x.layout = 4; }, FADE_INVALID, "layout");
    refused([](auto& x) { x.check_pointers = 2; }, FADE_INVALID, "check_pointers");
    refused([](auto& x) { x.check_pointers = -2; }, FADE_INVALID, "check_pointers");
    refused([](auto& x) { x.alignment = 12; }, FADE_INVALID, "alignment");
    refused([](auto& x) { x.batch = -1; }, FADE_INVALID, "batch");
    refused([](auto& x) { x.ldb = 0, x.lda = 1, x.k = 2, x.m = 2; }, FADE_INVALID, "lda");
    refused([](auto& x) { x.a = nullptr; }, FADE_INVALID, "a");
    refused([](auto& x) { x.c = nullptr; }, FADE_INVALID, "c");
    refused([](auto& x) { x.d = nullptr; }, FADE_INVALID, "d");
    refused([](auto& x) { x.stage_count = 9; }, FADE_INVALID, "stage_count");
    refused([](auto& x) { x.in = x.out = FADE_I8; }, FADE_UNSUPPORTED, "types");
    float* const first = d.table[0];
    d.table[0] = nullptr;
    refused([](auto&) {}, FADE_INVALID, "d[0]");
    refused([](auto& x) { x.check_pointers = 1; }, FADE_INVALID, "d[0]");
    d.table[0] = first;
    float* const second = std::exchange(p.b.table.back(), d.table[0]);
    refused([](auto&) {}, FADE_INVALID, "d[0]");
    p.b.table.back() = second;
    p.c.check_pointers = 0;
    is_done(fade_batched_gemm(on.c, &p.c, nullptr));
    CHECK(!same(d.memory, untouched));
}

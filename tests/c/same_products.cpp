// Products with scales of 128 k and with quantised weights through fade.h are the C++ calls, bit for bit, and
// what fade.h alone refuses of them.
#include "beside.hpp"
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
        fade_stage stage = made(fade_stage_init);
        stage.kind = FADE_BIAS, stage.values = bias.data();
        fade_scaled_gemm_args c = made(fade_scaled_gemm_init);
        c.layout = int(p.layout), c.m = p.m, c.n = p.n, c.k = p.k, c.lda = p.lda, c.ldb = p.ldb,
        c.ldd = p.ldd;
        c.rows_per_scale = p.rows_per_scale, c.columns_per_scale = p.columns_per_scale;
        c.scale_a_row = p.scale_a_row, c.scale_a_k = p.scale_a_k, c.scale_b_column = p.scale_b_column;
        c.scale_b_k = p.scale_b_k, c.a = a.data(), c.b = b.data(), c.d = out.data();
        c.scale_a = scale_a.data(), c.scale_b = scale_b.data(), c.stages = &stage, c.stage_count = 1;
        is_done(fade_scaled_gemm(on.c, &c, nullptr));
        fade::scaled_gemm(on.cpp, p,
                          fade::scaled_gemm_operands<f8e4m3, bf16>{.a = a.data(),
                                                                   .b = b.data(),
                                                                   .d = expected.data(),
                                                                   .scale_a = scale_a.data(),
                                                                   .scale_b = scale_b.data()},
                          fade::bias(bias));
        CHECK(same(out, expected));
        const auto before = out;
        const auto refused = [&](auto change, fade_status as) {
            fade_scaled_gemm_args broken = c;
            change(broken);
            CHECK(fade_scaled_gemm(on.c, &broken, nullptr) == as);
        };
        refused([](auto& x) { x.rows_per_scale = 3; }, FADE_INVALID);
        refused([](auto& x) { x.layout = 4; }, FADE_INVALID);
        refused([](auto& x) { x.scale_b = nullptr; }, p.k == 0 ? FADE_OK : FADE_INVALID);
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

/// One product by both.
template <fade::weight_format Format, class Scale>
void check_weights(fade_weights format, index words, const std::vector<Scale>& scales, index zeros,
                   const fade::weight_gemm_problem& p) {
    opened on;
    const auto a = some<f16>(p.m * p.k), old = some<f16>(p.m * p.n), bias = some<f16>(p.n);
    const auto w = any_bits<std::uint8_t>(words), z = any_bits<std::uint8_t>(zeros + 1);
    auto out = poison<f16>(p.m * p.n), expected = out;
    fade_stage stage = made(fade_stage_init);
    stage.kind = FADE_BIAS, stage.values = bias.data();
    fade_weight_gemm_args c = made(fade_weight_gemm_init);
    c.format = format, c.m = p.m, c.n = p.n, c.k = p.k, c.alpha = p.alpha, c.beta = p.beta, c.split_k = 1;
    c.a = a.data(), c.weights = w.data(), c.scales = scales.data(), c.c = old.data(), c.d = out.data();
    c.zeros = zeros > 0 ? z.data() : nullptr, c.stages = &stage, c.stage_count = 1;
    is_done(fade_weight_gemm(on.c, &c, nullptr));
    const fade::weight_gemm_operands<Format, f16> o{
        .a = a.data(),
        .weights = w.data(),
        .scales = reinterpret_cast<const fade::weight_scale_t<Format>*>(scales.data()),
        .zeros = c.zeros,
        .c = old.data(),
        .d = expected.data()};
    fade::weight_gemm<Format, f16>(on.cpp, p, o, fade::bias(bias), {.split_k = 1});
    CHECK(same(out, expected));
    const auto before = out;
    const auto refused = [&](auto change, fade_status as, const char* argument) {
        fade_weight_gemm_args broken = c;
        change(broken);
        CHECK(fade_weight_gemm(on.c, &broken, nullptr) == as);
        CHECK(std::string(fade_last_error()->argument) == argument);
    };
    refused([](auto& x) { x.format = 5; }, FADE_INVALID, "format");
    refused([](auto& x) { x.k -= 1; }, FADE_INVALID, "k");
    refused([](auto& x) { x.scales = nullptr; }, FADE_INVALID, "scales");
    refused([](auto& x) { x.out = FADE_F32; }, FADE_UNSUPPORTED, "types");
    CHECK(same(out, before));
}

}  // namespace

TEST_CASE("weight_gemm") {
    const fade::weight_gemm_problem p{
        .m = drawn(1, 20), .n = 8 * drawn(1, 12), .k = 128 * drawn(1, 3), .alpha = 0.5, .beta = 2};
    const fade::index groups = p.k / 128;
    check_weights<fade::weights::gptq()>(FADE_WEIGHTS_GPTQ, p.k * p.n / 2, some<f16>(groups * p.n),
                                         groups * p.n / 2, p);
    check_weights<fade::weights::awq()>(FADE_WEIGHTS_AWQ, p.k * p.n / 2, some<f16>(groups * p.n),
                                        groups * p.n / 2, p);
    check_weights<fade::weights::int8_rows()>(FADE_WEIGHTS_INT8, p.k * p.n, some<float>(p.n), 0, p);
    const auto powers = any_bits<std::uint8_t>(p.k / 32 * p.n);
    check_weights<fade::weights::mxfp4()>(FADE_WEIGHTS_MXFP4, p.k * p.n / 2, powers, 0, p);
    check_weights<fade::weights::mxfp8()>(FADE_WEIGHTS_MXFP8, p.k * p.n, powers, 0, p);
}

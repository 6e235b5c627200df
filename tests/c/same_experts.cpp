// Gradients of experts' weights, and experts whose weights are quantised, through fade.h are the C++ calls,
// bit for bit, and what fade.h refuses of them.
#include "beside.hpp"
#include <algorithm>
#include <fade/grouped_gemm.hpp>
#include <fade/moe.hpp>
#include <string>

using namespace fade::test;

namespace {

using fade::f16;
using fade::index;

/// A product along k by both, with the same stages: a matrix of each group that is read, and one written.
template <class In, class Out>
void check_along_k(fade_dtype in, fade_dtype out_type, bool gated) {
    opened on;
    fade::grouped_k_gemm_problem p{.m = drawn(1, 30),
                                   .n = 2 * drawn(1, 20),
                                   .groups = int(drawn(1, 6)),
                                   .alpha = 2,
                                   .beta = gated ? 0.0 : 3.0};
    std::vector<int> ends;
    for (int g = 0; g < p.groups; ++g)
        ends.push_back(int((ends.empty() ? 0 : ends.back()) + drawn(0, 1) * drawn(1, 40)));
    ends.back() += 1;
    const index columns = gated ? p.n / 2 : p.n;
    p.k = ends.back() + drawn(1, 9), p.lda = p.m + drawn(0, 3), p.ldb = p.n + drawn(0, 3);
    p.ldc = p.n + drawn(0, 3), p.ldd = columns + drawn(0, 3);
    p.stride_c = drawn(0, 1) * (p.m * p.ldc + drawn(0, 3)), p.stride_d = p.m * p.ldd + drawn(0, 3);
    const auto a = some<In>(p.k * p.lda), b = some<In>(p.k * p.ldb);
    const auto old = some<Out>(p.groups * (p.m * p.ldc + 3)), bias = some<Out>(p.groups * p.n);
    auto out = poison<Out>(p.groups * p.stride_d), expected = out;
    auto kept = poison<Out>(p.groups * p.m * p.n), expected_kept = kept;
    fade_stage stages[3] = {made(fade_stage_init), made(fade_stage_init), made(fade_stage_init)};
    stages[0].kind = FADE_BATCH_BIAS, stages[0].values = bias.data();
    stages[1].kind = FADE_AUX, stages[1].values = kept.data();
    stages[2].kind = gated ? FADE_SWIGLU : FADE_RELU;
    auto c = made(fade_grouped_k_gemm_init);
    c.in = in, c.out = out_type, c.groups = p.groups, c.m = p.m, c.n = p.n, c.k = p.k, c.alpha = p.alpha;
    c.beta = p.beta, c.lda = p.lda, c.ldb = p.ldb, c.ldc = p.ldc, c.ldd = p.ldd, c.stride_c = p.stride_c;
    c.stride_d = p.stride_d, c.a = a.data(), c.b = b.data(), c.c = old.data(), c.d = out.data();
    c.ends = ends.data(), c.stages = stages, c.stage_count = 3;
    fade_options how = made(fade_options_init);
    fade_plan* plan = nullptr;
    how.plan = &plan;
    is_done(fade_grouped_k_gemm(on.c, &c, &how));
    CHECK(fade_plan_launch_count(plan) == 1);
    CHECK(same(out, poison<Out>(p.groups * p.stride_d)));
    fade_plan_close(plan);
    is_done(fade_grouped_k_gemm(on.c, &c, nullptr));
    const auto run = [&](const auto& last) {
        fade::grouped_k_gemm<In, Out>(
            on.cpp, p,
            {.a = a.data(), .b = b.data(), .c = old.data(), .d = expected.data(), .ends = ends.data()},
            fade::batch_bias(bias) | fade::aux(expected_kept) | last);
    };
    if constexpr (std::is_same_v<In, Out>)
        if (gated) run(fade::swiglu());
    if (!gated) run(fade::relu());
    CHECK(same(out, expected));
    CHECK(same(kept, expected_kept));
    const auto refused = [&](auto change, fade_status as, const char* argument) {
        auto broken = c;
        change(broken);
        CHECK(fade_grouped_k_gemm(on.c, &broken, nullptr) == as);
        CHECK(std::string(fade_last_error()->argument) == argument);
        CHECK(same(out, expected));
    };
    refused([](auto& x) { x.check_indices = 2; }, FADE_INVALID, "check_indices");
    refused([](auto& x) { x.groups = 65536; }, FADE_INVALID, "groups");
    refused([](auto& x) { x.m = x.lda + 1; }, FADE_INVALID, "lda");
    refused([](auto& x) { x.ends = nullptr; }, FADE_INVALID, "ends");
    refused([](auto& x) { x.stage_count = 9; }, FADE_INVALID, "stage_count");
    refused([](auto& x) { x.in = x.out = FADE_I8; }, FADE_UNSUPPORTED, "types");
    const auto last = std::find(ends.begin(), ends.end(), ends.back()) - ends.begin();
    refused([&](auto& x) { x.k = ends.back() - 1; }, FADE_INVALID,
            ("ends[" + std::to_string(last) + "]").c_str());
    c.check_indices = 0, c.k = 1;  // nobody looks: rows behind the first are no group's
    is_done(fade_grouped_k_gemm(on.c, &c, nullptr));
}

TEST_CASE("grouped_k_gemm") {
    for (int i = 0; i < 4; ++i) {
        check_along_k<float, float>(FADE_F32, FADE_F32, i % 2);
        check_along_k<f16, float>(FADE_F16, FADE_F32, false);
    }
    const fade::grouped_k_gemm_problem product;
    const auto k = made(fade_grouped_k_gemm_init);
    CHECK((k.alpha == product.alpha && k.beta == product.beta && k.check_indices == -1));
    CHECK((k.stride_c == product.stride_c && k.stride_d == product.stride_d));
    CHECK((k.in == FADE_F32 && k.out == FADE_F32));
}

/// Bytes that are numbers of any format.
std::vector<std::uint8_t> any_bytes(index count) {
    std::vector<std::uint8_t> out(static_cast<std::size_t>(count));
    for (auto& x : out) x = std::uint8_t(drawn(0, 99));
    return out;
}

/// Groups of rows, each by weights of its own, by both: rows of A by a list, and a bias of each group.
template <fade::weight_format Format>
void check_grouped_weights(fade_weights format, index group = 0) {
    CAPTURE(format);
    opened on;
    fade::grouped_weight_gemm_problem p{.n = 8 * drawn(1, 12),
                                        .k = 128 * drawn(1, 2),
                                        .groups = int(drawn(1, 4)),
                                        .alpha = 0.5,
                                        .beta = 2,
                                        .rows_of_a = drawn(1, 20)};
    std::vector<int> ends, list;
    for (int g = 0; g < p.groups; ++g)
        ends.push_back(int((ends.empty() ? 0 : ends.back()) + drawn(0, 1) * drawn(1, 20)));
    p.rows = ends.back() + drawn(1, 5), p.lda = p.k + 8 * drawn(0, 2);
    p.ldc = p.n + drawn(0, 3), p.ldd = p.n + drawn(0, 3);
    for (index r = 0; r < p.rows; ++r) list.push_back(int(drawn(0, p.rows_of_a - 1)));
    const index scales = p.groups * (Format.group ? p.k / Format.group : 1) * p.n;
    const auto a = some<f16>(p.rows_of_a * p.lda), old = some<f16>(p.rows * p.ldc);
    const auto bias = some<f16>(p.groups * p.n), halves = some<f16>(scales);
    const auto words = any_bytes(p.groups * p.k * p.n * Format.bits() / 8);
    const auto reals = some<float>(scales);
    const auto bytes = any_bytes(scales), zeros = any_bytes(scales / 2);
    auto out = poison<f16>(p.rows * p.ldd), expected = out;
    fade_stage stages[2] = {made(fade_stage_init), made(fade_stage_init)};
    stages[0].kind = FADE_BATCH_BIAS, stages[0].values = bias.data(), stages[1].kind = FADE_SWIGLU;
    auto c = made(fade_grouped_weight_gemm_init);
    c.format = format, c.groups = p.groups, c.rows = p.rows, c.n = p.n, c.k = p.k, c.group = group;
    c.rows_of_a = p.rows_of_a, c.alpha = p.alpha, c.beta = p.beta, c.lda = p.lda, c.ldc = p.ldc;
    c.ldd = p.ldd, c.a = a.data(), c.weights = words.data(), c.c = old.data(), c.d = out.data();
    c.scales = Format.scale_bytes() == 2   ? static_cast<const void*>(halves.data())
               : Format.scale_bytes() == 4 ? static_cast<const void*>(reals.data())
                                           : bytes.data();
    c.zeros = Format.packs_zeros() ? zeros.data() : nullptr;
    c.ends = ends.data(), c.row_list = list.data(), c.stages = stages, c.stage_count = 1;
    fade_options how = made(fade_options_init);
    fade_plan* plan = nullptr;
    how.plan = &plan;
    is_done(fade_grouped_weight_gemm(on.c, &c, &how));
    CHECK(fade_plan_launch_count(plan) == 1);
    CHECK(same(out, expected));
    fade_plan_close(plan);
    const fade::grouped_weight_gemm_operands<Format, f16> operands{
        .a = a.data(),
        .weights = words.data(),
        .scales = static_cast<const fade::weight_scale_t<Format>*>(c.scales),
        .zeros = c.zeros,
        .c = old.data(),
        .d = expected.data(),
        .ends = ends.data(),
        .row_list = list.data()};
    is_done(fade_grouped_weight_gemm(on.c, &c, nullptr));
    fade::grouped_weight_gemm<Format, f16>(on.cpp, p, operands, fade::batch_bias(bias));
    CHECK(same(out, expected));
    const auto refused = [&](auto change, fade_status as, const std::string& argument) {
        auto broken = c;
        change(broken);
        CHECK(fade_grouped_weight_gemm(on.c, &broken, nullptr) == as);
        CHECK(fade_last_error()->argument == argument);
    };
    refused([](auto& x) { x.format = 6; }, FADE_INVALID, "format");
    refused([](auto& x) { x.group = 24; }, FADE_INVALID, "group");
    refused([](auto& x) { x.k -= 1; }, FADE_INVALID, "k");
    refused([](auto& x) { x.check_indices = -2; }, FADE_INVALID, "check_indices");
    refused([](auto& x) { x.out = FADE_F32; }, FADE_UNSUPPORTED, "types");
    refused([](auto& x) { x.stage_count = 2; }, FADE_INVALID, "beta");  // a gate has beta 0
    refused([](auto& x) { x.row_list = nullptr, x.rows_of_a = x.rows + 1; }, FADE_INVALID, "rows_of_a");
    ends[0] = -1;
    refused([](auto&) {}, FADE_INVALID, "ends[0]");
    CHECK(same(out, expected));
    c.check_indices = 0;  // nobody looks
    is_done(fade_grouped_weight_gemm(on.c, &c, nullptr));
    fade::grouped_weight_gemm<Format, f16>(on.cpp, p, operands, fade::batch_bias(bias),
                                           {.check_indices = false});
    CHECK(same(out, expected));
}

TEST_CASE("grouped_weight_gemm") {
    using namespace fade::weights;
    check_grouped_weights<gptq()>(FADE_WEIGHTS_GPTQ);
    check_grouped_weights<awq(64)>(FADE_WEIGHTS_AWQ, 64);
    check_grouped_weights<int8_rows()>(FADE_WEIGHTS_INT8);
    check_grouped_weights<mxfp4()>(FADE_WEIGHTS_MXFP4);
    check_grouped_weights<mxfp8()>(FADE_WEIGHTS_MXFP8);
    check_grouped_weights<nvfp4()>(FADE_WEIGHTS_NVFP4);
    const fade::grouped_weight_gemm_problem product;
    const auto unset = made(fade_grouped_weight_gemm_init);
    CHECK((unset.alpha == product.alpha && unset.beta == product.beta && unset.check_indices == -1));
    CHECK((unset.in == FADE_F16 && unset.out == FADE_F16 && unset.format == FADE_WEIGHTS_GPTQ));
}

}  // namespace

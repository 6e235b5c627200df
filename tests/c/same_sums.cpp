// Products with sums behind them, and of two 8-bit floats, through fade.h are the C++ calls, bit for bit, and
// what fade.h alone refuses of them.
#include "beside.hpp"
#include <fade/gemm.hpp>
#include <string>

using namespace fade::test;

namespace {

using fade::bf16, fade::index;

/// A product whose rows of D lie apart or not, of one batch or several, said to both interfaces.
template <class In, class Out>
struct product {
    fade::gemm_problem cpp{.m = drawn(1, 40), .n = 2 * drawn(1, 30), .k = drawn(0, 30), .batch = drawn(1, 3)};
    fade_gemm_args c = made(fade_gemm_init);
    std::vector<fade::element_of_a<In>> a;
    std::vector<fade::element_of_b<In>> b;
    std::vector<Out> d;

    product(fade_dtype in, fade_dtype out) {
        cpp.ldd = cpp.n + drawn(0, 3), cpp.stride_d = cpp.m * cpp.ldd;
        a = some<fade::element_of_a<In>>(cpp.batch * cpp.m * cpp.k);
        b = some<fade::element_of_b<In>>(cpp.batch * cpp.k * cpp.n);
        d = poison<Out>(cpp.batch * cpp.stride_d);
        c.in = in, c.out = out, c.m = cpp.m, c.n = cpp.n, c.k = cpp.k, c.batch = cpp.batch, c.ldd = cpp.ldd;
        c.stride_d = cpp.stride_d, c.a = a.data(), c.b = b.data(), c.d = d.data();
    }
    fade::gemm_operands<In, Out> operands(std::vector<Out>& to) const {
        return {.a = a.data(), .b = b.data(), .d = to.data()};
    }
};

/// The sums of C are those of C++, wherever they are wanted.
template <class In, class Out, class Sum>
void check_sums(fade_dtype in, fade_dtype out, fade_dtype sums, bool gated) {
    opened on;
    product<In, Out> p(in, out);
    if (gated) p.cpp.ldd = p.c.ldd = 0, p.cpp.stride_d = p.c.stride_d = -1;
    const index columns = gated ? p.cpp.n / 2 : p.cpp.n;
    auto rows = poison<Sum>(p.cpp.batch * p.cpp.m), expected_rows = rows;
    auto of_columns = poison<Sum>(columns), expected_columns = of_columns;
    auto expected = p.d;
    fade_stage stage = made(fade_stage_init);
    stage.kind = gated ? FADE_SWIGLU : FADE_RELU;
    p.c.stages = &stage, p.c.stage_count = 1, p.c.sums = sums;
    const auto run = [&](const auto& stages) {
        return fade::gemm<In, Out>(on.cpp, p.cpp, p.operands(expected), stages);
    };
    const auto both = [&](const auto& stages) {
        p.c.row_sums = rows.data(), p.c.column_sums = of_columns.data();
        fade_report* report = nullptr;
        fade_options how = made(fade_options_init);
        how.report = &report;
        is_done(fade_gemm(on.c, &p.c, &how));
        const fade::report said =
            run(stages | fade::row_sums(expected_rows) | fade::column_sums(expected_columns));
        CHECK(fade_report_text(report, FADE_REPORT_REQUESTED) == said.requested);
        CHECK((same(p.d, expected) && same(rows, expected_rows) && same(of_columns, expected_columns)));
        fade_report_close(report);
        of_columns = poison<Sum>(columns), rows = poison<Sum>(index(rows.size()));
        p.c.row_sums = nullptr, p.c.column_sums = of_columns.data();
        is_done(fade_gemm(on.c, &p.c, nullptr));
        CHECK((same(of_columns, expected_columns) && same(rows, poison<Sum>(index(rows.size())))));
    };
    if (gated)
        both(fade::swiglu());
    else
        both(fade::relu());
}

TEST_CASE("sums of rows and columns") {
    for (const bool gated : {false, true}) {
        check_sums<float, float, float>(FADE_F32, FADE_F32, FADE_F32, gated);
        check_sums<bf16, bf16, bf16>(FADE_BF16, FADE_BF16, FADE_BF16, gated);
    }
    check_sums<bf16, bf16, float>(FADE_BF16, FADE_BF16, FADE_F32, false);
    check_sums<fade::f8e4m3, bf16, float>(FADE_F8E4M3, FADE_BF16, FADE_F32, false);
}

TEST_CASE("a plan has the launches and the memory of the sums") {
    opened on;
    product<float, float> p(FADE_F32, FADE_F32);
    std::vector<float> rows(static_cast<std::size_t>(p.cpp.batch * p.cpp.m)), columns(60);
    p.c.row_sums = rows.data(), p.c.column_sums = columns.data();
    fade_plan* plan = nullptr;
    fade_options how = made(fade_options_init);
    how.plan = &plan;
    is_done(fade_gemm(on.c, &p.c, &how));
    const auto expected = fade::plan_gemm<float>(on.cpp, p.cpp, p.operands(p.d),
                                                 fade::row_sums(rows) | fade::column_sums(columns));
    CHECK(fade_plan_launch_count(plan) == int(expected.launches.size()));
    CHECK(fade_plan_workspace_bytes(plan) == expected.workspace_bytes);
    CHECK(same(p.d, poison<float>(index(p.d.size()))));
    fade_plan_close(plan);
    how.plan = nullptr, how.workspace = rows.data(), how.workspace_bytes = 1;
    if (expected.workspace_bytes > 1) CHECK(fade_gemm(on.c, &p.c, &how) == FADE_INVALID);
}

TEST_CASE("what sums refuse names its field, and nothing is written") {
    opened on;
    product<float, float> p(FADE_F32, FADE_F32);
    p.cpp.k = p.c.k = 3, p.c.batch = 2, p.c.stride_d = -1, p.c.beta = 0;
    p.a = some<float>(2 * 40 * 3), p.b = some<float>(2 * 3 * 60), p.d = poison<float>(2 * 40 * 63);
    p.c.a = p.a.data(), p.c.b = p.b.data(), p.c.d = p.d.data();
    auto sums = poison<float>(200);
    p.c.row_sums = sums.data(), p.c.column_sums = sums.data() + 100;
    const auto refused = [&](auto change, fade_status as, const std::string& argument) {
        auto broken = p.c;
        change(broken);
        CHECK(fade_gemm(on.c, &broken, nullptr) == as);
        CHECK(fade_last_error()->argument == argument);
        CHECK((same(p.d, poison<float>(index(p.d.size()))) && same(sums, poison<float>(200))));
    };
    refused([](auto& x) { x.column_sums = x.row_sums; }, FADE_INVALID, "column_sums");
    refused([](auto& x) { x.row_sums = x.d; }, FADE_INVALID, "row_sums");
    refused([](auto& x) { x.column_sums = const_cast<void*>(x.b); }, FADE_INVALID, "column_sums");
    refused([](auto& x) { x.stride_d = x.m * x.ldd + 1; }, FADE_INVALID, "stride_d");
    refused([](auto& x) { x.sums = 99; }, FADE_INVALID, "sums");
    refused([](auto& x) { x.sums = FADE_F16; }, FADE_UNSUPPORTED, "types");
    refused([](auto& x) { x.in_b = FADE_F16; }, FADE_INVALID, "in_b");
    refused([](auto& x) { x.in_b = 10; }, FADE_INVALID, "in_b");
    refused([](auto& x) { x.in = FADE_F8E4M3, x.in_b = FADE_F8E5M2FNUZ; }, FADE_INVALID, "in_b");
    refused([](auto& x) { x.in = FADE_F8E4M3, x.in_b = FADE_F8E5M2, x.out = FADE_F16; }, FADE_UNSUPPORTED,
            "types");
}

template <class A, class B, class Out>
void check_pair(fade_dtype a, fade_dtype b, fade_dtype out) {
    opened on;
    using in = fade::operand_pair<A, B>;
    product<in, Out> p(a, out);
    p.c.in_b = b;
    auto expected = p.d;
    is_done(fade_gemm(on.c, &p.c, nullptr));
    fade::gemm<in, Out>(on.cpp, p.cpp, p.operands(expected));
    CHECK(same(p.d, expected));
}

TEST_CASE("two 8-bit floats") {
    using namespace fade;
    check_pair<f8e4m3, f8e5m2, bf16>(FADE_F8E4M3, FADE_F8E5M2, FADE_BF16);
    check_pair<f8e5m2fnuz, f8e4m3fnuz, float>(FADE_F8E5M2FNUZ, FADE_F8E4M3FNUZ, FADE_F32);
}

}  // namespace

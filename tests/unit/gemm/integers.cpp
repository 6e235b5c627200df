// Sums of 8-bit integers and what becomes of them: whole numbers to the end, or reals from the first stage
// on.
#include "common/each_isa.hpp"
#include "common/gemm_random.hpp"
#include "common/gemm_suite.hpp"

using namespace fade;

namespace {

template <class Out, class Stage>
using value = epilogue::value_t<i32, Out, Stage>;
struct whole_stage : epilogue::stage {
    static constexpr bool floating = false;
};
using whole_bias = epilogue::bias_stage<i32>;
using real_bias = epilogue::bias_stage<f16>;
static_assert(std::is_same_v<value<i32, epilogue::none>, i32>);
static_assert(std::is_same_v<value<i32, epilogue::chain<whole_bias, epilogue::relu_stage>>, i32>);
static_assert(std::is_same_v<value<i8, epilogue::chain<epilogue::clamp_stage, whole_stage>>, i32>);
static_assert(std::is_same_v<value<i32, any_chain<i32>>, i32>);
static_assert(std::is_same_v<value<i32, real_bias>, f32>);
static_assert(std::is_same_v<value<i32, epilogue::chain<epilogue::scale_stage, whole_bias>>, f32>);
static_assert(std::is_same_v<value<i32, epilogue::chain<whole_bias, epilogue::gelu_stage>>, f32>);
static_assert(std::is_same_v<value<i32, any_chain<f32>>, f32>);
static_assert(std::is_same_v<value<bf16, whole_bias>, f32>);
static_assert(std::is_same_v<value<f64, epilogue::none>, f64>);
static_assert(std::is_same_v<epilogue::value_t<f64, f32, epilogue::none>, f64>);

/// Stages that leave whole numbers whole, and scalars that do.
test::gemm_case random_whole() {
    using enum stage_kind;
    auto c = test::random_case({gemm_layout::nt}, 16);
    c.problem.alpha = *rc::gen::element(1, 1, -2, 3, 0);
    if (c.reads_c()) c.problem.beta = *rc::gen::element(1, -2);
    for (auto& s : c.stages) s.kind = *rc::gen::element(bias, bias_col, relu, clamp, residual, mul, drelu);
    return c;
}

/// Any stage; sums of some thousands are mostly scaled to where activations bend.
test::gemm_case random_real() {
    auto c = test::random_case({gemm_layout::nt}, 16);
    c.problem.alpha = *rc::gen::element(1.0, 0.0005, -0.0001, 0.01);
    return c;
}

template <class Arch>
constexpr auto kernels = only(operand_access::nt, operand_access::strided);

template <class Arch, class Out, class Source, class Draw>
void check_type(const char* what, Draw draw) {
    test::holds(std::string(Arch::traits.name) + what, 100, [&] {
        const auto c = draw();
        test::must_be_right(c, test::check_gemm<Arch, i8, Out, kernels<Arch>, Source>(c));
    });
}

/// What a quantised layer computes, by stages composed at compile time: an i32 bias, a factor, a residual of
/// f16.
template <class Arch, class Out>
void check_layer() {
    auto random = test::fresh_random();
    for (const auto& e : {test::extent{33, 17, 48}, {70, 130, 96}, {5, 64, 16}}) {
        auto c = test::case_of({gemm_layout::nt, false, true, 16}, e, random());
        c.problem.alpha = 0.5;
        test::gemm_data<i8, Out> data(c);
        test::matrix<i32> bias({1, c.problem.n, c.problem.n, 1, 0, 0});
        test::matrix<f16> residual({c.problem.m, c.problem.n, c.problem.n, 1, 0, 0});
        bias.fill(random, 1000), residual.fill(random, 10);
        auto want = test::expected(data);
        std::size_t at = 0;
        const auto a = test::unpacked(data.a, 0, false), b = test::unpacked(data.b, 0, false);
        data.d.each([&](auto, auto i, auto j) {
            test::bounded v = test::rounded(
                test::dot(&a[std::size_t(i * c.problem.k)], &b[std::size_t(j * c.problem.k)], c.problem.k, 0)
                    .value,
                0, test::unit_roundoff<float>);
            v = test::plus(test::times(v, 0.5), bias.at(0, 0, j));
            v = test::plus(test::times(v, double(0.01f)), test::value_of(residual.at(0, i, j)));
            want[at++] = test::stored<Out>(v);
        });
        data.poison_output();
        auto device = test::device_of<Arch>(1, 64);
        gemm<i8, Out, kernels<Arch>>(device, c.problem, data.operands(),
                                     fade::bias(bias.data()) | fade::scale(0.01f) |
                                         fade::residual(residual.data(), c.problem.n));
        INFO(c);
        CHECK(test::difference(data.d, want) == "");
    }
}

/// Stages that take whole vectors of a row, with C: one column at least is no part of a vector.
template <class Out, class Source>
void check_vectors_of_rows() {
    using enum stage_kind;
    auto random = test::fresh_random();
    for (const stage_kind kind : {silu, sigmoid, gelu, gelu_tanh}) {
        const auto m = 2 + fade::index(random() % 40), n = fade::index(random() % 64) | 1;
        auto c = test::case_of({gemm_layout::nt}, {m, n, 64}, random());
        c.problem.alpha = 0.0005, c.problem.beta = random() % 2 ? 1 : -0.5;
        c.stages = {{kind}};
        INFO(c);
        CHECK(test::check_gemm<arch::host, i8, Out, kernels<arch::host>, Source>(c) == "");
    }
}

}  // namespace

TEST_CASE("whole numbers to the end") {
    check_type<arch::host, i32, i32>(" i32", random_whole);
    check_type<arch::gfx942, i32, i32>(" i32", random_whole);
    check_type<arch::gfx1100, i32, i32>(" i32", random_whole);
    check_type<arch::gfx1030, i8, i32>(" i8", random_whole);
    check_type<arch::host, i8, i32>(" i8", random_whole);
}
TEST_CASE("real results") {
    check_type<arch::host, f32, f32>(" f32", random_real);
    check_type<arch::host, f64, f32>(" f64", random_real);
    check_type<arch::host, bf16, i32>(" bf16", random_whole);
    check_type<arch::gfx1100, f32, f32>(" f32", random_real);
    check_type<arch::gfx1030, bf16, f32>(" bf16", random_real);
}
TEST_CASE("whole results of real stages") {
    check_type<arch::host, i32, f32>(" i32 by f32", random_real);
    check_type<arch::host, i8, f16>(" i8 by f16", random_real);
    check_type<arch::gfx942, i8, f32>(" i8 by f32", random_real);
    check_type<arch::sm_90a, i8, f32>(" i8 by f32", random_real);
}
TEST_CASE("whole vectors of rows that end within one, with every instruction set") {
    test::each_isa([] { check_vectors_of_rows<f32, f32>(), check_vectors_of_rows<i8, f16>(); });
}
TEST_CASE("a quantised layer") {
    check_layer<arch::host, f32>();
    check_layer<arch::host, i8>();
    check_layer<arch::gfx942, f16>();
    check_layer<arch::gfx1100, i8>();
    check_layer<arch::sm_90a, f16>();
}

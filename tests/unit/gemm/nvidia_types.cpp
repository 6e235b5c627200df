// f64 and 8-bit types on NVIDIA GPUs, in every layout: what lies along rows is turned in registers, or read
// line by line.
#include "common/gemm_suite.hpp"

using namespace fade;

namespace {

template <class Arch, class In, class Out>
void check_type() {
    using enum gemm_layout;
    constexpr int run = std::max<int>(16 / int(sizeof(In)), 8);
    auto random = test::fresh_random();
    for (const auto layout : {nn, nt, tn, tt})
        for (const bool large : {false, true})
            test::check_edges<Arch, In, Out, all_accesses>({layout, large, true, run}, random);
    test::check_edges<Arch, In, Out, all_accesses>({tn, false, false, run}, random);
    test::holds(std::string(Arch::traits.name) + " " + name(dtype_v<In>), 60, [] {
        auto c = test::random_case({nn, nt, tn, tt}, run);
        if (std::is_integral_v<In>)
            c.stages.clear(), c.problem.alpha = 3, c.problem.beta = c.problem.beta ? -2 : 0;
        test::must_be_right(c, test::check_gemm<Arch, In, Out, all_accesses>(c));
    });
}

/// Only the instruction differs from that of one type, and what is widened.
template <class Arch, class In, class Out>
void check_pair() {
    static constexpr auto kernels = only(operand_access::nt, operand_access::strided);
    auto random = test::fresh_random();
    for (const bool large : {false, true})
        test::check_edges<Arch, In, Out, kernels>({gemm_layout::nt, large, true, 16}, random);
    test::check_edges<Arch, In, Out, kernels>({gemm_layout::tn, false, false, 16}, random);
}

}  // namespace

TEST_CASE("f64") {
    check_type<arch::sm_80, f64, f64>();
    check_type<arch::sm_90a, f64, f64>();
}
TEST_CASE("i8") { check_type<arch::sm_90a, i8, i32>(); }
TEST_CASE("8-bit floating point, widened") { check_type<arch::sm_80, f8e5m2, f32>(); }
TEST_CASE("8-bit floating point") {
    check_type<arch::sm_90a, f8e4m3, bf16>();
    check_type<arch::sm_90a, f8e5m2, f32>();
}
TEST_CASE("8-bit floating point of two types") {
    check_pair<arch::sm_80, operand_pair<f8e4m3, f8e5m2>, f32>();
    check_pair<arch::sm_90a, operand_pair<f8e5m2, f8e4m3>, bf16>();
}

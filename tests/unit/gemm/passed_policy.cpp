// A policy of the caller's in place of the table's: it is what runs, and the report says whose it is.
#include "common/gemm_suite.hpp"

using namespace fade;
using block::pipeline_kind;

namespace {

constexpr gemm_policy cdna{.block_tile = {128, 64, 64},
                           .wave_tile = {32, 64},
                           .pipeline = pipeline_kind::single_buffer,
                           .swizzle_rows = 3};
constexpr gemm_policy rdna3{
    .block_tile = {48, 96, 32}, .wave_tile = {48, 32}, .pipeline = pipeline_kind::read_ahead, .xcd_chunk = 1};
constexpr gemm_policy rdna2{.block_tile = {96, 32, 16}, .wave_tile = {32, 32}};

constexpr gemm_policy hopper{
    .block_tile = {64, 256, 64}, .wave_tile = {16, 256}, .pipeline = pipeline_kind::async_ring};
constexpr gemm_policy hopper_boxes{
    .block_tile = {192, 128, 64}, .wave_tile = {16, 128}, .pipeline = pipeline_kind::tma_ring, .cluster = 2};

// Four share less than they number boxes.
constexpr gemm_policy small_boxes{
    .block_tile = {64, 64, 64}, .wave_tile = {16, 64}, .pipeline = pipeline_kind::tma_ring, .cluster = 4};

// A ring copies elements as they are, so what is widened has none.
constexpr gemm_policy ampere{
    .block_tile = {64, 64, 64}, .wave_tile = {32, 32}, .pipeline = pipeline_kind::async_ring};
static_assert(kernel::misfit_of<arch::sm_80, i8, ampere>() == kernel::gemm_misfit::none);
static_assert(kernel::misfit_of<arch::sm_80, f8e4m3, ampere>() == kernel::gemm_misfit::pipeline);
// The matrix unit of boxes takes 8-bit types in steps of 128 bytes.
constexpr gemm_policy boxes_of_bytes{
    .block_tile = {64, 128, 128}, .wave_tile = {16, 128}, .pipeline = pipeline_kind::tma_ring};
static_assert(kernel::misfit_of<arch::sm_90a, i8, boxes_of_bytes>() == kernel::gemm_misfit::none);
static_assert(kernel::misfit_of<arch::sm_90a, i8, hopper_boxes>() == kernel::gemm_misfit::warpgroup);

/// All edges of two readings and of the one by elements, each against the reference.
template <class Arch, class In, gemm_policy Policy>
void check_passed() {
    static constexpr gemm_kernels kernels =
        with_policy(Policy, only(operand_access::nt, operand_access::nn, operand_access::strided));
    auto random = test::fresh_random();
    for (const test::kernel_choice& kind :
         {test::kernel_choice{gemm_layout::nt, true, true}, test::kernel_choice{gemm_layout::nn, false, true},
          test::kernel_choice{gemm_layout::tn, true, false}})
        for (const auto& e : test::edges_of(Policy)) {
            auto c = test::case_of(kind, e, random());
            c.split_k = int(random() % 3) + 1;
            INFO(c);
            CHECK(test::check_gemm<Arch, In, In, kernels>(c) == "");
        }
}

alignas(16) f16 memory[1];  // a plan touches no memory
constexpr gemm_problem some(gemm_layout layout) { return {.m = 512, .n = 256, .k = 128, .layout = layout}; }

template <gemm_policy Policy, class Device>
gemm_plan planned(Device& device, const gemm_problem& p, fade::index shift = 0, bool strict = false) {
    return plan_gemm<f16, f16, with_policy(Policy)>(
        device, p, {.a = memory + 64 + shift, .b = memory + (1 << 20), .d = memory + (1 << 24)},
        epilogue::none{}, {.strict = strict});
}

/// A device that learns its architecture when the program runs, as GPUs are.
struct late_device {
    bool is_cdna;
    std::string name() const { return "late"; }
    int compute_units() const { return 64; }
    template <class F>
    void with_arch(F&& f) const {
        is_cdna ? f(arch::gfx942{}) : f(arch::gfx1030{});
    }
    template <class Entry>
    launch_shape shape_of() const {
        launch_shape out{};
        with_arch([&](auto arch) { out = Entry::template shape<decltype(arch)>(); });
        return out;
    }
};

}  // namespace

TEST_CASE("MFMA by a passed policy") { check_passed<arch::gfx942, f16, cdna>(); }
TEST_CASE("WMMA by a passed policy") { check_passed<arch::gfx1100, bf16, rdna3>(); }
TEST_CASE("dot products by a passed policy") { check_passed<arch::gfx1030, f16, rdna2>(); }

/// Where neither rows nor columns of a tile are all there, and where all are.
template <gemm_policy Policy>
void check_warpgroups(std::initializer_list<test::extent> extents) {
    static constexpr gemm_kernels kernels = with_policy(Policy, only(operand_access::nt, operand_access::nn));
    auto random = test::fresh_random();
    for (const auto layout : {gemm_layout::nt, gemm_layout::nn})
        for (const test::extent& e : extents) {
            const auto c = test::case_of({layout, true, true}, e, random());
            INFO(c);
            CHECK(test::check_gemm<arch::sm_90a, f16, f16, kernels>(c) == "");
        }
}
TEST_CASE("warpgroups by a passed policy") {
    check_warpgroups<hopper>({{70, 260, 200}, {64, 256, 64}, {1, 8, 8}});
}
TEST_CASE("boxes by a passed policy") {
    check_warpgroups<hopper_boxes>({{200, 136, 200}, {384, 256, 64}, {1, 8, 8}, {40, 1000, 8}});
    check_warpgroups<small_boxes>({{200, 72, 200}, {300, 40, 8}, {72, 136, 136}});
}

TEST_CASE("the plan and the report are the passed policy's") {
    emulated_device<arch::gfx942> device;
    const gemm_plan plan = planned<cdna>(device, some(gemm_layout::nt));
    CHECK(plan.policy == cdna);
    CHECK(!(planned<rdna2>(device, some(gemm_layout::nt)).policy == cdna));
    CHECK(plan.launches.at(0).grid[0] == 4 * 4);
    CHECK(plan.launches.at(0).block[0] == 4 * 64);
    const report& r = plan.report;
    CHECK(r.requested ==
          "gemm nt 512 x 256 x 128, f16 to f16, epilogue none, policy block_tile 128x64x64, wave_tile 32x64, "
          "pipeline single_buffer, swizzle_rows 3, xcd_chunk 16, waves_per_simd 1, cluster 1, cluster_k 1, "
          "schedule tiles");
    CHECK(r.chosen == "gemm_nt_passed 128x64x64, single_buffer");
    CHECK(r.why == "the caller passed the policy; operands are read in 16-byte runs");
    CHECK(r.evidence == "none: the caller passed this policy, and nobody audited or measured it on gfx942");
    CHECK(!r.fallback);
}

TEST_CASE("the table's own policy, passed, claims none of its evidence") {
    emulated_device<arch::gfx942> device({.compute_units = 1});
    static constexpr gemm_policy table = tune::gemm_rows<arch::gfx942, f16>::row.large;
    const report passed = planned<table>(device, some(gemm_layout::nt)).report;
    const report chosen = plan_gemm<f16>(device, some(gemm_layout::nt),
                                         {.a = memory + 64, .b = memory + (1 << 20), .d = memory + (1 << 24)})
                              .report;
    CHECK(chosen.evidence.find("static audit") == 0);
    CHECK(passed.evidence.find("none: ") == 0);
    CHECK(chosen.requested.find("policy") == std::string::npos);
}

TEST_CASE("what keeps a passed policy from being run as it is, is a fallback") {
    emulated_device<arch::gfx942> device;
    const report odd = planned<cdna>(device, some(gemm_layout::nt), 1).report;
    CHECK(odd.fallback);
    CHECK(odd.chosen == "gemm_strided_passed 128x64x64, single_buffer");
    CHECK(odd.why.find("the caller passed the policy; rows of A are no whole number") == 0);
    CHECK_THROWS_AS(planned<cdna>(device, some(gemm_layout::nt), 1, true), error);

    static constexpr gemm_policy ring{
        .block_tile = {128, 128, 32}, .wave_tile = {64, 64}, .pipeline = pipeline_kind::async_ring};
    emulated_device<arch::sm_80> nvidia;
    CHECK(planned<ring>(nvidia, some(gemm_layout::nt)).policy == ring);
    CHECK(!planned<ring>(nvidia, some(gemm_layout::nt)).report.fallback);
    const gemm_plan turned = planned<ring>(nvidia, some(gemm_layout::tn));
    CHECK(turned.policy.pipeline == pipeline_kind::double_buffer);
    CHECK(turned.report.fallback);
    CHECK(turned.report.why.find("async_ring cannot copy such operands, so double_buffer does") !=
          std::string::npos);
    CHECK_THROWS_AS(planned<ring>(nvidia, some(gemm_layout::tn), 0, true), error);
}

TEST_CASE("an architecture learnt at run time refuses what it cannot run") {
    late_device mi300{true}, radeon{false};
    CHECK(planned<cdna>(mi300, some(gemm_layout::nt)).policy == cdna);
    static constexpr gemm_policy wide{.block_tile = {256, 256, 16}, .wave_tile = {32, 64}, .swizzle_rows = 4};
    CHECK_THROWS_WITH(
        planned<wide>(mi300, some(gemm_layout::nt)),
        "policy is block_tile 256x256x16, wave_tile 32x64, pipeline double_buffer, swizzle_rows 4, xcd_chunk "
        "16, "
        "waves_per_simd 1, cluster 1, cluster_k 1, schedule tiles, but gfx942 cannot run it: compiled for "
        "that "
        "architecture, the compiler "
        "says why");
    CHECK(planned<wide>(radeon, some(gemm_layout::nt)).policy == wide);  // waves of half the lanes
}

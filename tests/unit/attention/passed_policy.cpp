// A policy of the caller's in place of the table's: it is what runs, and the report says whose it is.
#include "common/attention_suite.hpp"

using namespace fade;
using test::attention_case, test::attention_data;
using enum attention_q_storage;

namespace {

constexpr attention_policy cdna{.waves = 2,
                                .wave_queries = 64,
                                .keys = 32,
                                .head_dim = 64,
                                .value_parts = 2,
                                .q_storage = shared,
                                .waves_per_simd = 1};
constexpr attention_policy rdna3{.waves = 3,
                                 .wave_queries = 32,
                                 .keys = 32,
                                 .head_dim = 128,
                                 .q_storage = shared,
                                 .rows_at_once = 2,
                                 .waves_per_simd = 1};
constexpr attention_policy pipelined{
    .waves = 2, .keys = 64, .head_dim = 64, .schedule = attention_schedule::software_pipelined};
constexpr attention_policy hopper{.waves = 4,
                                  .wave_queries = 16,
                                  .keys = 48,
                                  .head_dim = 64,
                                  .schedule = attention_schedule::by_warpgroup,
                                  .copy = attention_copy::async,
                                  .stages = 2};

/// The chain of this atom makes 32 keys of scores one step of the second product.
constexpr attention_policy short_steps{
    .waves = 2, .wave_queries = 16, .keys = 16, .head_dim = 128, .q_storage = shared, .waves_per_simd = 1};
static_assert(kernel::misfit_of<arch::sm_80, f16, short_steps>() == kernel::attention_misfit::keys);
static_assert(kernel::misfit_of<arch::gfx1100, f16, short_steps>() == kernel::attention_misfit::none);

/// All kinds of problems, each against the reference.
template <class Arch, class T, attention_policy Policy>
void check_passed(int times) {
    emulated_device<Arch> device;
    test::holds(device.name() + " attention by a passed policy", times, [&] {
        attention_case c = test::draw_attention(Policy.head_dim, *rc::gen::arbitrary<bool>());
        const bool few = *rc::gen::arbitrary<bool>();
        const attention_options options = few ? test::draw_decoding(c) : attention_options{};
        attention_data<T> x(c);
        const report r = attention<T, T, with_policy(Policy)>(device, x.problem, x.operands(), options);
        test::must_be_right(c, test::wrong_with(x) +
                                   (r.chosen.find("_passed_") == r.chosen.npos ? " by " + r.chosen : ""));
    });
}

alignas(16) f16 memory[1];  // a plan touches no memory
constexpr attention_problem many{
    .batch = 2, .heads = 4, .seq_q = 512, .seq_k = 512, .head_dim = 64, .causal = causal_kind::bottom_right};

template <attention_policy Policy, class Device>
attention_plan planned(Device& device, const attention_problem& p, const attention_options& options = {}) {
    return plan_attention<f16, f16, with_policy(Policy)>(
        device, p, {.q = memory, .k = memory + (1 << 22), .v = memory + (1 << 23), .o = memory + (1 << 24)},
        options);
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

TEST_CASE("attention of MFMA by a passed policy") { check_passed<arch::gfx942, f16, cdna>(40); }
TEST_CASE("attention of WMMA by a passed policy") { check_passed<arch::gfx1100, bf16, rdna3>(20); }
TEST_CASE("attention of warpgroups by a passed policy") { check_passed<arch::sm_90a, f16, hopper>(20); }

TEST_CASE("attention scored a tile ahead by a passed policy") {
    emulated_device<arch::gfx942> device;
    test::holds("attention by a passed schedule", 20, [&] {
        attention_case c = test::draw_attention(pipelined.head_dim, false);
        c.scales = c.unscaled_q = false;
        if (c.lengths_k.empty()) c.problem.seq_k = *rc::gen::inRange(1, 500);
        attention_data<f16> x(c);
        attention<f16, f16, with_policy(pipelined)>(device, x.problem, x.operands());
        test::must_be_right(c, test::wrong_with(x));
    });
}

TEST_CASE("the plan and the report of an attention are the passed policy's") {
    emulated_device<arch::gfx942> device;
    const attention_plan plan = planned<cdna>(device, many);
    CHECK(plan.policy == cdna);
    CHECK(!(planned<pipelined>(device, many).policy == cdna));
    CHECK(plan.launches.at(0).grid[0] == 512 / 128 * 2);
    CHECK(plan.launches.at(0).block[0] == 2 * 64);
    const report& r = plan.report;
    CHECK(r.requested ==
          "attention batch 2, heads 4 over 4, 512 queries x 512 keys, head_dim 64, f16 to f16, causal "
          "bottom-right, policy waves 2, wave_queries 64, keys 32, head_dim 64, span 0, value_parts 2, "
          "q_storage shared, rows_at_once 0, schedule in_order, copy registers, stages 1, waves_per_simd 1");
    CHECK(r.chosen == "attention_plain_passed_d64 128 queries x 32 keys, 2 waves");
    CHECK(
        r.why ==
        "the caller passed the policy; no rule beside an end of the visible keys; head_dim 64 runs in tiles "
        "of 64");
    CHECK(r.evidence == "none: the caller passed this policy, and nobody audited or measured it on gfx942");
}

TEST_CASE("the table's own policy of an attention, passed, claims none of its evidence") {
    emulated_device<arch::gfx942> device({.compute_units = 1});
    static constexpr attention_policy table =
        tune::attention_row<arch::gfx942, f16>(64, tune::attention_variant::plain);
    const report chosen =
        plan_attention<f16>(
            device, many,
            {.q = memory, .k = memory + (1 << 22), .v = memory + (1 << 23), .o = memory + (1 << 24)})
            .report;
    CHECK(chosen.evidence.find("static audit") == 0);
    CHECK(planned<table>(device, many).report.evidence.find("none: ") == 0);
    CHECK(chosen.requested.find("policy") == std::string::npos);
}

TEST_CASE("few queries are decoded by the passed policy") {
    emulated_device<arch::gfx942> device({.compute_units = 64});
    attention_problem few = many;
    few.seq_q = 1, few.seq_k = 4096;
    const attention_plan plan = planned<cdna>(device, few);
    CHECK(plan.policy == cdna);
    CHECK(plan.variant == tune::attention_variant::decode);
    CHECK(plan.launches.size() == 2);
    // a schedule that decoding has not is left to the kernel that has it
    CHECK(planned<pipelined>(device, few).variant == tune::attention_variant::plain);
}

TEST_CASE("problems for which a passed policy is not are refused") {
    emulated_device<arch::gfx942> device;
    attention_problem p = many;
    p.head_dim_v = 65;
    CHECK_THROWS_WITH(planned<cdna>(device, p),
                      "head_dim is 65, but the policy that was passed holds heads of up to 64 dimensions");
    p = many, p.softcap = 20;
    CHECK(planned<cdna>(device, p).variant == tune::attention_variant::general);
    CHECK_THROWS_WITH(
        planned<pipelined>(device, p),
        "policy is waves 2, wave_queries 32, keys 64, head_dim 64, span 0, value_parts 1, q_storage "
        "registers, "
        "rows_at_once 0, schedule software_pipelined, copy registers, stages 1, waves_per_simd 2, but the "
        "general kernel does not run it, and this problem takes that one: a window on the left, a negative "
        "scale, softcap, ALiBi, a bias, a sink, dropout, scales, first keys, pages that may be missing or a "
        "rule of one's own needs the general kernel; head_dim 64 runs in tiles of 64");
    CHECK(planned<cdna>(device, many, {.split_kv = 2}).variant == tune::attention_variant::decode);
    CHECK_THROWS_WITH(
        planned<pipelined>(device, many, {.split_kv = 2}),
        "split_kv is 2, but the decoding kernel shares keys, which does not run the policy that "
        "was passed: give 1 or 0, or let its schedule be in_order");
}

TEST_CASE("an architecture learnt at run time refuses what attention it cannot run") {
    late_device mi300{true}, radeon{false};
    CHECK(planned<pipelined>(mi300, many).policy == pipelined);
    CHECK_THROWS_WITH(planned<pipelined>(radeon, many),
                      "policy is waves 2, wave_queries 32, keys 64, head_dim 64, span 0, value_parts 1, "
                      "q_storage registers, "
                      "rows_at_once 0, schedule software_pipelined, copy registers, stages 1, waves_per_simd "
                      "2, but gfx1030 "
                      "cannot run it: compiled for that architecture, the compiler says why");
}

// Products of groups with quantised weights, and what they refuse.
#include "common/grouped_weight_trial.hpp"
#include "common/refusal.hpp"

namespace fade::test {
namespace {

TEST_CASE("host by GPTQ") { grouped_weight_suite<arch::host, weights::gptq(64), f16>(60, 1); }
TEST_CASE("host by rows") { grouped_weight_suite<arch::host, weights::mxfp8(), bf16, float>(40, 1); }
TEST_CASE("gfx942 by groups of any size") {
    grouped_weight_suite<arch::gfx942, weights::gptq(weights::any_group), bf16, float>(20, 2);
}
TEST_CASE("gfx1100 by AWQ") { grouped_weight_suite<arch::gfx1100, weights::awq(32), f16>(20, 2); }
TEST_CASE("sm_90a by bytes") { grouped_weight_suite<arch::sm_90a, weights::int8_rows(), bf16>(20, 2); }

/// A call of two groups, small and right; tests change one thing of it.
template <weight_format Format>
struct call {
    alignas(16) f16 a[8 * 128] = {};
    alignas(16) std::uint32_t words[2 * 16 * 128 / 4] = {}, zeros[128] = {};
    alignas(16) weight_scale_t<Format> scales[64] = {};
    std::vector<f16> d = std::vector<f16>(128, poison<f16>());
    std::vector<int> ends{3, 8}, list{0, 1, 2, 3, 4, 5, 6, 7};
    grouped_weight_gemm_problem problem{.rows = 8, .n = 16, .k = 128, .groups = 2};
    grouped_weight_gemm_operands<Format, f16> operands{.a = a,
                                                       .weights = words,
                                                       .scales = scales,
                                                       .zeros =
                                                           Format.zero == weight_zero::none ? nullptr : zeros,
                                                       .d = d.data(),
                                                       .ends = ends.data()};
    void with_list(int rows_of_a) { operands.row_list = list.data(), problem.rows_of_a = rows_of_a; }
};

template <weight_format Format, class Spoil>
void refused(Spoil spoil, const std::string& argument, const std::string& value, const std::string& words) {
    call<Format> c;
    spoil(c);
    host_device cpu(1);
    refusal out;
    try {
        grouped_weight_gemm<Format, f16>(cpu, c.problem, c.operands);
    } catch (const error& e) {
        out = {e.argument(), e.value(), e.rule(), e.what()};
    }
    for (const f16& x : c.d) out.wrote = out.wrote || !is_poison(x);
    check_refusal(out, argument, value, words);
}

TEST_CASE("what is refused, and in which words") {
    constexpr weight_format rows{}, gptq = weights::gptq(64);
    refused<rows>([](auto& c) { c.problem.groups = -1; }, "groups", "-1", "between 0 and 65535");
    refused<rows>([](auto& c) { c.problem.rows = -1; }, "rows", "-1", "between 0 and 2^31 - 1");
    refused<rows>([](auto& c) { c.problem.k = 96; }, "k", "96", "come in 128 k at once");
    refused<gptq>([](auto& c) { c.problem.n = 12; }, "n", "12", "columns of 8 at once");
    refused<gptq>([](auto& c) { c.problem.group = 128; }, "group", "128", "it must be 0, or the same");
    refused<rows>([](auto& c) { c.problem.lda = 132; }, "lda", "132", "a multiple of 8");
    refused<rows>([](auto& c) { c.problem.rows = 1, c.ends = {0, 1}, c.with_list(8), c.problem.lda = 132; },
                  "lda", "132", "a multiple of 8");
    refused<rows>([](auto& c) { c.problem.rows_of_a = 5; }, "rows_of_a", "5", "without a list");
    refused<rows>([](auto& c) { c.with_list(0); }, "rows_of_a", "0", "say how many");
    refused<rows>([](auto& c) { c.operands.ends = nullptr; }, "ends", "null", "the last row of each group");
    refused<rows>([](auto& c) { c.operands.a = nullptr; }, "a", "null", "it is read");
    refused<rows>([](auto& c) { c.operands.weights = c.words + 1; }, "weights", "4", "aligned runs");
    refused<rows>([](auto& c) { c.operands.scales = nullptr; }, "scales", "null", "it is read");
    refused<gptq>([](auto& c) { c.operands.zeros = nullptr; }, "zeros", "null", "it is read");
    refused<rows>([](auto& c) { c.operands.zeros = c.zeros; }, "zeros", "given", "has none");
    refused<rows>([](auto& c) { c.problem.beta = 1; }, "c", "null", "it is read");
    refused<rows>([](auto& c) { c.operands.d = c.a; }, "d", "overlapping a", "may not lie in an operand");
    // The last group's words and scales.
    refused<rows>([](auto& c) { c.operands.d = reinterpret_cast<f16*>(c.words + 500); }, "d",
                  "overlapping weights", "may not lie in an operand");
    refused<rows>([](auto& c) { c.operands.d = reinterpret_cast<f16*>(c.scales + 31); }, "d",
                  "overlapping scales", "may not lie in an operand");
    refused<gptq>([](auto& c) { c.operands.d = reinterpret_cast<f16*>(c.zeros + 7); }, "d",
                  "overlapping zeros", "may not lie in an operand");
    refused<rows>([](auto& c) { c.ends = {5, 4}; }, "ends[1]", "4", "where the group before ends");
    refused<rows>([](auto& c) { c.with_list(8), c.list[6] = 8; }, "row_list[6]", "8", "A has 8 rows");
}

TEST_CASE("a plan is what runs, and a D without elements launches nothing") {
    constexpr weight_format gptq = weights::gptq(64);
    call<gptq> c;
    emulated_device<arch::gfx1100> device;
    const auto plan = plan_grouped_weight_gemm<gptq, f16>(device, c.problem, c.operands);
    CHECK(plan.launches.size() == 1);
    CHECK(is_poison(c.d[0]));
    CHECK(plan.report.requested.find("2 groups, 8 x 16 x 128, f16 by unsigned4 gptq, groups of 64") !=
          std::string::npos);
    CHECK(plan.report.why.find("groups of 4 rows on average: fewer than half") != std::string::npos);
    CHECK(grouped_weight_gemm<gptq, f16>(device, c.problem, c.operands).chosen == plan.report.chosen);
    CHECK(!is_poison(c.d[0]));
    for (index grouped_weight_gemm_problem::* size :
         {&grouped_weight_gemm_problem::rows, &grouped_weight_gemm_problem::n}) {
        grouped_weight_gemm_problem p = c.problem;
        p.*size = 0;
        CHECK(plan_grouped_weight_gemm<gptq, f16>(device, p, {}).launches.empty());
    }
}

TEST_CASE("what a call's choice rests on") {
    constexpr weight_format rows = weights::int8_rows();
    call<rows> c;
    const auto evidence = [&](auto device) {
        return plan_grouped_weight_gemm<rows, f16>(device, c.problem, c.operands).report.evidence;
    };
    CHECK(evidence(emulated_device<arch::sm_90a>()).find("checked on an NVIDIA H200, 2026-11-28") == 0);
    CHECK(evidence(emulated_device<arch::gfx942>()).find("none: ") == 0);
}

TEST_CASE("tables that nobody looks at touch nothing beyond the memory") {
    constexpr weight_format gptq = weights::gptq(64);
    for (const std::vector<int>& ends : {std::vector<int>{3, 1 << 30}, {3, -7}}) {
        call<gptq> c;
        for (f16& x : c.a) x = to_f16(1);
        for (std::uint32_t& w : c.words) w = 0x44444444;
        for (auto& s : c.scales) s = to_f16(0.5f);
        c.with_list(8), c.ends = ends, c.list = {0, -1, 1 << 29, 3, 4, 5, 6, 8};
        emulated_device<arch::gfx942> device;
        grouped_weight_gemm<gptq, f16>(device, c.problem, c.operands, {}, {.check_indices = false});
        for (index row = 0; row < 3; ++row)  // 128 times 0.5 (4 - 1)
            CHECK(to_f32(c.d[std::size_t(row * 16)]) == (row == 0 ? 192.f : 0.f));
    }
}

}  // namespace
}  // namespace fade::test

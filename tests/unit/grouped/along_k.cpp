// Products of groups along k, and what they refuse.
#include "common/grouped_k_trial.hpp"
#include "common/late_inputs.hpp"
#include "common/refusal.hpp"

namespace fade::test {
namespace {

TEST_CASE("host f32") { grouped_k_suite<arch::host, f32>(60, 1); }
TEST_CASE("host bf16") { grouped_k_suite<arch::host, bf16, f32>(40, 1); }
TEST_CASE("gfx942 f16") { grouped_k_suite<arch::gfx942, f16, f32>(25, 3); }
TEST_CASE("gfx1100 bf16") { grouped_k_suite<arch::gfx1100, bf16>(25, 3); }
TEST_CASE("sm_90a f16") { grouped_k_suite<arch::sm_90a, f16>(25, 3); }

/// A call of two groups, small and right; tests change one thing of it.
struct call {
    std::vector<float> a = std::vector<float>(64, 1), b = std::vector<float>(64, 2),
                       c = std::vector<float>(128, 3), d = std::vector<float>(128, 7);
    std::vector<int> ends{3, 8};
    grouped_k_gemm_problem problem{.m = 8, .n = 8, .k = 8, .groups = 2};
    grouped_k_gemm_operands<float> operands{
        .a = a.data(), .b = b.data(), .c = c.data(), .d = d.data(), .ends = ends.data()};

    template <class Spoil>
    static void refused(Spoil spoil, const std::string& argument, const std::string& value,
                        const std::string& words) {
        call tried;
        spoil(tried);
        refusal out;
        host_device cpu(1);
        try {
            grouped_k_gemm<float>(cpu, tried.problem, tried.operands);
        } catch (const error& e) {
            out = {e.argument(), e.value(), e.rule(), e.what()};
        }
        for (const float x : tried.d) out.wrote = out.wrote || x != 7;
        check_refusal(out, argument, value, words);
    }
};

TEST_CASE("what is refused, and in which words") {
    call::refused([](call& x) { x.problem.groups = -1; }, "groups", "-1", "between 0 and 65535");
    call::refused([](call& x) { x.problem.groups = 65536; }, "groups", "65536", "between 0 and 65535");
    call::refused([](call& x) { x.problem.k = -1; }, "k", "-1", "between 0 and 2^31 - 1");
    call::refused([](call& x) { x.problem.lda = 7; }, "lda", "7", "has 8 elements");
    call::refused([](call& x) { x.problem.stride_d = 0; }, "stride_d", "0", "needs a D of its own");
    call::refused([](call& x) { x.problem.stride_d = 63; }, "stride_d", "63", "may not overlap");
    call::refused([](call& x) { x.operands.ends = nullptr; }, "ends", "null", "last row of each group");
    call::refused([](call& x) { x.operands.b = nullptr; }, "b", "null", "it is read");
    call::refused([](call& x) { x.operands.c = nullptr, x.problem.beta = 1; }, "c", "null", "it is read");
    call::refused([](call& x) { x.operands.a = x.d.data() + 64; }, "d", "overlapping a", "may not lie in");
    call::refused([](call& x) { x.operands.ends = reinterpret_cast<const int*>(x.d.data()); }, "d",
                  "overlapping ends", "may not lie in");
    call::refused([](call& x) { x.ends = {5, 4}; }, "ends[1]", "4", "where the group before ends");
    call::refused([](call& x) { x.ends = {3, 9}; }, "ends[1]", "9", "the 8 rows");
}

TEST_CASE("ends that nobody looks at sum nothing beyond the rows") {
    const auto sums = [](int first, int second) {
        call c;
        c.ends = {first, second};
        emulated_device<arch::gfx942> device;
        grouped_k_gemm<float>(device, c.problem, c.operands, {}, {.check_indices = false});
        return std::pair{c.d[0], c.d[64]};
    };
    CHECK(sums(3, 1 << 30) == std::pair{6.f, 10.f});
    CHECK(sums(3, -7) == std::pair{6.f, 0.f});
    CHECK(sums(1 << 30, 2) == std::pair{16.f, 0.f});
}

/// Sums of a product whose rows are ones, but those of one group, which are no numbers.
template <class Arch>
void keeps_groups_apart() {
    const index m = 72, n = 200, rows = 150;
    const std::vector<int> ends{70, 75, 75, 141};
    std::vector<f16> a(std::size_t(rows * m), nearest<f16>(1)), b(std::size_t(rows * n), nearest<f16>(1)),
        d(std::size_t(4 * m * n), poison<f16>());
    for (index row = 70; row < 75; ++row)
        for (index i = 0; i < m; ++i)
            a[std::size_t(row * m + i)] = nearest<f16>(std::numeric_limits<double>::infinity());
    for (index row = 141; row < rows; ++row)  // of no group
        for (index j = 0; j < n; ++j)
            b[std::size_t(row * n + j)] = nearest<f16>(std::numeric_limits<double>::quiet_NaN());
    emulated_device<Arch> device;
    grouped_k_gemm<f16>(device, {.m = m, .n = n, .k = rows, .groups = 4},
                        {.a = a.data(), .b = b.data(), .d = d.data(), .ends = ends.data()});
    const float sums[] = {70, std::numeric_limits<float>::infinity(), 0, 66};
    for (index g = 0; g < 4; ++g) {
        index wrong = 0;
        for (index i = 0; i < m * n; ++i) wrong += to_f32(d[std::size_t(g * m * n + i)]) != sums[g];
        INFO(Arch::traits.name, " group ", g);
        CHECK(wrong == 0);
    }
}

TEST_CASE("what is no number stays in its group") {
    keeps_groups_apart<arch::gfx942>();
    keeps_groups_apart<arch::sm_90a>();
}

/// The tiles that are made while `ends` are written; sums of ones are the groups' sizes.
std::string tiles_of_late_ends(int compute_units) {
    const index m = 128, n = 256, rows = 128;
    std::vector<int> ends{40, 120};
    const std::vector<f16> a(std::size_t(rows * m), nearest<f16>(1)),
        b(std::size_t(rows * n), nearest<f16>(1));
    std::vector<f16> d(std::size_t(2 * m * n), poison<f16>());
    auto device = device_of<arch::sm_90a>(1, compute_units);
    late_inputs inputs;
    inputs.add(ends);
    device.monitor().inputs = &inputs;
    const report said = grouped_k_gemm<f16>(
        device, {.m = m, .n = n, .k = rows, .groups = 2},
        {.a = a.data(), .b = b.data(), .d = d.data(), .ends = ends.data()}, {}, {.check_indices = false});
    device.monitor().inputs = nullptr;
    index wrong = 0;
    for (index i = 0; i < 2 * m * n; ++i) wrong += to_f32(d[std::size_t(i)]) != (i < m * n ? 40 : 80);
    INFO(said.chosen);
    CHECK(wrong == 0);
    CHECK(inputs.begun > 0);
    return said.chosen;
}

TEST_CASE("ends that the kernel before writes are read once they are there") {
    CHECK(tiles_of_late_ends(1).find("large") != std::string::npos);
    CHECK(tiles_of_late_ends(1000).find("small") != std::string::npos);
}

TEST_CASE("a group without rows is beta * C, and a fallback is refused in strict mode") {
    call c;
    emulated_device<arch::gfx1100> device;
    c.ends = {0, 8}, c.problem.beta = 2;
    CHECK(grouped_k_gemm<float>(device, c.problem, c.operands).fallback == false);
    CHECK(c.d[0] == 6);
    CHECK(c.d[64] == 22);
    CHECK(plan_grouped_k_gemm<float>(device, c.problem, c.operands).report.evidence.find("none: ") == 0);
    emulated_device<arch::sm_90a> h200;
    CHECK(plan_grouped_k_gemm<float>(h200, c.problem, c.operands).report.evidence.find("checked on ") == 0);
    c.problem.m = 7;
    CHECK_THROWS_AS(grouped_k_gemm<float>(device, c.problem, c.operands, {}, {.strict = true}), error);
    const gemm_plan plan = plan_grouped_k_gemm<float>(device, c.problem, c.operands);
    CHECK(plan.launches.size() == 1);
    CHECK(plan.report.fallback);
    c.problem.m = 0;
    CHECK(plan_grouped_k_gemm<float>(device, c.problem, {}).launches.empty());
    c.problem.m = 8, c.problem.alpha = 0, c.operands.a = c.operands.b = nullptr;
    grouped_k_gemm<float>(device, c.problem, c.operands);
    CHECK(c.d[64] == 6);
}

}  // namespace
}  // namespace fade::test

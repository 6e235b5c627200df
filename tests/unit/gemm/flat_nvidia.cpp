// Few rows that boxes bring: all edges of a tile of 64 rows, then random problems.
#include "common/gemm_check.hpp"
#include "common/gemm_random.hpp"
#include <array>
#include <map>
#include <set>

namespace fade::test {
namespace {

template <class In, class Out = In, operand_access Access = operand_access::nt>
void flat_suite(int cases) {
    static constexpr gemm_kernels kernels = only(Access);
    static constexpr tile_shape tile =
        tune::policy_for(tune::row_of<arch::sm_90a, In>(), tune::size_class::flat, Access).block_tile;
    static_assert(tile.m == 64);
    constexpr index run = 16 / index(sizeof(In));
    const auto flat = [](index m, index n, index k) { return aligned_case<Access>(m, n, k, run); };
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    const index d = tile.k, width = tile.n;
    int i = 0;
    for (const index k : {run, d, d + run, 4 * d, 9 * d - run})
        for (const index n : {width - 1, 2 * width + 1}) {
            const index m[] = {33, 63, 64};
            gemm_case c = flat(m[i++ % 3], n, k);
            c.split_k = i % 2 + 1, c.compute_units = 1, c.seed = random();
            gemm_data<In, Out> data(c);
            auto device = device_of<arch::sm_90a>(1, 1);
            INFO(c);
            CHECK(plan_gemm<In, Out, kernels>(device, c.problem, data.operands())
                      .report.chosen.find(std::string("gemm_") + name(Access) + "_flat 64x128") == 0);
            CHECK(check_gemm<arch::sm_90a, In, Out, kernels>(c) == "");
        }
    holds(std::string("flat ") + name(Access) + " of " + name(dtype_v<In>), cases, [&] {
        gemm_case c = flat(*rc::gen::inRange(17, 65), *rc::gen::inRange(1, 300), *rc::gen::inRange(1, 700));
        c.problem.batch = *rc::gen::element<index>(1, 1, 2), c.split_k = *rc::gen::element(1, 0, 2, 3);
        c.problem.alpha = *rc::gen::element(1.0, -2.0), c.problem.beta = *rc::gen::element(0.0, 3.0);
        c.shift_d = *rc::gen::inRange<index>(0, 9), c.compute_units = *rc::gen::element(1, 4);
        lay_out(c.problem, run * *rc::gen::inRange<index>(0, 3), run * *rc::gen::inRange<index>(0, 3));
        if (!std::is_integral_v<Out> && *rc::gen::arbitrary<bool>()) c.stages.push_back(random_stage());
        c.seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
        must_be_right(c, check_gemm<arch::sm_90a, In, Out, kernels>(c));
    });
}

/// Few columns: B's boxes are as wide as B, the rest of a tile is memory that nobody brought.
template <class In, class Out, operand_access Access>
void narrow_suite(int cases) {
    static constexpr gemm_kernels kernels = only(Access);
    std::set<std::string> kinds;
    holds(std::string("few columns ") + name(Access) + " of " + name(dtype_v<In>), cases, [&] {
        gemm_case c;
        c.problem.layout = gemm_layout(int(Access));
        c.problem.m = 8 * *rc::gen::inRange(9, 50), c.problem.n = *rc::gen::inRange(9, 65);
        if (!b_transposed(c.problem.layout)) c.problem.n = ceil_div<index>(c.problem.n, 8) * 8;
        c.problem.k = *rc::gen::element<index>(2048, 2112, 2064, b_transposed(c.problem.layout) ? 72 : 2056);
        c.problem.alpha = *rc::gen::element(1.0, -2.0), c.problem.beta = *rc::gen::element(0.0, 3.0);
        c.split_k = *rc::gen::element(1, 0),
        c.compute_units = *rc::gen::element(1, 4, 2 * int(ceil_div<index>(c.problem.m, 64)));
        c.shift_d = *rc::gen::inRange<index>(0, 9);
        lay_out(c.problem, 8 * *rc::gen::inRange<index>(0, 3), 8 * *rc::gen::inRange<index>(0, 3));
        if (*rc::gen::arbitrary<bool>()) c.stages.push_back(random_stage());
        c.seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
        gemm_data<In, Out> data(c);
        auto device = device_of<arch::sm_90a>(1, c.compute_units);
        kinds.insert(
            plan_gemm<In, Out, kernels>(device, c.problem, data.operands()).report.chosen.substr(0, 16));
        must_be_right(c, check_gemm<arch::sm_90a, In, Out, kernels>(c));
    });
    const std::string wanted = std::string("gemm_") + name(Access) + "_flat";
    for (const std::string& kind : kinds) CHECK(kind.find(wanted) == 0);
}

TEST_CASE("few columns, in every layout") {
    narrow_suite<bf16, bf16, operand_access::nt>(8), narrow_suite<f16, float, operand_access::nn>(6);
    narrow_suite<bf16, bf16, operand_access::tn>(6), narrow_suite<f16, f16, operand_access::tt>(6);
}

TEST_CASE("which few columns come by boxes") {
    static constexpr tune::gemm_row row = tune::row_of<arch::sm_90a, bf16>();
    const auto chosen = [](gemm_layout layout, index m, index n, index k) {
        gemm_problem p{.m = m, .n = n, .k = k, .layout = layout};
        lay_out(p, 0, 0);
        const auto* some = reinterpret_cast<const void*>(256);
        const auto choice = tune::select_gemm(row, p, some, some, 2, 132);
        return std::string(tune::name(choice.size)) + (choice.by_times ? ", by times" : "");
    };
    CHECK(chosen(gemm_layout::nt, 8192, 7, 8192) == "skinny_columns");  // below half of an instruction's
    CHECK(chosen(gemm_layout::nt, 8192, 8, 8192) == "flat");
    CHECK(chosen(gemm_layout::nn, 8192, 8, 8192) == "skinny_columns");
    CHECK(chosen(gemm_layout::tt, 8192, 1, 8192) == "flat");
    CHECK(chosen(gemm_layout::nt, 8192, 64, 8192) == "flat");
    CHECK(chosen(gemm_layout::nt, 4096, 64, 4096) == "flat_clustered");
    CHECK(chosen(gemm_layout::nt, 1024, 16, 1024) == "skinny_columns");  // 16 tiles leave memory idle
    CHECK(chosen(gemm_layout::nn, 8192, 32, 8192) == "flat_clustered");
    CHECK(chosen(gemm_layout::tn, 8192, 32, 1024) == "skinny_columns");  // too shallow to share
    CHECK(chosen(gemm_layout::nt, 8192, 65, 8192) == "flat, by times");
}

TEST_CASE("wgmma of 16 bits, in every layout") {
    flat_suite<bf16>(12), flat_suite<f16, float, operand_access::nn>(6);
    flat_suite<bf16, bf16, operand_access::tn>(6), flat_suite<f16, f16, operand_access::tt>(6);
}
TEST_CASE("wgmma of 8 bits") { flat_suite<i8, i32>(6), flat_suite<f8e4m3, bf16>(6); }
TEST_CASE("which few rows come by boxes") {
    static constexpr tune::gemm_row row = tune::row_of<arch::sm_90a, bf16>();
    const auto chosen = [](index m, index n, index k, int asked) {
        gemm_problem p{.m = m, .n = n, .k = k, .layout = gemm_layout::nt};
        lay_out(p, 0, 0);
        const auto* some = reinterpret_cast<const void*>(256);
        const auto choice = tune::select_gemm(row, p, some, some, 2, 132, asked);
        return std::string(tune::name(choice.size)) + (choice.by_times ? ", by times" : "");
    };
    CHECK(chosen(64, 8192, 8192, 1) == "flat");
    CHECK(chosen(64, 4096, 4096, 1) == "flat_clustered");
    CHECK(chosen(64, 4096, 2048, 1) == "flat_clustered");
    CHECK(chosen(64, 4096, 1024, 1) == "flat");  // too shallow to share
    CHECK(chosen(65, 4096, 4096, 1) == "flat, by times");
    CHECK(chosen(64, 4096, 1024, 0) == "flat, by times");
    CHECK(chosen(64, 8192, 8192, 0) == "flat");  // as many tiles as keep memory busy are not cut
    CHECK(chosen(32, 4096, 4096, 0) == "flat_clustered");
    CHECK(chosen(32, 4096, 1024, 1) == "flat");  // the others would read B twice
    CHECK(chosen(16, 4096, 14336, 1) == "flat_clustered");
    CHECK(chosen(16, 2048, 14336, 1) == "skinny");  // 64 workgroups leave memory idle
    CHECK(chosen(16, 4096, 1024, 0) == "skinny");   // a ring hardly begins before it ends
    CHECK(chosen(1, 8192, 8192, 1) == "flat");
    const auto parts = [](index n, index k, int asked) {
        return tune::parts_of_flat(row.flat, {.m = 64, .n = n, .k = k, .layout = gemm_layout::nt}, asked,
                                   132);
    };
    CHECK(parts(8192, 8192, 0) == 1);
    CHECK(parts(4096, 14336, 0) == 4);
    CHECK(parts(8192, 8192, 2) == 2);
    CHECK(tune::parts_of_flat({}, {.m = 1, .n = 1, .k = 1}, 1, 1) == 0);
}

TEST_CASE("the kernel that a report names is launched") {
    static constexpr gemm_kernels kernels = only(operand_access::nt);
    const auto at = [](int bit) { return reinterpret_cast<f16*>(std::uintptr_t(1) << bit); };  // not followed
    auto device = device_of<arch::sm_90a>(1, 132);
    using sizes = std::array<int, 3>;
    std::map<std::string, sizes> launches;  // threads, shared memory and cluster by kernel
    for (const index m : {8, 40, 64, 200, 1024, 8192})
        for (const index n : {40, 512, 4096})
            for (const index k : {64, 2048, 8192}) {
                const gemm_plan plan =
                    plan_gemm<f16, f16, kernels>(device, {.m = m, .n = n, .k = k, .layout = gemm_layout::nt},
                                                 {.a = at(40), .b = at(42), .d = at(44)});
                const planned_launch& first = plan.launches[0];
                const std::string chosen = plan.report.chosen.substr(0, plan.report.chosen.find(' '));
                const sizes asked{first.block[0], first.dynamic_lds, first.cluster};
                INFO(chosen, " m ", m, " n ", n, " k ", k);
                CHECK(launches.emplace(chosen, asked).first->second == asked);
            }
    std::set<sizes> different;
    for (const auto& [chosen, asked] : launches) different.insert(asked);
    CAPTURE(launches.size());
    CHECK(launches.size() >= 4);
    CHECK(different.size() == launches.size());
}

}  // namespace
}  // namespace fade::test

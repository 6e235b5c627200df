// Groups whose rows and matrices Hopper's copy unit brings: tables with edges, chains that are looked up, and
// when lanes copy instead.
#include "common/grouped_tables.hpp"
#include "common/grouped_trial.hpp"
#include "common/late_inputs.hpp"
#include "common/property.hpp"
#include <doctest/doctest.h>

namespace fade::test {
namespace {

using hopper = arch::sm_90a;

TEST_CASE("tables with edges") {
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    const std::vector<std::vector<int>> tables{
        {600},                                  // one group
        {0, 0, 600, 0, 0},                      // all rows in one of them
        {0, 0, 0},                              // none in any
        {1, 255, 1, 129, 127, 0, 128, 64, 65},  // around a tile, and half of one
        {600, 0, 0, 0, 0, 0, 0, 1},
        {2200, 130},  // more rows of tiles than are walked down at once
    };
    for (const std::vector<int>& sizes : tables)
        for (const int units : {1, 3, 1000}) {
            grouped_case c = case_of_size(gemm_layout::nt, {true, false, false}, 8, random());
            c.sizes = sizes, c.compute_units = units, c.spare = c.used() == 0 ? 700 : 130;
            c.problem.groups = int(sizes.size()), c.problem.rows = c.used() + c.spare;
            if (units == 3) c.problem.n = 520;  // an odd number of tiles, of which the last is a few columns
            c.problem.stride_b = c.problem.n * c.problem.k, c.problem.ldc = c.problem.ldd = c.problem.n;
            std::set<std::string> reached;
            INFO(c);
            CHECK(grouped_trial<bf16, bf16>(c).run<hopper>(reached) == "");
            INFO(*reached.begin());
            CHECK(reached.begin()->find("tma_ring") != std::string::npos);
        }
}

/// A product of aligned operands, by boxes unless it is changed.
struct call {
    grouped_gemm_problem problem{.rows = 400, .n = 136, .k = 72, .groups = 2};
    matrix<f16> a{{400, 80, 80}}, b{{136, 80, 80, 2, 136 * 80}}, d{{400, 136, 136}};
    std::vector<int> ends{150, 390};
    std::vector<int> list = std::vector<int>(400, 7);
    std::vector<f16> biases = std::vector<f16>(136, nearest<f16>(0.25));
    emulated_device<hopper> device;

    call() {
        std::mt19937_64 random(rc::detail::configuration().testParams.seed);
        a.fill(random, 1), b.fill(random, 0.125);
        problem.lda = problem.ldb = 80, problem.stride_b = 136 * 80;
    }
    grouped_gemm_operands<f16> operands() {
        return {.a = a.data(), .b = b.data(), .d = d.data(), .ends = ends.data()};
    }
    std::string chosen(const grouped_gemm_operands<f16>& o) {
        const report said = plan_grouped_gemm<f16>(device, problem, o).report;
        return said.chosen.substr(said.chosen.rfind(' ') + 1) + ": " + said.why;
    }
};

TEST_CASE("ends that the kernel before writes are read once they are there") {
    call c;
    auto device = device_of<hopper>(1, 64);
    const auto run = [&] {
        c.d.each([&](index b, index r, index s) { c.d.at(b, r, s) = poison<f16>(); });
        grouped_gemm<f16>(device, c.problem, c.operands(), {}, {.check_indices = false});
    };
    run();
    const auto right = c.d.bytes();
    late_inputs inputs;
    inputs.add(c.ends);
    device.monitor().inputs = &inputs;
    run();
    CHECK(c.d.same_bytes(right));
    CHECK(inputs.begun > 0);
}

TEST_CASE("a chain that is looked up gives the same bits, and neither touches rows of no group") {
    call c;
    const auto poison_output = [&] {
        c.d.each([&](index b, index r, index s) { c.d.at(b, r, s) = poison<f16>(); });
    };
    poison_output();
    grouped_gemm<f16>(c.device, c.problem, c.operands(), bias(c.biases.data()) | relu());
    const auto compiled = c.d.bytes();
    poison_output();
    any_chain<f16> chain;
    chain.push(stage_kind::bias, c.biases).push(stage_kind::relu);
    grouped_gemm<f16>(c.device, c.problem, c.operands(), chain);
    CHECK(c.d.disturbed() == 0);
    CHECK(c.d.same_bytes(compiled));
    index written = 0;
    for (index row = 390; row < 400; ++row)
        for (index column = 0; column < 136; ++column) written += !is_poison(c.d.at(0, row, column));
    CHECK(written == 0);
}

TEST_CASE("when lanes copy") {
    call c;
    CHECK(c.chosen(c.operands())
              .find("tma_ring: boxes of operands are copied by hardware; groups of 200 "
                    "rows on average") == 0);
    SUBCASE("a list names the rows") {
        auto o = c.operands();
        o.row_list = c.list.data(), c.problem.rows_of_a = 400;
        CHECK(c.chosen(o).find("rows of A by a list are no boxes") != std::string::npos);
        CHECK(c.chosen(o).find("tma_ring") == std::string::npos);
    }
    SUBCASE("rows begin at no multiple of 16 bytes") {
        c.problem.lda = 75;
        CHECK(c.chosen(c.operands()).find("rows of A are no whole number") != std::string::npos);
    }
    SUBCASE("groups of few rows") {
        c.problem.groups = 8;
        CHECK(c.chosen(c.operands()).find("fewer than half") != std::string::npos);
    }
}

TEST_CASE("evidence is that of the type, the tiles and the architecture that were timed") {
    using enum operand_access;
    using enum tune::size_class;
    const gemm_policy tiles = tune::grouped_boxes_policy<hopper, bf16>(large),
                      lanes = tune::rows_by_lanes<hopper, bf16>::row.large;
    const auto timed = [](const char* arch, dtype in, tune::size_class size, const gemm_policy& policy) {
        return tune::grouped_evidence(arch, in, {.access = nt, .size = size}, policy).find("measured on") ==
               0;
    };
    CHECK(timed("sm_90a", dtype::bf16, large, tiles));
    CHECK(!timed("sm_90a", dtype::f16, large, tiles));
    CHECK(!timed("sm_90a", dtype::bf16, small, tune::grouped_boxes_policy<hopper, bf16>(small)));
    CHECK(!timed("sm_90a", dtype::bf16, large, lanes));
    CHECK(!timed("gfx942", dtype::bf16, large, tiles));
    call c;
    CHECK(plan_grouped_gemm<f16>(c.device, c.problem, c.operands()).report.evidence ==
          "none: nobody audited or measured grouped products on sm_90a");
}

TEST_CASE("ends that nobody looks at touch nothing beyond the memory") {
    for (const std::vector<int>& ends : {std::vector<int>{1 << 30, 1 << 30}, {150, -7}, {-(1 << 30), 400}}) {
        call c;
        c.ends = ends;
        grouped_gemm<f16>(c.device, c.problem, c.operands(), {}, {.check_indices = false});
        CHECK(c.d.disturbed() == 0);
        for (index row = std::max(std::max(ends[0], ends[1]), 0); row < 400; ++row)
            CHECK(is_poison(c.d.at(0, row, 5)));
    }
}

}  // namespace
}  // namespace fade::test

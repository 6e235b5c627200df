// Tables of grouped products that are wrong: refused where somebody looks, harmless where nobody does.
#include "common/grouped_tables.hpp"
#include "common/refusal.hpp"
#include <doctest/doctest.h>

namespace fade::test {
namespace {

/// A product of two groups, small and right; tests change one thing of it.
struct call {
    std::vector<float> a = std::vector<float>(64), b = std::vector<float>(128), d = std::vector<float>(64, 7);
    std::vector<int> ends{3, 8}, list{0, 1, 2, 3, 4, 5, 6, 7};
    grouped_gemm_problem problem{.rows = 8, .n = 8, .k = 8, .groups = 2};
    grouped_gemm_operands<float> operands{.a = a.data(), .b = b.data(), .d = d.data(), .ends = ends.data()};
    grouped_gemm_options options;

    /// Of the refusal: the argument and its value.
    std::string refused() {
        host_device cpu;
        refusal out;
        try {
            grouped_gemm<float>(cpu, problem, operands, {}, options);
        } catch (const error& e) {
            out = {e.argument(), e.value(), e.rule(), e.what(), false};
        }
        INFO("said: ", out.sentence);
        CHECK(out.rule.size() > 10);
        for (const float x : d) CHECK(x == 7);
        return out.argument + " " + out.value;
    }
    void with_list() { operands.row_list = list.data(), problem.rows_of_a = 8; }
};

}  // namespace

TEST_CASE("tiles of groups are those that are expected to end first") {
    constexpr tune::gemm_row row = tune::row_of_two_sizes<arch::gfx942, f16>();
    const auto* some = reinterpret_cast<const void*>(256);
    const auto chosen = [&](fade::index rows, const tune::tile_model& model) {
        grouped_gemm_problem p{.rows = rows, .n = 2048, .k = 512, .groups = 64, .layout = gemm_layout::nt};
        p.lda = p.ldb = 512, p.ldd = 2048, p.stride_b = 2048 * 512;
        return tune::select_grouped(row, p, some, some, 2, 304, model);
    };
    CHECK(row.small == tune::gemm_rows<arch::gfx942, f16>::row.medium);
    CHECK(row.strided == tune::gemm_rows<arch::gfx942, f16>::row.small);
    constexpr auto model = tune::model_of<arch::gfx942, f16>();
    const auto half = chosen(64 * 128, model);  // large tiles would be half full
    CHECK(half.size == tune::size_class::small);
    CHECK(half.why == "operands are read in 16-byte runs; groups of 128 rows on average: of 1024 tiles of "
                      "128x128 the busiest of 304 compute units makes 4, in 0.50 of the time expected of "
                      "256x256");
    CHECK(chosen(64 * 4096, model).size == tune::size_class::large);
    CHECK(chosen(64 * 128, {}).size == tune::size_class::large);  // nobody's figures: tiles are counted
}

TEST_CASE("tables that nobody looks at touch nothing beyond the memory") {
    CHECK(unlooked_tables<arch::host>() == "");
    CHECK(unlooked_tables<arch::gfx1100>() == "");
    CHECK(unlooked_tables<arch::gfx942>() == "");
}

TEST_CASE("what is refused, and in which words") {
    call c;
    SUBCASE("ends fall") {
        c.ends = {5, 4};
        CHECK(c.refused() == "ends[1] 4");
    }
    SUBCASE("ends beyond the rows") {
        c.ends = {3, 9};
        CHECK(c.refused() == "ends[1] 9");
    }
    SUBCASE("a row that A has not") {
        c.with_list(), c.list[6] = 8;
        CHECK(c.refused() == "row_list[6] 8");
    }
    SUBCASE("a list of a matrix whose rows nobody counted") {
        c.operands.row_list = c.list.data();
        CHECK(c.refused() == "rows_of_a 0");
    }
    SUBCASE("rows of A without a list") {
        c.problem.rows_of_a = 5;
        CHECK(c.refused() == "rows_of_a 5");
    }
    SUBCASE("sizes that cannot be") {
        const grouped_gemm_problem good = c.problem;
        for (const int groups : {-1, 65536}) {
            c.problem.groups = groups;
            CHECK(c.refused() == "groups " + std::to_string(groups));
        }
        for (const index rows : {index(-1), index(1) << 31}) {
            c.problem = good, c.problem.rows_of_a = rows;
            CHECK(c.refused() == "rows_of_a " + std::to_string(rows));
        }
        c.problem = good, c.problem.rows = 0, c.problem.rows_of_a = -1;
        CHECK(c.refused() == "rows_of_a -1");
        c.problem = good, c.problem.rows = -1;
        CHECK(c.refused().find(" -1") != std::string::npos);
        c.problem = good, c.problem.stride_b = 63;
        c.problem.ldb = 7;
        CHECK(c.refused() == "ldb 7");
    }
    SUBCASE("no ends") {
        c.operands.ends = nullptr;
        CHECK(c.refused() == "ends null");
    }
    SUBCASE("a transposed A") {
        c.problem.layout = gemm_layout::tn;
        CHECK(c.refused() == "layout 2");
    }
    SUBCASE("no A") {
        c.operands.a = nullptr;
        CHECK(c.refused() == "a null");
    }
    SUBCASE("D in B") {
        c.operands.b = c.d.data();
        CHECK(c.refused() == "d overlapping b");
    }
    SUBCASE("rows too short") {
        c.problem.lda = 7;
        CHECK(c.refused() == "lda 7");
    }
}

TEST_CASE("a fallback is refused in strict mode, and a plan launches nothing") {
    call c;
    emulated_device<arch::gfx942> device;
    c.problem.lda = 9, c.problem.rows = 7, c.ends = {3, 7};
    CHECK(grouped_gemm<float>(device, c.problem, c.operands).fallback);
    for (float& x : c.d) x = 7;
    CHECK_THROWS_AS(grouped_gemm<float>(device, c.problem, c.operands, {}, {.strict = true}), error);
    c.problem.lda = 0;
    const gemm_plan plan = plan_grouped_gemm<float>(device, c.problem, c.operands);
    CHECK(plan.launches.size() == 1);
    CHECK(plan.report.chosen.find("grouped_gemm_nt_small") == 0);
    for (const float x : c.d) CHECK(x == 7);
    c.problem.rows = 0;
    CHECK(plan_grouped_gemm<float>(device, c.problem, c.operands).launches.empty());
    CHECK(plan_grouped_gemm<float>(device, c.problem, {}).launches.empty());
    c.problem.rows = 7, c.problem.n = 0;
    CHECK(plan_grouped_gemm<float>(device, c.problem, {}).launches.empty());
}

TEST_CASE("with alpha = 0 neither A nor B is read") {
    for (const index k : {0, 8}) {
        call c;
        host_device cpu;
        c.operands.a = c.operands.b = nullptr, c.problem.k = k, c.problem.alpha = k ? 0 : 1;
        grouped_gemm<float>(cpu, c.problem, c.operands);
        for (const float x : c.d) CHECK(x == 0);
    }
}

}  // namespace fade::test

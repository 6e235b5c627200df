// The static model's ranking of a product's policies.
#include <algorithm>
#include <doctest/doctest.h>
#include <fade/gemm.hpp>
#include <fade/tune/gemm/rank.hpp>

using namespace fade;

namespace {
template <class Arch>
std::vector<tune::ranked_gemm> ranked(fade::index m, fade::index n, fade::index k, int units) {
    return tune::rank_gemm<Arch, f16>({.m = m, .n = n, .k = k, .layout = gemm_layout::nt}, units);
}
}  // namespace

TEST_CASE_TEMPLATE("policies are those of the table, the fastest first, and each says what it rests on", Arch,
                   arch::gfx90a, arch::gfx942, arch::gfx1100, arch::gfx1201) {
    constexpr tune::gemm_row row = tune::gemm_rows<Arch, f16>::row;
    for (const fade::index size : {64, 777, 8192}) {
        const auto all = ranked<Arch>(size, size, size, 60);
        REQUIRE(all.size() >= 2);
        CHECK(all.front().relative == 1);
        for (const tune::ranked_gemm& r : all) {
            CHECK(r.relative >= 1);
            CHECK((r.choice.policy == tune::policy_for(row, tune::size_class::small, operand_access::nt) ||
                   r.choice.policy == tune::policy_for(row, tune::size_class::large, operand_access::nt)));
            CHECK(r.evidence.starts_with("static audit of f16 nt"));
        }
        CHECK(std::ranges::is_sorted(all, {}, &tune::ranked_gemm::relative));
    }
}

TEST_CASE("one tile of great depth is shared, and many tiles are not") {
    CHECK(ranked<arch::gfx942>(64, 64, 65536, 304).front().choice.split_k > 1);
    CHECK(ranked<arch::gfx942>(8192, 8192, 256, 304).front().choice.split_k == 1);
    // Large tiles fill few compute units better than they fill many.
    const auto large = tune::gemm_rows<arch::gfx942, f16>::row.large.block_tile;
    CHECK(ranked<arch::gfx942>(8 * large.m, 8 * large.n, 4096, 64).front().choice.policy.block_tile == large);
}

TEST_CASE("what nobody read has no rank, but stands there") {
    CHECK(tune::detail::busy_share("gfx942", dtype::f16, operand_access::nt, gemm_policy{}) == 0);
    CHECK(tune::detail::busy_share("gfx942", dtype::f16, operand_access::strided,
                                   tune::gemm_rows<arch::gfx942, f16>::row.large) == 0);
    CHECK(tune::detail::modelled_cost({.m = 8, .n = 8, .k = 8},
                                      {tune::gemm_rows<arch::gfx942, f16>::row.large}, 0,
                                      4) == std::numeric_limits<double>::infinity());
}

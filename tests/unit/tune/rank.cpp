// The static model's ranking of the policies of products, convolutions and attention.
#include <algorithm>
#include <doctest/doctest.h>
#include <fade/gemm.hpp>
#include <fade/norm.hpp>
#include <fade/tune/attention/rank.hpp>
#include <fade/tune/conv/rank.hpp>
#include <fade/tune/gemm/rank.hpp>
#include <fade/tune/rows/rank.hpp>

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
            CHECK((r.choice.policy == row.small || r.choice.policy == row.large ||
                   r.choice.policy == row.medium));
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
    CHECK(tune::detail::modelled_cost({.m = 8, .n = 8, .k = 8}, tune::gemm_rows<arch::gfx942, f16>::row.large,
                                      1, 0, 4) == std::numeric_limits<double>::infinity());
}

namespace {
conv_problem images(int channels, int filters, int groups = 1) {
    return {.batch = 8,
            .channels = channels,
            .filters = filters,
            .input = {.h = 56, .w = 56},
            .filter = {.h = 3, .w = 3},
            .pad = {.h = 1, .w = 1},
            .groups = groups};
}
}  // namespace

TEST_CASE_TEMPLATE("a convolution has the policies of its product, and estimates of other algorithms", Arch,
                   arch::gfx90a, arch::gfx942, arch::gfx1100, arch::gfx1201) {
    for (const conv_pass pass : {conv_pass::forward, conv_pass::backward_data, conv_pass::backward_weights}) {
        const auto all = tune::rank_conv<Arch, f16>(pass, images(128, 128), 60);
        REQUIRE(all.size() >= 2);
        CHECK(std::ranges::is_sorted(all, {}, &tune::ranked_conv::relative));
        CHECK(all.front().relative == 1);
        int algorithms = 0;
        for (const tune::ranked_conv& r : all) {
            const bool implicit = r.choice.algorithm == conv_algorithm::implicit_gemm;
            CHECK(r.relative < tune::detail::no_figure);
            // Backward weights have tiles of their own on some, which no product's figure speaks for.
            const auto read = pass == conv_pass::forward         ? operand_access::nt
                              : pass == conv_pass::backward_data ? operand_access::nn
                                                                 : operand_access::tn;
            const bool known =
                tune::detail::busy_share(Arch::traits.name, dtype::f16, read, r.choice.policy) > 0;
            CHECK(r.evidence.starts_with("static audit of f16") == (implicit && known));
            CHECK(r.evidence.starts_with("estimate of") == !(implicit && known));
            CHECK((implicit || r.evidence.find("nobody read or timed it") != std::string::npos));
            algorithms += !implicit;
            CHECK((implicit || r.choice == tuned_conv{.algorithm = r.choice.algorithm}));
        }
        CHECK(algorithms == (pass == conv_pass::backward_data ? 4 : 5));  // mec has no backward data
    }
}

TEST_CASE("algorithms are ranked where they take the convolution, and what GPUs cannot address is refused") {
    const auto has = [](const conv_problem& p, conv_algorithm algorithm) {
        const auto all = tune::rank_conv<arch::gfx942, f16>(conv_pass::forward, p, 304);
        return std::ranges::any_of(all, [&](const auto& r) { return r.choice.algorithm == algorithm; });
    };
    CHECK(has(images(64, 64, 64), conv_algorithm::direct));
    CHECK_FALSE(has(images(64, 64), conv_algorithm::direct));
    CHECK(has(images(3, 64), conv_algorithm::mec));
    // A product of one column wastes its tiles; twice the channels are twice the time of a product.
    const auto depthwise = tune::rank_conv<arch::gfx942, f16>(conv_pass::forward, images(64, 64, 64), 304);
    CHECK(depthwise.front().choice.algorithm == conv_algorithm::direct);
    CHECK(depthwise.back().relative > 2);
    const auto relative = [&](const conv_problem& p, conv_algorithm algorithm) {
        const auto all = tune::rank_conv<arch::gfx942, f16>(conv_pass::forward, p, 304);
        return std::ranges::find(all, algorithm, [](const auto& r) { return r.choice.algorithm; })->relative;
    };
    // Windows that are laid out cost the more, the fewer filters multiply them.
    CHECK(relative(images(256, 512), conv_algorithm::im2col) > 1);
    CHECK(relative(images(256, 64), conv_algorithm::im2col) >
          relative(images(256, 512), conv_algorithm::im2col));
    CHECK(depthwise.front().evidence.find("the selector takes it: depthwise") != std::string::npos);
    conv_problem wide = images(4096, 64);
    wide.input = {.h = 3, .w = 1 << 20}, wide.filter = {.h = 30, .w = 3}, wide.pad = {.h = 15, .w = 1};
    CHECK_THROWS_AS((tune::rank_conv<arch::gfx942, f16>(conv_pass::forward, wide, 304)), error);
}

TEST_CASE_TEMPLATE(
    "attention has kernels by how many share its keys, and what waits for memory needs no figure", Arch,
    arch::gfx90a, arch::gfx942, arch::gfx1100, arch::gfx1201) {
    const attention_problem many{.batch = 4,
                                 .heads = 32,
                                 .kv_heads = 8,
                                 .seq_q = 2048,
                                 .seq_k = 2048,
                                 .head_dim = 128,
                                 .causal = causal_kind::bottom_right};
    const auto all = tune::rank_attention<Arch, f16>(many, 60);
    REQUIRE(!all.empty());
    CHECK(std::ranges::is_sorted(all, {}, &tune::ranked_attention::relative));
    CHECK(all.front().relative == 1);
    CHECK(all.front().choice.split_kv == 1);
    CHECK(all.front().choice.policy == tune::attention_row<Arch, f16>(128, tune::attention_variant::plain));
    CHECK(all.front().evidence.find("played in order") != std::string::npos);
    attention_problem one = many;
    one.batch = 1, one.seq_q = 1, one.seq_k = 65536;
    const auto decoded = tune::rank_attention<Arch, f16>(one, 60);
    REQUIRE(decoded.size() >= 2);
    CHECK(decoded.front().relative == 1);
    CHECK(decoded.front().choice.split_kv > 1);
    for (const tune::ranked_attention& r : decoded) CHECK(r.evidence.starts_with("static audit of f16"));
    // Shares that are twice as many leave half as much to read, where compute units are idle.
    tune::attention_choice c{.variant = tune::attention_variant::decode, .head_class = 128};
    const attention_policy policy = tune::attention_row<Arch, f16>(128, tune::attention_variant::decode);
    const auto cost = [&](int splits) {
        c.splits = splits;
        return tune::detail::modelled_cost(one, c, policy, 0, 1 << 20);
    };
    CHECK(cost(2) == doctest::Approx(cost(1) / 2).epsilon(0.01));
}

TEST_CASE_TEMPLATE("kernels of rows are ranked by what memory has under way", Arch, arch::gfx942,
                   arch::gfx1100) {
    using rms = kernel::rms_norm_rows<f16, f16, f16>;
    for (const fade::index columns : {300, 4096, 100000}) {
        const auto all = tune::rank_rows<Arch, rms>(4096, columns, 60);
        CHECK(all.front().relative == 1);
        CHECK(std::ranges::is_sorted(all, {}, &tune::ranked_rows::relative));
        CHECK(std::ranges::count_if(all, [](const auto& r) {
                  return r.evidence.find("the selector takes it") != std::string::npos;
              }) == 1);
        for (const auto& r : all) CHECK(r.relative < tune::detail::no_figure);
        if (columns == 100000) CHECK(!all.front().choice.policy.resident);  // no registers hold it
    }
    // Twice the rows are twice the time, once all compute units are busy.
    const row_policy wave = tune::row_policy_for<rms>(tune::row_kind::wave, true, Arch::traits);
    const auto cost = [&](fade::index rows) {
        return tune::detail::estimated_cost(wave, rows, 512, 1, 2, Arch::traits, 60);
    };
    CHECK(cost(1 << 20) == doctest::Approx(2 * cost(1 << 19)).epsilon(0.01));
    CHECK(cost(1) == cost(60));
}

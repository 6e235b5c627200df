// Stream-k by a passed policy: whole tiles, shared ones, and all of both kinds, against the reference, with
// the same bits for any number of threads.
#include "common/gemm_check.hpp"
#include "common/gemm_random.hpp"

using namespace fade;
using block::pipeline_kind;

namespace {

constexpr gemm_policy mfma{.block_tile = {64, 64, 32},
                           .wave_tile = {32, 32},
                           .pipeline = pipeline_kind::double_buffer,
                           .swizzle_rows = 2,
                           .xcd_chunk = 2,
                           .schedule = gemm_schedule::stream_k};
constexpr gemm_policy wmma{.block_tile = {48, 64, 32},
                           .wave_tile = {48, 32},
                           .pipeline = pipeline_kind::read_ahead,
                           .swizzle_rows = 3,
                           .schedule = gemm_schedule::stream_k};
constexpr gemm_policy dots{.block_tile = {64, 32, 16},
                           .wave_tile = {32, 32},
                           .pipeline = pipeline_kind::single_buffer,
                           .schedule = gemm_schedule::stream_k};

constexpr gemm_policy wgmma{.block_tile = {64, 128, 64},
                            .wave_tile = {16, 128},
                            .pipeline = pipeline_kind::double_buffer,
                            .schedule = gemm_schedule::stream_k};

template <class Arch, class In, gemm_policy Policy>
void check_random(int times) {
    static constexpr gemm_kernels kernels =
        with_policy(Policy, only(operand_access::nt, operand_access::strided));
    test::holds(std::string(Arch::traits.name) + " multiplies by stream_k", times, [] {
        test::gemm_case c = test::random_case({gemm_layout::nt});
        c.compute_units = *rc::gen::inRange(1, 24), c.split_k = *rc::gen::inRange(0, 2);
        RC_LOG() << c;
        const std::string wrong = test::check_gemm<Arch, In, In, kernels>(c);
        RC_ASSERT(wrong == "");
    });
}

alignas(16) f16 memory[1];  // a plan touches no memory
template <gemm_policy Policy>
gemm_plan planned(const gemm_problem& p, int compute_units, const gemm_options& options = {}) {
    emulated_device<arch::gfx942> device({.compute_units = compute_units});
    return plan_gemm<f16, f16, with_policy(Policy)>(
        device, p, {.a = memory + 64, .b = memory + (1 << 20), .d = memory + (1 << 24)}, epilogue::none{},
        options);
}
constexpr gemm_problem some(fade::index m, fade::index n, fade::index k) {
    return {.m = m, .n = n, .k = k, .layout = gemm_layout::nt};
}

/// All parts of all tiles: each step belongs to one workgroup, each part to one place.
std::string wrong_shares(fade::index tiles, fade::index steps, fade::index workgroups) {
    struct number {
        int x;
        int id_x() const { return x; }
    };
    const auto shares = block::stream_k_shares::of(tiles, steps, workgroups);
    const block::tile_walk walk = block::walk_by_columns(int(tiles), 1);
    std::vector<int> made(std::size_t(tiles * steps)), places(std::size_t(shares.places()));
    std::vector<std::vector<int>> parts;
    parts.resize(std::size_t(tiles));
    for (int w = 0; w < shares.workgroups; ++w)
        for (const block::stream_k_work work : block::stream_k_schedule(number{w}, walk, shares)) {
            if (work.steps < 1 || work.first_step + work.steps > steps) return "a part beyond its tile";
            for (int s = work.first_step; s < work.first_step + work.steps; ++s)
                ++made[std::size_t(work.tile.row * steps + s)];
            if (work.left < 0) continue;
            if (work.left >= shares.places() || places[std::size_t(work.left)]++)
                return "a place of two parts";
            parts[std::size_t(work.tile.row)].push_back(work.left);
        }
    for (const int m : made)
        if (m != 1) return "a step that is made " + std::to_string(m) + " times";
    for (int t = 0; t < shares.shared; ++t) {
        const auto sharers = shares.sharers(t);
        const auto& of = parts[std::size_t(shares.whole + t)];
        if (int(of.size()) != sharers.end - sharers.begin) return "another number of sharers";
        for (int i = 0; i < int(of.size()); ++i)
            if (of[std::size_t(i)] != shares.place(sharers.begin + i, t)) return "another order of places";
    }
    return "";
}

}  // namespace

TEST_CASE("shares cover each step once") {
    test::holds("stream_k shares", 500, [] {
        const auto tiles = *rc::gen::inRange<fade::index>(1, 60),
                   steps = *rc::gen::inRange<fade::index>(1, 40),
                   most = *rc::gen::inRange<fade::index>(1, 80);
        RC_ASSERT(wrong_shares(tiles, steps, std::min(most, tiles * steps)) == "");
    });
}

TEST_CASE("MFMA by stream_k") { check_random<arch::gfx942, f16, mfma>(60); }
TEST_CASE("WMMA by stream_k") { check_random<arch::gfx1100, bf16, wmma>(40); }
TEST_CASE("multiply-add by stream_k") { check_random<arch::gfx1030, float, dots>(30); }

TEST_CASE("warpgroups by stream_k") { check_random<arch::sm_90a, f16, wgmma>(20); }

TEST_CASE("tiles that do not go round are shared, and the plan says so") {
    const gemm_plan plan = planned<mfma>(some(64 * 5, 64, 320), 3);
    CHECK(plan.report.chosen == "gemm_nt_passed 64x64x32, double_buffer, stream_k");
    CHECK(plan.report.requested.find("schedule stream_k") != std::string::npos);
    REQUIRE(plan.launches.size() == 2);
    CHECK(plan.launches[0].grid[0] == 3);
    CHECK(plan.launches[1].grid[0] == 4);
    CHECK(plan.launches[1].grid[2] == 2);  // one round of whole tiles, and two more
    CHECK(plan.workspace_bytes == (3 + 2) * 64 * 64 * 4);
    const gemm_plan even = planned<mfma>(some(64 * 6, 64, 320), 3);
    CHECK(even.launches.size() == 1);
    CHECK(even.workspace_bytes == 0);
    CHECK(planned<mfma>(some(0, 64, 320), 3).launches.empty());
}

TEST_CASE("what stream_k cannot do is refused") {
    CHECK_THROWS_WITH(
        planned<mfma>(some(64, 64, 320), 3, {.split_k = 2}),
        "split_k is 2, but stream_k shares the k of the last tiles by itself: let split_k be 1, "
        "or the schedule of the gemm_policy tiles");
    // More steps than are counted, of matrices that no memory holds.
    emulated_device<arch::gfx942> device({.compute_units = 1 << 20});
    const auto at = [](int bit) { return reinterpret_cast<f16*>(std::uintptr_t(1) << bit); };
    CHECK_THROWS_WITH((plan_gemm<f16, f16, with_policy(mfma)>(
                          device, {.m = 64 * 4032, .n = 64, .k = 1 << 25, .layout = gemm_layout::tn},
                          {.a = at(20), .b = at(45), .d = at(46)})),
                      "k is 33554432, but workgroups share at most 2^31 - 1 steps of the last tiles: let the "
                      "schedule of the gemm_policy be tiles");
}

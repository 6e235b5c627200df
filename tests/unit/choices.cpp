// Which kernel a problem gets, and what the report says of it.
#include "common/choices.hpp"
#include <doctest/doctest.h>

using namespace fade;

namespace {

using device = emulated_device<arch::gfx942>;

gemm_plan planned(const gemm_problem& p, int compute_units, const gemm_options& options = {}) {
    alignas(16) static f16 memory[1];  // a plan touches no memory
    device d({.threads = 1, .compute_units = compute_units});
    return plan_gemm<f16, f16, only(operand_access::nt)>(
        d, p, {.a = memory + 64, .b = memory + 128, .d = memory + (1 << 24)}, epilogue::none{}, options);
}

constexpr gemm_problem cube(fade::index size) {
    return {.m = size, .n = size, .k = size, .layout = gemm_layout::nt};
}

}  // namespace

TEST_CASE("operands are read in runs where they are aligned, else element by element") {
    for (const auto& c : test::access_cases) CHECK(test::wrong_choice(c) == "");
    for (const auto& c : test::word_cases) CHECK(test::wrong_choice(c, 4) == "");
}

TEST_CASE("AMD's GPUs read runs that begin at any word, and say so") {
    alignas(16) static f16 memory[8];  // a plan touches no memory
    const gemm_problem p{.m = 512, .n = 512, .k = 512, .layout = gemm_layout::nt, .lda = 514};
    const gemm_operands<f16> x{.a = memory + 2, .b = memory + (1 << 24), .d = memory + (1 << 25)};
    const auto plan_on = [&](auto&& device) {
        constexpr auto kernels = only(operand_access::nt, operand_access::strided);
        return plan_gemm<f16, f16, kernels>(device, p, x).report;
    };
    const report amd = plan_on(emulated_device<arch::gfx1100>({.compute_units = 16})),
                 nvidia = plan_on(emulated_device<arch::sm_80>({.compute_units = 16}));
    CHECK(!amd.fallback);
    CHECK(amd.chosen.substr(0, 13) == "gemm_nt_large");
    CHECK(amd.why == "operands are read in 16-byte runs; of 16 tiles of 128x128 the busiest of 16 compute "
                     "units makes 1, in 1.00 of the time expected of 64x64; runs begin at multiples of 4 "
                     "bytes");
    CHECK(nvidia.fallback);
    CHECK(nvidia.chosen.substr(0, 12) == "gemm_strided");
}

TEST_CASE("large tiles in deep parts of k fill a device, too, where the call leaves parts to the selector") {
    emulated_device<arch::sm_90a> device({.compute_units = 132});
    alignas(16) static f16 memory[1];  // a plan touches no memory
    const gemm_operands<f16> x{.a = memory + 64, .b = memory + (1 << 27), .d = memory + (1 << 29)};
    const auto plan_of = [&](fade::index m, fade::index k, int parts) {
        return plan_gemm<f16, f16, only(operand_access::nt)>(
            device, {.m = m, .n = 1024, .k = k, .layout = gemm_layout::nt}, x, epilogue::none{},
            {.split_k = parts});
    };
    const gemm_plan deep = plan_of(1024, 65536, 0);
    CHECK(deep.report.chosen == "gemm_nt_large 128x256x64, tma_ring, k shared by 4");
    CHECK(deep.report.why.find("runs; tiles of 128x256, k in 4 parts in 1 round are expected to take ") !=
          std::string::npos);
    CHECK(plan_of(1024, 2048, 0).report.chosen == "gemm_nt_flat 64x128x64, tma_ring");  // parts too shallow
}

TEST_CASE("Hopper's tiles are those that are expected to end first, by times of an H200") {
    emulated_device<arch::sm_90a> device({.compute_units = 132});
    alignas(16) static f16 memory[1];  // a plan touches no memory
    const auto plan_of = [&](fade::index m, fade::index n, fade::index k, int parts) {
        return plan_gemm<f16, f16, only(operand_access::nt)>(
            device, {.m = m, .n = n, .k = k, .layout = gemm_layout::nt},
            {.a = memory + 64, .b = memory + (1 << 27), .d = memory + (1 << 29)}, epilogue::none{},
            {.split_k = parts});
    };
    const auto chosen = [&](fade::index m, fade::index n, fade::index k, int parts) {
        return plan_of(m, n, k, parts).report.chosen;
    };
    CHECK(chosen(64, 4096, 4096, 1) ==
          "gemm_nt_flat_clustered 64x64x64, tma_ring, k shared in clusters of 2");
    CHECK(chosen(64, 8192, 8192, 1) == "gemm_nt_flat 64x128x64, tma_ring");  // 128 tiles are enough
    CHECK(chosen(4096, 4096, 4096, 1) == "gemm_nt_large 128x256x64, tma_ring");
    CHECK(chosen(512, 4096, 4096, 1) == "gemm_nt_small 128x128x64, tma_ring");  // 128 tiles
    CHECK(chosen(1024, 1024, 1024, 1) == "gemm_nt_flat 64x128x64, tma_ring");   // 128 tiles
    CHECK(chosen(1536, 1536, 1536, 1) == "gemm_nt_tall 192x128x64, tma_ring");  // 96, a round
    CHECK(chosen(3072, 3072, 3072, 1) == "gemm_nt_tall 192x128x64, tma_ring");  // three rounds of 132
    CHECK(chosen(128, 256, 8192, 1) == "gemm_nt_deep 64x64x64, tma_ring, k shared in clusters of 4");
    // 32 clusters of four do not find room at once: 30 do.
    CHECK(chosen(256, 512, 8192, 1).find("gemm_nt_flat_clustered") == 0);
    const gemm_plan few = plan_of(512, 512, 4096, 1);
    CHECK((few.launches.size() == 1 && few.launches[0].grid[0] == 128 && few.workspace_bytes == 0));
    CHECK(plan_of(4694, 448, 984, 1).report.why ==
          "operands are read in 16-byte runs; tiles of 128x192 in 1 round are expected to take 14 us, those "
          "of 192x128 in 1 round 15 us; these are times of an NVIDIA H200, and this device is "
          "emulated:sm_90a");
    CHECK(few.report.why.find("tiles of 64x64, k shared by 2 in 1 round are expected to take ") !=
          std::string::npos);
    CHECK(detail::words_of_timed_device("cuda:0 NVIDIA H200") == "; these are times of an NVIDIA H200");
    for (const char* const other : {"cuda:1 NVIDIA H100 80GB HBM3", "cuda:0 NVIDIA GH200 480GB"})
        CHECK(detail::words_of_timed_device(other).ends_with(std::string(", and this device is ") + other));
    // Parts that the caller asks for go through memory.
    CHECK(plan_of(256, 4096, 4096, 2).launches.size() == 2);
    CHECK(chosen(256, 4096, 4096, 2).find("k shared by 2") != std::string::npos);
    CHECK(chosen(256, 4096, 4096, 2).find("clusters") == std::string::npos);
}
TEST_CASE("times are of kernels that find room and of products with tiles, and count parts of k") {
    const auto choice = [](const gemm_problem& p, int compute_units) {
        return tune::select_gemm(tune::row_of<arch::sm_90a, bf16>(), kernel::checked(p), nullptr, nullptr,
                                 {2, 16}, compute_units);
    };
    // A cluster of two finds no room on one compute unit.
    for (const fade::index n : {640, 1024, 4096}) {
        const auto one = choice({.m = 4096, .n = n, .k = 4096, .layout = gemm_layout::nt}, 1);
        CHECK(one.by_times);
        CHECK((one.size == tune::size_class::tall || one.size == tune::size_class::flat));
    }
    CHECK(tune::room_for_clusters(tune::row_of<arch::sm_90a, bf16>().deep, 4) == 0);
    CHECK(tune::room_for_clusters(tune::row_of<arch::sm_90a, bf16>().deep, 132) == 30);
    const auto of_four = [](fade::index n) {
        const gemm_problem p{.m = 64, .n = n, .k = 8192, .layout = gemm_layout::nt};
        return tune::select_clustered(tune::row_of<arch::sm_90a, bf16>(), tune::size_class::deep,
                                      kernel::checked(p), 1, 132);
    };
    CHECK(!of_four(30 * 64).why.empty());
    CHECK(of_four(31 * 64).why.empty());
    CHECK(!choice({.m = 100, .n = 0, .k = 8, .layout = gemm_layout::nt, .lda = 72}, 132).by_times);
    CHECK(tune::us_words(3e9) == "3000000000 us");
    CHECK(tune::us_words(9.94) == "9.9 us");
    emulated_device<arch::sm_90a> device({.compute_units = 132});
    alignas(16) static f16 memory[1];  // a plan touches no memory
    const auto why = [&](int parts) {
        return plan_gemm<f16, f16, only(operand_access::nt)>(
                   device, {.m = 128, .n = 128, .k = 65536, .layout = gemm_layout::nt},
                   {.a = memory + 64, .b = memory + (1 << 27), .d = memory + (1 << 29)}, epilogue::none{},
                   {.split_k = parts})
            .report;
    };
    CHECK(why(0).chosen.find("k shared by ") != std::string::npos);
    CHECK(why(0).chosen.find("clusters") == std::string::npos);  // their sums would meet twice
    CHECK(why(1).chosen.find("k shared by ") == std::string::npos);
}

TEST_CASE("clusters share the last tiles where those fill few compute units behind whole rounds") {
    emulated_device<arch::sm_90a> device({.compute_units = 132});
    alignas(16) static f16 memory[1];  // a plan touches no memory
    /// Answers with large tiles, the last ones shared.
    struct sharing : tuned_policies {
        tuned_policy find(const tuning_problem&, const tuning_machine&) const override {
            tuned_gemm row{tune::row_of<arch::sm_90a, f16>().large};
            row.policy.schedule = gemm_schedule::stream_k;
            return {tuned_match::exact, tune::policy_json(row), "a row", "the row's"};
        }
    } tuned;
    const auto plan_of = [&](const auto& epilogue, int parts, const tuned_policies* rows = nullptr) {
        return plan_gemm<f16, f16, only(operand_access::nt)>(
            device, {.m = 5000, .n = 5000, .k = 5000, .layout = gemm_layout::nt},
            {.a = memory + 64, .b = memory + (1 << 27), .d = memory + (1 << 29)}, epilogue,
            {.split_k = parts, .tuned = rows});
    };
    const gemm_plan shared = plan_of(epilogue::none{}, 0), whole = plan_of(epilogue::none{}, 1),
                    gated = plan_of(swiglu(), 0);
    CHECK(shared.report.chosen.ends_with(", stream_k"));
    CHECK(shared.report.why.find(", the last ones shared are expected to take ") != std::string::npos);
    CHECK((shared.launches.size() == 2 && shared.workspace_bytes > 0));
    CHECK(shared.report.evidence ==
          "none: nobody audited or measured f16 nt with these tiles, the last ones shared, on sm_90a; times "
          "expected of them are those of bf16");
    CHECK(whole.report.evidence.find("the last ones shared") == std::string::npos);
    const report by_row = plan_of(epilogue::none{}, 0, &tuned).report,
                 refused = plan_of(swiglu(), 0, &tuned).report;
    CHECK((by_row.chosen.ends_with(", stream_k") && by_row.evidence == "the row's"));
    CHECK(refused.why.find("a row, which is not used: stream_k adds up columns one by one, and a gate pairs "
                           "them") != std::string::npos);
    CHECK(refused.evidence == gated.report.evidence);
    for (const gemm_plan& other : {whole, gated}) {  // a gate pairs columns
        CHECK(other.report.chosen.find("stream_k") == std::string::npos);
        CHECK((other.launches.size() == 1 && other.workspace_bytes == 0));
    }
    const gemm_plan parts = plan_gemm<f16, f16, only(operand_access::nt)>(
        device, {.m = 128, .n = 256, .k = 65536, .layout = gemm_layout::nt},
        {.a = memory + 64, .b = memory + (1 << 27), .d = memory + (1 << 29)}, swiglu(), {.split_k = 0});
    CHECK(parts.report.chosen.find("k shared by ") != std::string::npos);
    // More steps than kernels count.
    constexpr int many = 1 << 20;
    constexpr gemm_policy large = tune::gemm_rows<arch::sm_90a, f16>::row.large;
    const auto deep = [](int bits) {
        return gemm_problem{.m = (fade::index(many) + 4096) * 256, .n = 256, .k = fade::index(1) << bits};
    };
    CHECK((tune::may_share_tail(large, deep(23), many) && !tune::may_share_tail(large, deep(24), many)));
    CHECK(tune::schedule_obstacle(large, deep(24), 1, many) == "");
    gemm_policy shares = large;
    shares.schedule = gemm_schedule::stream_k;
    CHECK(tune::schedule_obstacle(shares, deep(23), 1, many) == "");
    CHECK(tune::schedule_obstacle(shares, deep(24), 1, many) == "k has more steps than stream_k counts");
}

TEST_CASE("every kernel of Hopper's 16-bit row was timed, and more steps or rounds take longer") {
    constexpr tune::gemm_row row = tune::gemm_rows<arch::sm_90a, bf16>::row;
    using enum tune::size_class;
    for (const auto size :
         {large, medium, small, flat, clustered, flat_clustered, deep, quad, flat_quad, tiny, tall}) {
        const gemm_policy policy = row.of(size);
        REQUIRE(tune::times_of(policy) != nullptr);
        const auto us = [&](fade::index m, fade::index k, fade::index lda) {
            return tune::expected_us(policy, {.m = m, .n = 1024, .k = k, .lda = lda, .ldb = lda}, 132);
        };
        CHECK(us(1024, 1024, 1024) < us(1024, 2048, 2048));
        CHECK(us(1024, 1024, 1024) < us(1024, 1024, 1032));
        CHECK(us(1024, 1024, 1024) < us(65536, 1024, 1024));
    }
    CHECK(tune::times_of(tune::gemm_rows<arch::sm_90a, i8>::row.large) == nullptr);
    // Of no cluster, deep and everywhere.
    const auto slowed = [&](const gemm_policy& policy, double k, double busy) {
        return tune::slowed_by_depth(*tune::times_of(policy), k, busy);
    };
    CHECK(
        (slowed(row.flat, 2048, 1) == 1 && slowed(row.flat, 1e6, 0.5) == 1 && slowed(row.quad, 1e6, 1) == 1));
    CHECK((1 < slowed(row.flat, 4096, 1) && slowed(row.flat, 4096, 1) < slowed(row.flat, 8192, 2)));
    // Rows of A and B at lines, between them and between sectors: the workgroup alone asks for more of them.
    const auto step = [&](const gemm_policy& policy, fade::index lda, fade::index ldb) {
        const gemm_problem p{
            .m = 4096, .n = 4096, .k = 1024, .layout = gemm_layout::nt, .lda = lda, .ldb = ldb};
        return tune::us_of_step(policy, p, 1);
    };
    for (const gemm_policy& policy : {row.large, row.flat, row.tall, row.quad}) {
        CHECK(step(policy, 1024, 1024) < step(policy, 1040, 1040));
        CHECK(step(policy, 1040, 1040) < step(policy, 1032, 1032));
        CHECK((step(policy, 1024, 1024) < step(policy, 1032, 1024) &&
               step(policy, 1032, 1024) < step(policy, 1032, 1032)));
        CHECK(step(policy, 1024, 1032) < step(policy, 1032, 1032));
    }
    CHECK(step(row.flat, 1032, 1024) < step(row.flat, 1024, 1032));  // A has half of B's rows
    CHECK(step(row.tall, 1032, 1024) > step(row.tall, 1024, 1032));
    CHECK(tune::us_of_step(row.flat, {.m = 64, .n = 128, .k = 64, .lda = 64, .ldb = 64}, 0.4) ==
          tune::times_of(row.flat)->step);
    const auto chosen = [&](const gemm_problem& p, int parts) {
        return tune::select_timed(row, kernel::checked(p), parts, 132).size;
    };
    const gemm_problem deep_rows{.m = 140, .n = 8440, .k = 12480, .layout = gemm_layout::nt},
        narrow_columns{.m = 5880, .n = 72, .k = 1632, .layout = gemm_layout::tn};
    CHECK((chosen(deep_rows, 1) == tall && chosen(deep_rows, 0) == tall));
    CHECK(chosen(narrow_columns, 1) == flat_quad);
    const gemm_problem deepest{.m = 1024, .n = 1024, .k = 65536, .layout = gemm_layout::nt},
        half_deep{.m = 1024, .n = 1024, .k = 8192, .layout = gemm_layout::nt};
    CHECK((chosen(deepest, 1) == clustered && chosen(deepest, 0) == large));
    CHECK(chosen(half_deep, 1) != clustered);
}

TEST_CASE("tiles are those of which the busiest compute unit is expected to end first") {
    const auto row = tune::gemm_rows<arch::gfx942, f16>::row;
    const int tiles = int(ceil_div(2048, row.large.block_tile.m) * ceil_div(2048, row.large.block_tile.n));
    CHECK(planned(cube(2048), 1).policy == row.large);
    CHECK(planned(cube(2048), tiles).policy == row.large);
    // Four medium tiles take as long as a large one, three are as many rounds as 86 units leave.
    CHECK(planned(cube(2048), tiles * 4 / 3).policy == row.large);
    CHECK(planned(cube(2048), tiles * 4 / 3 + 1).policy == row.medium);
    CHECK(planned(cube(2048), 304).policy == row.medium);
    CHECK(planned(cube(1024), 304).policy == row.small);
    CHECK(planned(cube(64), 64).policy == row.small);
    // One large tile more than units is a round more, of which nearly all is idle.
    CHECK(planned({.m = 256 * 65, .n = 256, .k = 512, .layout = gemm_layout::nt}, 64).policy == row.medium);
    // Nobody read machine code of 5 bits of exponent: there tiles are counted.
    emulated_device<arch::gfx942> device({.threads = 1, .compute_units = 304});
    alignas(16) static f8e5m2fnuz memory[1];  // a plan touches no memory
    const auto counted = [&](fade::index size) {
        return plan_gemm<f8e5m2fnuz, f32, only(operand_access::nt)>(
                   device, {.m = size, .n = size, .k = 512, .layout = gemm_layout::nt},
                   {.a = memory + 64, .b = memory + 128, .d = reinterpret_cast<f32*>(memory + (1 << 24))})
            .report;
    };
    CHECK(counted(4096).chosen.starts_with("gemm_nt_large"));
    CHECK(counted(2048).chosen.starts_with("gemm_nt_medium"));
    CHECK(counted(1024).chosen.starts_with("gemm_nt_small"));
    CHECK(counted(1024).why.find("16 large tiles occupy 16 of 304") != std::string::npos);
}

TEST_CASE("the grid covers D, once a batch") {
    auto p = cube(1000);
    p.batch = 3;
    const gemm_plan plan = planned(p, 1);
    const auto tile = plan.policy.block_tile;
    CHECK(plan.launches.size() == 1);
    CHECK(plan.launches[0].grid[0] == ceil_div(1000, tile.m) * ceil_div(1000, tile.n));
    CHECK(plan.launches[0].grid[2] == 3);
    CHECK(plan.launches[0].block[0] == plan.policy.waves() * 64);
    CHECK(plan.workspace_bytes == 0);
}

TEST_CASE("the report says what was asked, what was chosen, and why") {
    const report r = planned(cube(1024), 64).report;
    CHECK(r.requested == "gemm nt 1024 x 1024 x 1024, f16 to f16, epilogue none");
    const auto tile = planned(cube(1024), 64).policy.block_tile;
    CHECK(r.chosen.find(std::to_string(tile.m) + "x" + std::to_string(tile.n) + "x" +
                        std::to_string(tile.k)) != std::string::npos);
    CHECK(r.why.find("64 compute units") != std::string::npos);
    CHECK(r.device == "emulated:gfx942");
    CHECK(r.arch == "gfx942");
    CHECK(!r.fallback);
    CHECK(!r.evidence.empty());
}

TEST_CASE("shared k: no workgroup is left without a step, and the workspace holds every part") {
    for (const int asked : {2, 3, 5, 16, 4096}) {
        const gemm_plan plan = planned(cube(512), 1, {.split_k = asked});
        const int layers = plan.launches[0].grid[2], steps = ceil_div(512, plan.policy.block_tile.k);
        CHECK(layers <= asked);
        CHECK(layers <= steps);
        CHECK(plan.launches.size() == (layers > 1 ? 2 : 1));
        CHECK(plan.workspace_bytes == (layers > 1 ? std::size_t(layers) * 512 * 512 * 4 : 0));
    }
}

TEST_CASE("few rows take the kernel whose waves share k") {
    alignas(16) static f16 memory[1];  // a plan touches no memory
    emulated_device<arch::gfx1151> device({.compute_units = 40});
    const auto chosen = [&](fade::index m, fade::index k, gemm_layout layout = gemm_layout::nt) {
        return plan_gemm<f16>(device, {.m = m, .n = 4096, .k = k, .layout = layout},
                              {.a = memory + 64, .b = memory + 128, .d = memory + (1 << 26)})
            .report;
    };
    const report one = chosen(1, 4096);
    CHECK(one.chosen == "gemm_nt_skinny 16x32x256, sliced_k");
    CHECK(one.why == "operands are read in 16-byte runs; 1 row is at most 32: B streams past it through 128 "
                     "workgroups, whose waves share k");
    CHECK(chosen(32, 4096).chosen == one.chosen);
    CHECK(chosen(33, 4096).chosen.find("skinny") == std::string::npos);
    CHECK(chosen(1, 128).chosen == one.chosen);
    CHECK(chosen(1, 120).chosen.find("skinny") == std::string::npos);
    CHECK(chosen(1, 4096, gemm_layout::nn).chosen == "gemm_nn_skinny 16x64x128, sliced_k");
    CHECK(chosen(2, 4096, gemm_layout::tt).chosen == "gemm_tt_skinny 16x32x128, sliced_k");
    CHECK(chosen(2, 4096, gemm_layout::tt).why ==
          "B is read in 16-byte runs, A element by element; 2 rows are at most 32: B streams past them "
          "through 128 workgroups, whose waves share k");
    CHECK(chosen(2, 4096, gemm_layout::tn).chosen == "gemm_tn_skinny 16x64x128, sliced_k");
}

TEST_CASE("few columns are few rows of the transpose") {
    alignas(16) static f16 memory[1];  // a plan touches no memory
    emulated_device<arch::gfx1151> device({.compute_units = 40});
    const auto chosen = [&](auto kernels, fade::index n, gemm_layout layout, int shift_a = 0,
                            fade::index ldb = 0) {
        return plan_gemm<f16, f16, decltype(kernels)::value>(
                   device, {.m = 4096, .n = n, .k = 4096, .layout = layout, .ldb = ldb},
                   {.a = memory + 64 + shift_a, .b = memory + (1 << 26), .d = memory + (1 << 27)})
            .report;
    };
    constexpr std::integral_constant<gemm_kernels, all_accesses> all{};
    const report one = chosen(all, 1, gemm_layout::nt);
    CHECK(one.chosen == "gemm_nt_skinny_columns 32x16x256, sliced_k");
    CHECK(one.why == "operands are read in 16-byte runs; 1 column is at most 32: A streams past it through "
                     "128 workgroups, whose waves share k");
    CHECK(!one.fallback);
    CHECK(chosen(all, 32, gemm_layout::nt).chosen == one.chosen);
    CHECK(chosen(all, 33, gemm_layout::nt).chosen.find("skinny") == std::string::npos);
    // A vector lies along k in either layout.
    CHECK(chosen(all, 1, gemm_layout::nn).chosen == one.chosen);
    CHECK(chosen(all, 1, gemm_layout::nt, 0, 4099).chosen == one.chosen);
    constexpr std::integral_constant<gemm_kernels, only(operand_access::nn)> nn{};
    CHECK(chosen(nn, 1, gemm_layout::nn).chosen == "gemm_nn_skinny_columns 32x16x128, sliced_k");
    CHECK(chosen(all, 1, gemm_layout::nn, 0, 2).chosen == "gemm_nn_skinny_columns 32x16x128, sliced_k");
    const report three = chosen(all, 3, gemm_layout::nn);
    CHECK(three.chosen == "gemm_nn_skinny_columns 32x16x128, sliced_k");
    CHECK(three.why.find("A is read in 16-byte runs, B element by element; 3 columns are at most 32: A "
                         "streams past them") == 0);
    CHECK(!three.fallback);
    CHECK(chosen(all, 8, gemm_layout::tn).chosen == "gemm_tn_skinny_columns 64x16x128, sliced_k");
    CHECK(chosen(all, 8, gemm_layout::tt).chosen == "gemm_tt_skinny_columns 64x16x128, sliced_k");
    // What streams is read in runs, or by another kernel.
    CHECK(chosen(all, 3, gemm_layout::nn, 1).chosen.find("gemm_strided_small") == 0);
    CHECK(chosen(all, 3, gemm_layout::nn, 1).fallback);
}

TEST_CASE("boxes come before few rows of a large B, and before those that are read element by element") {
    alignas(16) static f16 memory[1];  // a plan touches no memory
    emulated_device<arch::sm_90a> device({.compute_units = 132});
    const auto chosen = [&](gemm_layout layout, fade::index m, fade::index n) {
        // Without the kernel that reads both along k nothing is transposed.
        const gemm_plan plan = plan_gemm<f16, f16, only(operand_access::nt, operand_access::tn)>(
            device, {.m = m, .n = n, .k = 4096, .layout = layout},
            {.a = memory + 64, .b = memory + (1 << 26), .d = memory + (1 << 28)});
        const std::string all = plan.report.chosen;
        CHECK(plan.launches.size() == 1);
        return all.substr(0, all.find(' '));
    };
    CHECK(chosen(gemm_layout::nt, 8, 16384) == "gemm_nt_flat");
    CHECK(chosen(gemm_layout::nt, 8, 4096) == "gemm_nt_flat_clustered");
    CHECK(chosen(gemm_layout::nt, 8, 2048) == "gemm_nt_skinny");  // 64 workgroups leave memory idle
    CHECK(chosen(gemm_layout::tn, 8, 4096) == "gemm_tn_flat_clustered");
    CHECK(chosen(gemm_layout::tn, 8, 8192) == "gemm_tn_flat");
    CHECK(chosen(gemm_layout::tn, 7, 16384) == "gemm_tn_skinny");  // no box begins between
    CHECK(chosen(gemm_layout::nt, 4096, 7) == "gemm_nt_skinny_columns");
    CHECK(chosen(gemm_layout::nt, 4096, 8) == "gemm_nt_flat_clustered");
}

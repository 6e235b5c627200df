// Convolutions by mec: forward and backward weights of random problems, what automatic leaves to it, and what
// it refuses.
#include "common/conv_by.hpp"
#include "common/mec_case.hpp"

using namespace fade;

namespace {

template <class Arch, class T>
void check_mec(int cases) {
    std::mt19937_64 random(test::conv_seed());
    test::conv_by<Arch, T, T, conv_algorithms{}>(
        cases, [&] { return test::drawn_mec_case(random, std::is_same_v<Arch, arch::host> ? 1800 : 360); });
}

}  // namespace

TEST_CASE("mec on the host") { check_mec<arch::host, float>(40); }
TEST_CASE("mec on gfx942") { check_mec<arch::gfx942, f16>(16); }
TEST_CASE("mec on gfx1100") { check_mec<arch::gfx1100, bf16>(16); }
TEST_CASE("mec on gfx1030") { check_mec<arch::gfx1030, f16>(12); }
TEST_CASE("mec on sm_90a") { check_mec<arch::sm_90a, f16>(12); }

namespace {

/// Taps whose channels are whole runs, which move as they lie.
template <class Arch, class T>
void check_whole_runs(int cases, int pixels) {
    std::mt19937_64 random(test::conv_seed());
    test::conv_by<Arch, T, T, conv_algorithms{}>(cases, [&] {
        test::conv_case c = test::drawn_mec_case(random, pixels);
        c.problem.channels = 8 * std::uniform_int_distribution<int>(1, 5)(random);
        return c;
    });
}

}  // namespace

TEST_CASE("mec of whole runs on the host") {
    check_whole_runs<arch::host, float>(20, 600), check_whole_runs<arch::host, bf16>(10, 600);
}
TEST_CASE("mec of whole runs on gfx942") { check_whole_runs<arch::gfx942, f16>(5, 120); }
TEST_CASE("mec of whole runs on gfx1100") { check_whole_runs<arch::gfx1100, bf16>(5, 120); }

namespace {

/// All passes as automatic computes them; backward data reads runs of a padded copy of the filter.
template <class Arch, class T>
void check_few_channels(int cases, const char* reader) {
    std::mt19937_64 random(test::conv_seed());
    test::reached_kernels reached;
    for (int i = 0; i < cases; ++i) {
        test::conv_case c = test::drawn_mec_case(random, 360);
        c.algorithm = conv_algorithm::automatic, c.shift = 0;
        if (i < 4)
            c.problem.filters = 16 * std::uniform_int_distribution<int>(0, 4)(random) + 8,  // no whole steps
                c.problem.input.d = c.problem.filter.d = 1;
        if (i < 4) c.problem.pad.d = c.problem.pad_end.d = 0, c.problem.stride = {1, 1 + i % 2, 1 + i % 2};
        const std::string wrong = test::conv_trial<Arch, T, T>(c, reached).run();
        INFO(c);
        CHECK(wrong == "");
    }
    std::string all;
    for (const std::string& kernel : reached) all += kernel + "\n";
    INFO(all);
    for (const std::string kernel :
         {"forward conv mec implicit_gemm ", "backward weights conv mec implicit_gemm ",
          "backward data conv implicit_gemm ", "backward data conv implicit_gemm by residues, "})
        CHECK_MESSAGE(all.find(kernel + reader) != std::string::npos, kernel << reader);
}

}  // namespace

TEST_CASE("few channels on gfx942") { check_few_channels<arch::gfx942, f16>(12, "runs"); }
TEST_CASE("few channels on gfx1100") { check_few_channels<arch::gfx1100, bf16>(12, "runs"); }
TEST_CASE("few channels on sm_90a") { check_few_channels<arch::sm_90a, f16>(8, "boxes"); }

namespace {

/// Groups whose channels or filters are no whole runs: all passes read runs of copies.
template <class Arch, class T>
void check_padded_groups(int cases) {
    std::mt19937_64 random(test::conv_seed());
    const auto drawn = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, most)(random);
    };
    test::reached_kernels reached;
    int of_data = 0, of_weights = 0;
    for (int i = 0; i < cases; ++i) {
        test::conv_case c;
        const int groups = drawn(1, 3), run = 16 / int(sizeof(T));
        c.problem = {.batch = drawn(1, 2),
                     .channels = groups * (i % 3 ? drawn(2, 2 * run + 3) : 2 * run),
                     .filters = groups * (i % 3 == 1 ? 2 * run : drawn(2, 2 * run + 3)),
                     .input = {1, drawn(8, 12), drawn(8, 12)},
                     .filter = {1, drawn(1, 3), drawn(1, 3)},
                     .stride = {1, drawn(1, 2), 1},
                     .dilation = {1, 1, 2},
                     .pad = {0, drawn(0, 1), drawn(0, 2)},
                     .groups = groups};
        if (i % 4 == 1) c.problem.layout = conv_layout::channels_first;
        if (i % 4 == 2) c.problem.beta = 0.5, c.problem.alpha = -2;
        if (i % 5 == 3) c.problem.input.d = 3, c.problem.filter.d = 2;
        c.compute_units = drawn(0, 1) ? 1 : 64, c.seed = random(), c.split_k = i % 3 ? 0 : 2;
        const std::string wrong = test::conv_trial<Arch, T, T>(c, reached).run();
        INFO(c);
        CHECK(wrong == "");
        emulated_device<Arch> device({.threads = 1, .compute_units = c.compute_units});
        const auto at = [](int bit) { return reinterpret_cast<T*>(std::uintptr_t(1) << bit); };
        const auto reads_copies = [](const report& said) {
            return said.why.find("copies have zeros behind the ") != std::string::npos && !said.fallback;
        };
        const conv_options options{.split_k = c.split_k};
        of_data += reads_copies(
            plan_conv_backward_data<T>(device, c.problem,
                                       {.dy = at(30), .w = at(34), .c = at(36), .dx = at(38)}, {}, options)
                .report);
        of_weights += reads_copies(
            plan_conv_backward_weights<T>(device, c.problem,
                                          {.x = at(30), .dy = at(34), .c = at(36), .dw = at(38)}, {}, options)
                .report);
    }
    CHECK(4 * of_data > cases);
    CHECK(4 * of_weights > cases);
}

}  // namespace

TEST_CASE("padded groups on gfx942") { check_padded_groups<arch::gfx942, f16>(16); }
TEST_CASE("padded groups on gfx1100") { check_padded_groups<arch::gfx1100, bf16>(16); }
TEST_CASE("padded groups on sm_90a") { check_padded_groups<arch::sm_90a, f16>(12); }

namespace {

constexpr conv_problem stem{.batch = 1,
                            .channels = 3,
                            .filters = 16,
                            .input = {1, 40, 40},
                            .filter = {1, 7, 7},
                            .stride = {1, 2, 2},
                            .pad = {0, 3, 3}};

/// What a forward pass would run on gfx942, in so many bytes of workspace; of none the device finds its own.
report planned(const conv_problem& p, conv_options options = {}) {
    alignas(16) static f16 memory[8]{};
    emulated_device<arch::gfx942> device({.threads = 1});
    const conv_operands<f16> far{
        .x = memory, .w = memory + (fade::index(1) << 34), .y = memory + (fade::index(1) << 36)};
    return plan_conv_forward<f16>(device, p, far, {}, options).report;
}
bool holds(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("automatic leaves channels of no whole runs to mec") {
    const report said = planned(stem);
    CHECK(holds(said.chosen, "conv mec implicit_gemm runs "));
    CHECK(holds(said.why, "3 channels are no whole number of 16-byte runs"));
    CHECK(holds(said.why, "20 lines of 46 columns of 24 elements"));
    CHECK_FALSE(said.fallback);
    CHECK(said.evidence ==
          "static audit alone: copies and sums of mec spill no registers and use no scratch on gfx942; "
          "nobody measured them");
    CHECK(tune::evidence_beside_product("copies and sums of mec", "gfx942", dtype::f64) ==
          "none: nobody audited or measured copies and sums of mec on gfx942");
    CHECK(tune::evidence_beside_product("copies and sums of mec", "gfx1101", dtype::f16) ==
          "none: nobody audited or measured copies and sums of mec on gfx1101");
    std::byte little{};
    const report without = planned(stem, {.workspace = &little, .workspace_bytes = 1});
    CHECK(holds(without.chosen, "conv implicit_gemm elements"));
    CHECK(holds(without.why, "mec does not suit it: it needs "));
    conv_problem p = stem;
    p.channels = 8;
    CHECK(holds(planned(p).chosen, "conv implicit_gemm runs"));
    p = stem, p.dilation.w = 2;
    CHECK(holds(planned(p).chosen, "conv implicit_gemm runs"));
    CHECK(holds(planned(p).why, "; copies have zeros behind the 3 channels, up to 8"));
    p = stem, p.batch = 1 << 14, p.input = {1, 200, 200};
    CHECK(holds(planned(p).chosen, "conv implicit_gemm elements"));  // lines of more than 1 GiB
}

TEST_CASE("on the host automatic gathers windows") {
    std::vector<float> x(40 * 40 * 3), w(16 * 49 * 3), y(20 * 20 * 16);
    host_device device(1);
    const auto plan = plan_conv_forward<float>(device, stem, {.x = x.data(), .w = w.data(), .y = y.data()});
    CHECK(plan.algorithm == conv_algorithm::implicit_gemm);
}

TEST_CASE("backward weights of automatic goes by mec where filters are whole runs") {
    alignas(16) static f16 memory[8]{};
    emulated_device<arch::gfx942> device({.threads = 1});
    const auto algorithm = [&](const conv_problem& p, int shift) {
        return plan_conv_backward_weights<f16>(
                   device, p, {.x = memory, .dy = memory + (1 << 20) + shift, .dw = memory + (1 << 24)})
            .algorithm;
    };
    CHECK(algorithm(stem, 0) == conv_algorithm::mec);
    CHECK(algorithm(stem, 1) == conv_algorithm::implicit_gemm);  // dy would be read one by one
    conv_problem p = stem;
    p.filters = 12;
    CHECK(algorithm(p, 0) == conv_algorithm::implicit_gemm);
    p = stem, p.input = {1, 8, 8};
    CHECK(algorithm(p, 0) == conv_algorithm::implicit_gemm);  // too few pixels
}

TEST_CASE("mec refuses by its name") {
    host_device device(1);
    const auto refused = [&](auto spoil, const char* words) {
        conv_problem spoilt = stem;
        spoil(spoilt);
        return test::conv_by_call<float, conv_algorithms{}>(spoilt, conv_algorithm::mec)
            .refused(device, 0, words);
    };
    CHECK(refused([](conv_problem& p) { p.filters = 8; }, "") == "");
    CHECK(refused([](conv_problem& p) { p.filters = p.groups = 3; }, "one group") == "algorithm");
    CHECK(refused([](conv_problem& p) { p.dilation.w = 2; }, "dilation.w must be 1") == "algorithm");
    CHECK(refused([](conv_problem& p) { p.channels = 0; }, "at least one product") == "algorithm");
    const auto obstacle = [](conv_pass pass, const conv_problem& p) {
        return tune::mec_obstacle({pass, kernel::sizes_of(p), 2, 2, true});
    };
    CHECK(holds(obstacle(conv_pass::backward_data, stem), "forward and backward weights"));
    conv_problem p = stem;
    p.batch = 1 << 20, p.input = {1, 40, 300};
    CHECK(holds(obstacle(conv_pass::forward, p), "fewer than 2^31 runs"));
    p = stem, p.filters = 1 << 24;
    CHECK(holds(obstacle(conv_pass::forward, p), "filters of fewer than 2^31"));
    p = stem, p.input = p.filter = {1, 20000, 20000};
    CHECK(holds(obstacle(conv_pass::forward, p), "fewer than 2^30"));
}

TEST_CASE("mec is given the workspace that its plan asks for, and backward weights shares k") {
    host_device device(1);
    conv_problem p = stem;
    p.filters = 8;
    const test::conv_by_call<float, conv_algorithms{}> call(p, conv_algorithm::mec);
    const std::size_t bytes = call.planned(device, 0).workspace_bytes;
    CHECK(bytes >= 20 * 46 * 24 * sizeof(float));
    CHECK(call.refused(device, bytes - 1, "lines of windows need") == "workspace_bytes");
    CHECK(call.refused(device, bytes) == "");
    std::vector<float> x(40 * 40 * 3), dy(20 * 20 * 8), dw(8 * 49 * 3, -77.0f);
    const auto refusal = [&](int split_k) {
        try {
            conv_backward_weights<float>(device, p, {.x = x.data(), .dy = dy.data(), .dw = dw.data()}, {},
                                         {.split_k = split_k, .algorithm = conv_algorithm::mec});
        } catch (const error& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    CHECK(holds(refusal(1), "split_k is 1"));
    CHECK(holds(refusal(0), "too few to be shared"));
    for (const float v : dw) CHECK(v == -77.0f);
}

TEST_CASE("what a window does not see does not reach its sum, though windows lie side by side") {
    const float infinity = std::numeric_limits<float>::infinity();
    conv_problem p = stem;
    p.channels = 1, p.filters = 8, p.filter = {1, 3, 3}, p.input = {1, 9, 30}, p.pad = {};
    std::vector<f16> x(9 * 30), w(8 * 9), y(4 * 14 * 8);
    for (f16& v : x) v = to_f16(1);
    for (f16& v : w) v = to_f16(1);
    x[3 * 30 + 11] = to_f16(infinity);
    const auto check = [&](auto&& device) {
        for (f16& v : y) v = to_f16(-77);
        const report said = conv_forward<f16>(device, p, {.x = x.data(), .w = w.data(), .y = y.data()});
        CHECK(holds(said.chosen, "conv mec"));
        for (int h = 0; h < 4; ++h)
            for (int v = 0; v < 14; ++v) {
                const bool seen = 2 * h <= 3 && 3 <= 2 * h + 2 && 2 * v <= 11 && 11 <= 2 * v + 2;
                CHECK(to_f32(y[std::size_t((h * 14 + v) * 8)]) == (seen ? infinity : 9));
            }
    };
    check(emulated_device<arch::gfx1100>({.threads = 1}));
    check(emulated_device<arch::sm_90a>({.threads = 1}));
}

#include "common/conv_beside.hpp"
#include "common/conv_boxes.hpp"
#include "common/conv_folded.hpp"
#include "common/conv_quantized.hpp"
#include "common/conv_suite.hpp"

using namespace fade;

FADE_CONV_SUITE(sm_90a, f16, 60, 10)
TEST_CASE("sm_90a i8 with zero points") {
    fade::test::quantized_suite<fade::arch::sm_90a, fade::i8, fade::i8>(20);
}
TEST_CASE("sm_90a f8e4m3 with scales, to f8e4m3") {
    fade::test::quantized_suite<fade::arch::sm_90a, fade::f8e4m3, fade::f8e4m3>(12);
}
TEST_CASE("sm_90a i8 to i32") { fade::test::conv_suite<fade::arch::sm_90a, fade::i8, fade::i32>(40, 8); }

TEST_CASE("sm_90a: the copy unit walks over windows, in every pass") {
    test::conv_box_draw draw(test::conv_seed());
    test::reached_kernels reached;
    for (int i = 0; i < 24; ++i) {
        test::conv_case c = draw(i % 4 == 3);
        if (i % 8 == 3) c.problem.stride = {1, 1, 1};  // each kernel of backward data is reached
        if (i % 8 >= 6) c.problem.stride = {1, 2, 2};
        if (i % 8 == 4) {  // windows of one pixel, their own
            c.problem.filter = c.problem.stride = {};
            c.problem.pad = c.problem.pad_end = {};
        }
        const std::string wrong = test::conv_trial<arch::sm_90a, f16, f16>(c, reached).run();
        INFO(c);
        CHECK(wrong == "");
    }
    for (const std::string kernel :
         {"forward conv implicit_gemm", "backward data conv implicit_gemm",
          "backward data conv implicit_gemm by residues,", "backward weights conv implicit_gemm"}) {
        int sizes = 0;
        for (const std::string tile : {"128x128x64", "128x256x64", "192x128x64", "64x128x128", "64x64x128"})
            sizes += int(reached.count(kernel + " boxes " + tile));
        CHECK_MESSAGE(sizes >= 1, kernel);
    }
}

TEST_CASE("sm_90a: taps are channels of a copy") { test::check_folded<arch::sm_90a, f16>(16); }

TEST_CASE("narrow tiles, of few filters or channels, and wide ones of 320") {
    std::mt19937_64 random(test::conv_seed());
    test::reached_kernels reached;
    for (int i = 0; i < 6; ++i) {
        test::conv_case c;
        const int pixels = std::uniform_int_distribution<int>(600, i < 4 ? 900 : 640)(random);
        c.problem = {.channels = 64,
                     .filters = i < 2 ? 40 : 64,
                     .input = {1, 1, pixels},
                     .filter = {1, 1, 5},
                     .stride = {1, 1, i % 2 ? 2 : 1}};
        if (i == 4) c.problem.filters = 320;
        if (i == 5) c.problem.channels = 320, c.problem.stride.w = 1;
        c.compute_units = 1, c.threads = 1, c.seed = random();
        const std::string wrong = test::conv_trial<arch::sm_90a, f16, f16>(c, reached).run();
        INFO(c);
        CHECK(wrong == "");
    }
    for (const std::string kernel :
         {"forward conv implicit_gemm boxes 256x64x64", "backward data conv implicit_gemm boxes 256x64x64",
          "backward data conv implicit_gemm by residues, boxes 256x64x64",
          "backward weights conv implicit_gemm boxes 64x192x64",
          "forward conv implicit_gemm boxes 128x320x64", "backward data conv implicit_gemm boxes 128x320x64"})
        CHECK_MESSAGE(reached.count(kernel) == 1, kernel);
}

namespace {

std::vector<f16> drawn(std::mt19937_64& random, fade::index count) {
    std::normal_distribution<float> normal;
    std::vector<f16> out(std::size_t(count) + 8);
    for (f16& x : out) x = fade::to_f16(normal(random));
    return out;
}

/// One workgroup makes all tiles, by the kernel whose report says `kernel`; without stages or C sums are
/// stored as they are with a stage that changes none.
template <class Call>
void check_plain_store(fade::index count, const char* kernel, Call call) {
    std::vector<f16> plain(std::size_t(count), fade::to_f16(77)), staged(plain.size(), fade::to_f16(-77));
    emulated_device<arch::sm_90a> device({.threads = 1, .compute_units = 1});
    CHECK(call(device, plain.data(), fade::epilogue::none{}).chosen.find(kernel) != std::string::npos);
    call(device, staged.data(), fade::scale(1.0f));
    for (std::size_t i = 0; i < plain.size(); ++i) REQUIRE(plain[i].bits == staged[i].bits);
}

}  // namespace

TEST_CASE("sums are stored as they are, by boxes and of parts of x's pixels, narrow and wide") {
    std::mt19937_64 random(test::conv_seed());
    for (const int channels : {64, 136})
        for (const bool forward : {true, false}) {
            const int stride = forward ? 1 : 2;
            const conv_problem p{.batch = 3,
                                 .channels = channels,
                                 .filters = channels,
                                 .input = {1, 23, 22},
                                 .filter = {1, 3, 2},
                                 .stride = {1, stride, stride},
                                 .pad = {0, 1, 0},
                                 .alpha = 0.5};
            const fade::index x_count = p.batch * p.input.volume() * p.channels,
                              y_count = p.batch * p.output().volume() * p.filters;
            const auto in = drawn(random, forward ? x_count : y_count),
                       w = drawn(random, 6 * p.filters * p.channels);
            const std::string tile = channels == 64 ? "boxes 256x64x64" : "boxes 128x";
            check_plain_store(
                forward ? y_count : x_count, tile.c_str(), [&](auto& device, f16* to, const auto& epilogue) {
                    if (forward)
                        return conv_forward<f16>(device, p, {.x = in.data(), .w = w.data(), .y = to},
                                                 epilogue);
                    return conv_backward_data<f16>(device, p, {.dy = in.data(), .w = w.data(), .dx = to},
                                                   epilogue);
                });
        }
}

namespace {

constexpr conv_problem plain{
    .batch = 2, .channels = 64, .filters = 64, .input = {1, 9, 9}, .filter = {1, 3, 3}, .pad = {0, 1, 1}};

/// Why windows of a pass do not come by the copy unit; empty where they do.
std::string obstacle(conv_pass pass, const conv_problem& p) {
    alignas(16) static const f16 memory[8]{};
    return tune::boxes_obstacle({pass, kernel::sizes_of(p), memory, memory, 2});
}

}  // namespace

TEST_CASE("windows that lanes copy") {
    using enum conv_pass;
    conv_problem p = plain;
    for (const conv_pass pass : {forward, backward_data, backward_weights}) CHECK(obstacle(pass, p) == "");
    p.stride = {1, 2, 2};
    CHECK(obstacle(forward, p) == "");
    CHECK(obstacle(backward_data, p) == "");
    CHECK(obstacle(backward_weights, p) == "");
    p.stride = {1, 1, 5};
    CHECK(obstacle(backward_data, p) == "pixels of x see taps in more than 4 ways");
    p.stride = {1, 9, 9}, p.input = {1, 99, 99};
    CHECK(obstacle(forward, p) == "strides, margins or taps reach beyond maps of windows");
    p = plain, p.groups = 2;
    CHECK(obstacle(forward, p) == "there are groups");
    p = plain, p.input.d = 2;
    CHECK(obstacle(forward, p) == "there are three dimensions");
    p = plain, p.pad_end = {1, -1, -1};  // a second plane of results sees zeros alone
    CHECK(obstacle(forward, p) == "there are three dimensions");
    p = plain, p.channels = 72;
    CHECK(obstacle(forward, p) == "");
    CHECK(obstacle(backward_data, p) == "");
    CHECK(obstacle(backward_weights, p) == "channels are no multiple of 64");
    p.channels = 20;
    CHECK(obstacle(forward, p) == "channels of a group are no whole number of 16-byte runs");
    p = plain, p.dilation.w = 128, p.pad.w = 128;
    CHECK(obstacle(forward, p) == "strides, margins or taps reach beyond maps of windows");
    p.dilation.w = 85, p.pad.w = 85;
    CHECK(obstacle(forward, p) == "");
    p.dilation.w = 86, p.pad.w = 86;
    CHECK(obstacle(forward, p) == "strides, margins or taps reach beyond maps of windows");
    p = plain, p.batch = 0;
    CHECK(obstacle(forward, p) == "images have no pixels");
}

TEST_CASE("a plan says who copies windows, and on which evidence") {
    alignas(16) static f16 memory[8]{};
    emulated_device<arch::sm_90a> device({.threads = 1});
    const auto report_of = [&](const conv_problem& p) {
        return plan_conv_forward<f16>(device, p,
                                      {.x = memory, .w = memory + (1 << 20), .y = memory + (1 << 24)})
            .report;
    };
    const report boxes = report_of(plain);
    CHECK(boxes.chosen.find("boxes 128x128x64, tma_ring") != std::string::npos);
    CHECK(boxes.why.find("whose windows the copy unit walks over") != std::string::npos);
    CHECK(boxes.evidence == "measured beside cuDNN on an H200 (docs/performance.md)");
    conv_problem p = plain;
    p.groups = 2;
    const report lanes = report_of(p);
    CHECK(lanes.chosen.find("async_ring") != std::string::npos);
    CHECK(lanes.why.find("; lanes copy the windows, since there are groups") != std::string::npos);
    CHECK(lanes.evidence == "none: nobody audited or measured convolutions on sm_90a");
}

// A box has 128 columns of these, and a narrow tile 64.
TEST_CASE("results of 8 bits are those of 32, rounded") {
    std::mt19937_64 random(test::conv_seed());
    for (const int filters : {64, 144}) {
        const conv_problem p{
            .batch = 2, .channels = 64, .filters = filters, .input = {1, 19, 18}, .filter = {1, 2, 2}};
        const fade::index count = p.batch * p.output().volume() * p.filters;
        const auto x = drawn(random, p.batch * p.input.volume() * p.channels),
                   w = drawn(random, 4 * p.filters * p.channels);
        std::vector<float> wide(static_cast<std::size_t>(count), -77);
        std::vector<f8e4m3> y(wide.size());
        emulated_device<arch::sm_90a> device({.threads = 1, .compute_units = 1});
        const std::string tile = filters == 64 ? "boxes 256x64x64" : "boxes 128x256x64";
        const auto said = conv_forward<f16, f8e4m3>(device, p, {.x = x.data(), .w = w.data(), .y = y.data()});
        CHECK(said.chosen.find(tile) != std::string::npos);
        conv_forward<f16, float>(device, p, {.x = x.data(), .w = w.data(), .y = wide.data()});
        for (std::size_t i = 0; i < y.size(); ++i) REQUIRE(y[i].bits == convert<f8e4m3>(wide[i]).bits);
    }
}

TEST_CASE("sm_90a: pixels of x beside each other") {
    fade::test::check_beside<fade::arch::sm_90a, fade::f16>(12);
}

// Convolutions by Fourier transforms: all passes, within the bound of their own, and what they refuse.
#include "common/conv_by.hpp"
#include <complex>
#include <numbers>

using namespace fade;

namespace {

constexpr conv_algorithms compiled{.fft = true};
const conv_problem good{.batch = 5, .channels = 4, .filters = 4, .input = {1, 20, 8}, .filter = {1, 7, 5}};

std::string refused(const conv_problem& p, const char* words) {
    host_device device(1);
    return test::conv_by_call<float, compiled>(p, conv_algorithm::fft).refused(device, 0, words);
}

}  // namespace

TEST_CASE("fft on the host") {
    test::conv_draw draw(test::conv_seed());
    test::conv_by<arch::host, float, float, compiled>(40, [&] { return draw.of_large_filters(false); });
}

TEST_CASE("fft of three dimensions on the host") {
    test::conv_draw draw(test::conv_seed());
    test::conv_by<arch::host, float, float, compiled>(12, [&] { return draw.of_deep_filters(); });
}

// Many small products, which emulation makes slowly: one image has columns, too.
TEST_CASE_TEMPLATE("fft on", Arch, arch::gfx950, arch::gfx1201) {
    test::conv_draw draw(test::conv_seed());
    int made = 0;
    test::conv_by<Arch, f16, f16, compiled>(4, [&] {
        test::conv_case c = draw.of_large_filters(true);
        conv_problem& p = c.problem;
        if (made < 2) p = {.channels = 2, .filters = 3, .input = {1, 4, 7}, .filter = {1, 3, 5}};
        if (made++ == 1) p.input = {4, 1, 7}, p.filter = {3, 1, 5}, p.pad = {1, 0, 2};
        return c;
    });
}

// All of it would be thousands of products.
TEST_CASE_TEMPLATE("fft transforms columns of planes and back on", Arch, arch::host, arch::gfx950,
                   arch::gfx1201) {
    constexpr int run = tune::winograd_run<std::is_same_v<Arch, arch::host>>, lines = 16;
    const kernel::fft_block block{3, lines, 2, run, run};
    std::vector<float> given(2 * lines * 3 * 2 * run);
    std::mt19937 random(test::conv_seed());
    std::normal_distribution<float> normal;
    for (float& v : given) v = normal(random);
    emulated_device<Arch> device;
    std::vector<float> there = given;
    const auto transform = [&](bool back) {
        launch_entry(device, tune::fft_planes_entry<lines, run>{}, {1},
                     kernel::fft_planes_arguments{there.data(), block, back});
    };
    const auto at = [&](const std::vector<float>& of, int plane, int line, int value) {
        const float* v = of.data() + block.line_at(plane, line, value);
        return std::complex<double>(v[0], v[run]);
    };
    transform(false);
    for (int plane = 0; plane < 3; ++plane)
        for (int k = 0; k < lines; ++k) {
            std::complex<double> sum = 0;
            for (int n = 0; n < lines; ++n)
                sum += at(given, plane, n, 1) * std::polar(1.0, -2 * std::numbers::pi * k * n / lines);
            CHECK(std::abs(at(there, plane, k, 1) - sum) < 1e-5);
        }
    transform(true);
    for (std::size_t i = 0; i < given.size(); ++i) CHECK(std::abs(there[i] / lines - given[i]) < 1e-6);
}

TEST_CASE("fft takes as many images at a time as its workspace holds") {
    host_device device(1);
    const test::conv_by_call<float, compiled> call(good, conv_algorithm::fft);
    const std::size_t all = call.planned(device, 0).workspace_bytes,
                      least = call.planned(device, 1).workspace_bytes;
    CHECK(least < all);
    CHECK(call.planned(device, 0).report.chosen.find("conv fft 16x16") == 0);
    CHECK(call.planned(device, 0).report.chosen.find("5 images at a time") != std::string::npos);
    CHECK(call.planned(device, all - 1).report.chosen.find("3 images at a time") != std::string::npos);
    CHECK(call.planned(device, least).report.chosen.find("1 image at a time") != std::string::npos);
    CHECK(call.refused(device, least - 1, "products of 1 image, need") == "workspace_bytes");
    CHECK(call.refused(device, least) == "");
}

TEST_CASE("fft has larger tiles for larger filters and images") {
    const auto size = [](int image, int filter) {
        const tune::fft_sizes s = tune::fft_sizes_of(
            conv_pass::forward,
            kernel::sizes_of(
                {.channels = 64, .filters = 64, .input = {1, 1, image}, .filter = {1, 1, filter}}));
        return s.h * 1000 + s.w;
    };
    CHECK(size(20, 7) == 1016);
    CHECK(size(20, 17) == 1064);
    CHECK(size(200, 13) == 1064);
}

TEST_CASE("fft refuses by its name") {
    const auto spoilt = [&](auto spoil, const char* words) {
        conv_problem p = good;
        spoil(p);
        return refused(p, words);
    };
    CHECK(refused(good, "") == "");
    CHECK(spoilt([](conv_problem& p) { p.stride.w = 2; }, "strides of 1") == "algorithm");
    CHECK(spoilt([](conv_problem& p) { p.input.d = p.stride.d = 2; }, "strides of 1") == "algorithm");
    CHECK(spoilt([](conv_problem& p) { p.filter = p.input = {17, 1, 1}; }, "at most 16 pixels along d") ==
          "algorithm");
    CHECK(spoilt([](conv_problem& p) { p.channels = 0; }, "at least one product") == "algorithm");
    CHECK(spoilt([](conv_problem& p) { p.dilation.h = 11, p.pad.h = 40; }, "at most 64 pixels") ==
          "algorithm");
    host_device device(1);
    const test::conv_by_call<float, conv_algorithms{}> without(good, conv_algorithm::fft);
    CHECK(without.refused(device, 0, ".fft = true") == "algorithm");
    CHECK(tune::fft_obstacle(kernel::sizes_of(good), false).find("f32, f16 and bf16") != std::string::npos);
}

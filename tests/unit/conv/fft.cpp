// Convolutions by Fourier transforms: all passes, within the bound of their own, and what they refuse.
#include "common/conv_by.hpp"

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

// Many small products, which emulation makes slowly: one image has columns, too.
TEST_CASE_TEMPLATE("fft on", Arch, arch::gfx950, arch::gfx1201) {
    test::conv_draw draw(test::conv_seed());
    int made = 0;
    test::conv_by<Arch, f16, f16, compiled>(4, [&] {
        test::conv_case c = draw.of_large_filters(true);
        if (made++ == 0)
            c.problem = {
                .channels = 2, .filters = 3, .input = {1, 4, 7}, .filter = {1, 3, 5}, .pad = {0, 1, 2}};
        return c;
    });
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
    CHECK(spoilt([](conv_problem& p) { p.input.d = p.filter.d = 2; }, "two dimensions") == "algorithm");
    CHECK(spoilt([](conv_problem& p) { p.channels = 0; }, "at least one product") == "algorithm");
    CHECK(spoilt([](conv_problem& p) { p.dilation.h = 11, p.pad.h = 40; }, "at most 64 pixels") ==
          "algorithm");
    host_device device(1);
    const test::conv_by_call<float, conv_algorithms{}> without(good, conv_algorithm::fft);
    CHECK(without.refused(device, 0, ".fft = true") == "algorithm");
    CHECK(tune::fft_obstacle(kernel::sizes_of(good), false).find("f32, f16 and bf16") != std::string::npos);
}

// Convolutions by Winograd's minimal filtering, within the bound of its own, and what it refuses.
#include "common/conv_by.hpp"

using namespace fade;

namespace {

using enum conv_algorithm;
constexpr conv_algorithms compiled{.winograd = true};

template <class Arch, class T>
void check_winograd(int cases) {
    test::conv_draw draw(test::conv_seed());
    for (const conv_algorithm algorithm : {winograd_f2, winograd_f4})
        test::conv_by<Arch, T, T, compiled>(cases, [&] { return draw.of_3x3_taps(algorithm); });
}

std::string refused(const conv_problem& p, const char* words, conv_algorithm algorithm = winograd_f4) {
    host_device device(1);
    return test::conv_by_call<float, compiled>(p, algorithm).refused(device, 0, words);
}

}  // namespace

TEST_CASE("winograd on the host") { check_winograd<arch::host, float>(30); }
TEST_CASE("winograd on gfx942") { check_winograd<arch::gfx942, f16>(3); }
TEST_CASE("winograd on gfx1100") { check_winograd<arch::gfx1100, bf16>(3); }

TEST_CASE("winograd takes as many images at a time as its workspace holds") {
    host_device device(1);
    const conv_problem p{.batch = 6, .channels = 4, .filters = 4, .input = {1, 8, 8}, .filter = {1, 3, 3}};
    const test::conv_by_call<float, compiled> call(p, winograd_f2);
    const std::size_t least = call.planned(device, 1).workspace_bytes;
    CHECK(call.planned(device, 0).workspace_bytes > least);
    CHECK(call.planned(device, 0).report.chosen.find("6 images at a time") != std::string::npos);
    CHECK(call.planned(device, least).report.chosen.find("1 image at a time") != std::string::npos);
    CHECK(call.refused(device, least - 1, "products of 1 image, need") == "workspace_bytes");
    CHECK(call.refused(device, least) == "");
}

TEST_CASE("winograd refuses by its name") {
    const conv_problem good{.channels = 4, .filters = 4, .input = {1, 8, 8}, .filter = {1, 3, 3}};
    const auto spoilt = [&](auto spoil, const char* words) {
        conv_problem p = good;
        spoil(p);
        return refused(p, words);
    };
    CHECK(refused(good, "") == "");
    CHECK(refused(good, "", winograd_f2) == "");
    CHECK(refused(good, ".im2col = true", im2col) == "algorithm");
    CHECK(spoilt([](conv_problem& p) { p.filter.w = 2; }, "3 x 3 taps") == "algorithm");
    CHECK(spoilt([](conv_problem& p) { p.filter.h = 5; }, "3 x 3 taps") == "algorithm");
    CHECK(spoilt([](conv_problem& p) { p.stride.h = 2; }, "strides and dilations of 1") == "algorithm");
    CHECK(spoilt([](conv_problem& p) { p.dilation.w = 2; }, "strides and dilations of 1") == "algorithm");
    CHECK(spoilt([](conv_problem& p) { p.input.d = 2; }, "two dimensions") == "algorithm");
    CHECK(spoilt([](conv_problem& p) { p.pad.d = 1, p.stride.d = 3; }, "two dimensions") == "algorithm");
    CHECK(spoilt([](conv_problem& p) { p.channels = 0; }, "at least one product") == "algorithm");

    tune::algorithm_request request{conv_pass::forward, kernel::sizes_of(good), 4, 4, true};
    CHECK(tune::winograd_obstacle(request) == "");
    request.in_bytes = 8;
    CHECK(tune::winograd_obstacle(request).find("f32, f16 and bf16") != std::string::npos);
}

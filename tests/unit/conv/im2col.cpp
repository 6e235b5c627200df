// Convolutions by im2col: all passes, some images at a time where memory is short, and what it refuses.
#include "common/conv_by.hpp"

using namespace fade;

namespace {

constexpr conv_algorithms compiled{.im2col = true};

template <class Arch, class T>
void check_im2col(int cases) {
    test::conv_draw draw(test::conv_seed());
    test::conv_by<Arch, T, T, compiled>(cases, [&] {
        test::conv_case c = draw();
        c.algorithm = conv_algorithm::im2col;
        return c;
    });
}

}  // namespace

TEST_CASE("im2col on the host") { check_im2col<arch::host, float>(60); }
TEST_CASE("im2col on gfx942") { check_im2col<arch::gfx942, f16>(24); }
TEST_CASE("im2col on gfx1100") { check_im2col<arch::gfx1100, f16>(24); }

TEST_CASE("im2col takes as many images at a time as its workspace holds") {
    host_device device(1);
    const conv_problem p{
        .batch = 6, .channels = 4, .filters = 4, .input = {1, 8, 8}, .filter = {1, 3, 3}, .pad = {0, 1, 1}};
    test::conv_by_call<float, compiled> call(p, conv_algorithm::im2col);
    const std::size_t all = call.planned(device, 0).workspace_bytes,
                      least = call.planned(device, 1).workspace_bytes;
    CHECK(all >= 6 * 64 * 9 * 4 * sizeof(float));
    CHECK(least < all / 3);
    CHECK(call.planned(device, 0).report.chosen.find("6 images at a time") != std::string::npos);
    CHECK(call.planned(device, all - 1).report.chosen.find("3 images at a time") != std::string::npos);
    CHECK(call.planned(device, least).report.chosen.find("1 image at a time") != std::string::npos);
    CHECK(call.refused(device, least - 1, "the windows of 1 image need") == "workspace_bytes");
    CHECK(call.refused(device, least) == "");
}

TEST_CASE("im2col shares k where that is asked for") {
    host_device device(2);
    const conv_problem p{.channels = 64, .filters = 4, .input = {1, 4, 4}, .filter = {1, 3, 3}};
    const test::conv_by_call<float, compiled> call(p, conv_algorithm::im2col);
    CHECK(call.planned(device, 0, 2).launches.size() > call.planned(device, 0).launches.size());
}

TEST_CASE("im2col refuses by its name") {
    host_device device(1);
    const conv_problem p{.channels = 4, .filters = 4, .input = {1, 8, 8}, .filter = {1, 3, 3}};
    const auto refused = [&](auto spoil, const char* words) {
        conv_problem spoilt = p;
        spoil(spoilt);
        return test::conv_by_call<float, compiled>(spoilt, conv_algorithm::im2col).refused(device, 0, words);
    };
    CHECK(refused([](conv_problem&) {}, "") == "");
    CHECK(refused([](conv_problem& s) { s.channels = 0; }, "at least one product") == "algorithm");
    const kernel::conv_sizes large =
        kernel::sizes_of({.channels = 4, .filters = 4, .input = {1, 1 << 14, 1 << 14}, .filter = {1, 3, 3}});
    CHECK(tune::im2col_obstacle({conv_pass::forward, large, 4, 4, true}).find("2^31 elements") !=
          std::string::npos);
    CHECK(tune::im2col_obstacle({conv_pass::forward, kernel::sizes_of(p), 1, 1, false}).find("f64") !=
          std::string::npos);
    const auto without = test::conv_by_call<float, conv_algorithms{}>(p, conv_algorithm::im2col);
    CHECK(without.refused(device, 0, ".im2col = true") == "algorithm");
}

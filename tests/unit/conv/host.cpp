#include "common/conv_beside.hpp"
#include "common/conv_quantized.hpp"
#include "common/conv_suite.hpp"

FADE_CONV_SUITE(host, f32, 150, 4)
FADE_CONV_SUITE(host, f64, 60, 4)
FADE_CONV_SUITE(host, f16, 60, 4)
FADE_CONV_SUITE(host, bf16, 150, 4)
TEST_CASE("host bf16 to f32") { fade::test::conv_suite<fade::arch::host, fade::bf16, float>(60, 4); }

TEST_CASE("host: pixels of x beside each other") {
    fade::test::check_beside<fade::arch::host, fade::f32>(24);
}

TEST_CASE("host i8 with zero points") {
    fade::test::quantized_suite<fade::arch::host, fade::i8, fade::i32>(60);
    fade::test::quantized_suite<fade::arch::host, fade::i8, fade::i8>(40);
}
TEST_CASE("host f8e4m3 with scales") {
    fade::test::quantized_suite<fade::arch::host, fade::f8e4m3, fade::f16>(30);
}

TEST_CASE("zero points that cannot be, and what they leave where nothing is summed") {
    using namespace fade;
    host_device cpu(1);
    std::vector<i8> x(64, 3), w(64, 1);
    std::vector<i32> y(16, 77), zeros(4, 1);
    const conv_problem p{.channels = 4, .filters = 4, .input = {.h = 2, .w = 2}};
    const auto refused = [&](int x_zero, const i32* w_zero) -> std::string {
        try {
            conv_forward<i8, i32>(
                cpu, p, {.x = x.data(), .w = w.data(), .y = y.data(), .x_zero = x_zero, .w_zero = w_zero});
        } catch (const error& e) {
            CHECK(y == std::vector<i32>(16, 77));
            return e.argument() + " " + e.value();
        }
        return "";
    };
    CHECK(refused(128, nullptr) == "x_zero 128");
    CHECK(refused(-129, nullptr) == "x_zero -129");
    CHECK(refused(0, y.data() + 13) == "y overlapping w_zero");
    CHECK(refused(3, zeros.data()) == "");
    CHECK(y == std::vector<i32>(16, 0));
    conv_problem empty = p;
    empty.channels = 0;
    conv_forward<i8, i32>(cpu, empty, {.y = y.data(), .x_zero = 7, .w_zero = zeros.data()});
    CHECK(y == std::vector<i32>(16, 0));
}

TEST_CASE("quantize_to rounds before it adds a zero point") {
    using namespace fade;
    const epilogue::position at{0, 0, 0, true};
    const auto made = [&](float x, int zero) { return convert<i8>(quantize_to<i8>(2.0f, zero)(x, at)); };
    CHECK(made(5, 1) == 3);  // 2.5 becomes 2
    CHECK(made(7, 1) == 5);  // 3.5 becomes 4
    CHECK(made(-5, -3) == -5);
    CHECK(made(400, -100) == 100);
    CHECK(made(1000, -100) == 127);
    CHECK(made(-1000, 100) == -128);
    CHECK_THROWS_AS(quantize_to<i8>(2.0f, 128), error);
}

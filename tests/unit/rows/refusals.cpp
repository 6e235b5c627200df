// What row operators refuse, with nothing written, and what they do with rows that are not there.
#include <cmath>
#include <doctest/doctest.h>
#include <fade/norm.hpp>
#include <fade/reduce.hpp>
#include <fade/softmax.hpp>
#include <string>
#include <vector>

namespace {
fade::host_device device;
std::vector<float> x(64, 1.0f), y(64, -7.0f);
const fade::norm_problem problem{.rows = 4, .columns = 16};

template <class F>
bool refused(F call, const char* argument) {
    try {
        call();
    } catch (const fade::error& e) {
        INFO(e.what());
        CHECK(e.argument() == argument);
        return e.argument() == argument;
    }
    return false;
}
}  // namespace

TEST_CASE("sizes, strides and pointers that cannot be") {
    fade::norm_problem p = problem;
    const auto norm = [&](fade::norm_operands<float> o) { fade::rms_norm<float>(device, p, o); };
    CHECK(refused([&] { norm({.y = y.data()}); }, "x"));
    CHECK(refused([&] { norm({.x = x.data()}); }, "y"));
    p.rows = -1;
    CHECK(refused([&] { norm({.x = x.data(), .y = y.data()}); }, "rows"));
    p.rows = (fade::index(1) << 40) + 1;
    CHECK(refused([&] { norm({.x = x.data(), .y = y.data()}); }, "rows"));
    p = problem, p.columns = fade::index(1) << 31;
    CHECK(refused([&] { norm({.x = x.data(), .y = y.data()}); }, "columns"));
    p.rows = 1, p.columns = fade::index(1) << 29;  // 2^31 bytes
    CHECK(refused([&] { norm({.x = x.data(), .y = y.data()}); }, "columns"));
    p = problem, p.columns = -5;
    CHECK(refused([&] { norm({.x = x.data(), .y = y.data()}); }, "columns"));
    p = problem, p.x_stride = -2;
    CHECK(refused([&] { norm({.x = x.data(), .y = y.data()}); }, "x_stride"));
    p = problem, p.y_stride = 15;
    CHECK(refused([&] { norm({.x = x.data(), .y = y.data()}); }, "y_stride"));
    p = problem, p.y_stride = 0;
    CHECK(refused([&] { norm({.x = x.data(), .y = y.data()}); }, "y_stride"));
    p = problem, p.epsilon = -1;
    CHECK(refused([&] { norm({.x = x.data(), .y = y.data()}); }, "epsilon"));
    p = problem;
    CHECK(refused([&] { norm({.x = x.data(), .bias = x.data(), .y = y.data()}); }, "bias"));
    CHECK(refused([&] { norm({.x = x.data(), .y = y.data(), .scales = y.data()}); }, "scales"));
    CHECK(refused([&] { norm({.x = x.data(), .y = x.data() + 1}); }, "y"));
    p.rows = 0;  // what has no elements overlaps nothing, and may be missing
    CHECK(!refused([&] { norm({.x = x.data(), .y = x.data() + 1}); }, ""));
    CHECK(!refused([&] { norm({}); }, ""));
    p = problem, p.columns = 0;
    CHECK(!refused([&] { norm({.x = x.data(), .y = x.data() + 1}); }, ""));
    CHECK(!refused([&] { norm({}); }, ""));
    p = problem;
    const auto* odd = reinterpret_cast<const float*>(reinterpret_cast<const char*>(x.data()) + 2);
    CHECK(refused([&] { norm({.x = odd, .y = y.data()}); }, "x"));
    for (float v : y) CHECK(v == -7.0f);
}

TEST_CASE("options that only one operator has") {
    fade::norm_problem p = problem;
    p.weight_offset = 1;
    CHECK(refused([&] { fade::layer_norm<float>(device, p, {.x = x.data(), .y = y.data()}); },
                  "weight_offset"));
    const fade::norm_gradient_problem g{.rows = 4, .columns = 16};
    std::vector<float> root(4, 1.0f);
    const auto gradient = [&](fade::norm_gradient_operands<float> o) {
        fade::rms_norm_gradient<float>(device, g, o);
    };
    CHECK(refused([&] { gradient({.h = x.data(), .dy = x.data(), .dx = y.data()}); }, "inverse_root"));
    CHECK(refused([&] { gradient({.h = x.data(), .dy = x.data(), .inverse_root = root.data()}); }, "dx"));
    CHECK(refused([&] { fade::top_k(device, {4, 16, 65}, x.data(), y.data(), nullptr); }, "k"));
    CHECK(refused([&] { fade::top_k(device, {4, 16, 17}, x.data(), y.data(), nullptr); }, "k"));
    CHECK(refused([&] { fade::argmax(device, {4, 0}, x.data(), static_cast<int*>(nullptr)); }, "out"));
    int place = -7;
    CHECK(refused([&] { fade::argmax(device, {1, 0}, x.data(), &place); }, "columns"));
    CHECK(place == -7);
    CHECK(refused(
        [&] {
            fade::cross_entropy<float>(device, {.rows = 1, .columns = 16}, {.x = x.data(), .loss = y.data()});
        },
        "labels"));
}

TEST_CASE("rows that are not aligned are a fallback, which strict mode refuses") {
    fade::emulated_device<fade::arch::gfx1100> emulated;
    const fade::softmax_problem p{.rows = 4, .columns = 15};
    CHECK(fade::softmax(emulated, p, x.data(), y.data()).fallback);
    CHECK(refused([&] { fade::softmax(emulated, p, x.data(), y.data(), {.strict = true}); }, "strict"));
}

TEST_CASE("the largest of numbers and what is none") {
    std::vector<float> row(700, -2.0f), values(4);
    std::vector<int> places(4, -7);
    row[0] = row[600] = std::nanf(""), row[5] = row[300] = 9;
    const auto check = [&](auto&& on) {
        fade::top_k(on, {1, 700, 4}, row.data(), values.data(), places.data());
        CHECK(places == std::vector<int>{0, 600, 5, 300});
        CHECK(std::isnan(values[1]));
        CHECK(values[2] == 9.0f);
        fade::argmax(on, {1, 700}, row.data() + 1, places.data());
        CHECK(places[0] == 599);
    };
    check(fade::host_device());
    check(fade::emulated_device<fade::arch::gfx1100>());
    check(fade::emulated_device<fade::arch::gfx942>());
}

TEST_CASE("top_k along columns refuses what no column has, and writes nothing") {
    std::vector<float> values(64, -7.0f);
    std::vector<int> places(64, -7);
    const auto along = [&](fade::index rows, fade::index columns, int k, fade::index stride = -1) {
        return fade::top_k_problem{
            .rows = rows, .columns = columns, .k = k, .x_stride = stride, .direction = fade::along::columns};
    };
    const auto refused = [&](const fade::top_k_problem& p, const float* from, const char* argument) {
        try {
            fade::top_k(device, p, from, values.data(), places.data());
        } catch (const fade::error& e) {
            return std::string(e.what()).find(argument) != std::string::npos;
        }
        return false;
    };
    CHECK(refused(along(3, 8, 4), x.data(), "a column has 3 elements"));
    CHECK(refused(along(8, 8, 0), x.data(), "k"));
    CHECK(refused(along(80, 8, 65), x.data(), "k"));
    CHECK(refused(along(8, 8, 2), nullptr, "x"));
    CHECK(refused(along(8, 8, 2, -3), x.data(), "x_stride"));
    CHECK(refused(along(-1, 8, 2), x.data(), "rows"));
    CHECK(refused(along(fade::index(1) << 31, 8, 2), x.data(), "places along columns"));
    CHECK_THROWS_AS(fade::top_k(device, along(8, 8, 2), x.data(), static_cast<float*>(nullptr), nullptr),
                    fade::error);
    for (float v : values) CHECK(v == -7.0f);
    for (int p : places) CHECK(p == -7);
    fade::top_k(device, along(8, 0, 2), x.data(), values.data(), places.data());  // no columns: done
    CHECK(values[0] == -7.0f);
}

TEST_CASE("no rows and no columns") {
    std::vector<float> sums(4, -7.0f);
    fade::softmax(device, {.rows = 0, .columns = 16}, x.data(), y.data());
    fade::sum(device, {.rows = 4, .columns = 0}, x.data(), sums.data());
    for (float s : sums) CHECK(s == 0.0f);
    std::vector<float> columns(16, -7.0f);
    fade::sum(device, {0, 16, fade::along::columns}, x.data(), columns.data());
    for (float s : columns) CHECK(s == 0.0f);
}

TEST_CASE("in place, and the sum in place of its residual") {
    std::vector<float> a(3000), b(3000), apart(3000), sum(3000);
    for (int i = 0; i < 3000; ++i) a[i] = std::sin(float(i)), b[i] = std::cos(float(3 * i));
    const fade::norm_problem p{.rows = 1, .columns = 3000};
    fade::rms_norm<float>(device, p,
                          {.x = a.data(), .residual = b.data(), .sum = sum.data(), .y = apart.data()});
    std::vector<float> in_place = b;
    fade::rms_norm<float>(
        device, p, {.x = a.data(), .residual = in_place.data(), .sum = in_place.data(), .y = a.data()});
    CHECK(in_place == sum);
    CHECK(a == apart);
}

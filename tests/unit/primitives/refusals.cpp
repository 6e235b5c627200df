// What primitives refuse, with nothing written, and how they take what is not a number.
#include <cmath>
#include <doctest/doctest.h>
#include <fade/primitives.hpp>
#include <vector>

namespace {
fade::host_device device;
std::vector<float> x(64, 1.0f), y(64, -7.0f);
std::vector<int> places(64, -7);
const std::vector<std::uint8_t> flags(64, 1);

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

TEST_CASE("sizes that cannot be") {
    CHECK(refused([&] { fade::sort(device, {-1}, x.data(), y.data()); }, "count"));
    CHECK(refused([&] { fade::sort(device, {fade::index(1) << 31}, x.data(), y.data()); }, "count"));
    CHECK(refused([&] { fade::segmented_reduce(device, {64, -1}, x.data(), places.data(), y.data()); },
                  "segments"));
    CHECK(refused([&] { fade::reduce(device, {0, fade::reduce_op::max}, x.data(), y.data()); }, "count"));
    const auto top = [&](fade::index k) {
        fade::list_top_k(device, {64, k}, x.data(), y.data(), places.data());
    };
    CHECK(refused([&] { top(65); }, "k"));
    CHECK(refused([&] { top(-1); }, "k"));
    for (float v : y) CHECK(v == -7.0f);
}

TEST_CASE("bins that cannot be") {
    const auto count = [&](fade::histogram_problem p) {
        fade::histogram(device, p, x.data(), places.data());
    };
    CHECK(refused([&] { count({64, 0, 0, 1}); }, "bins"));
    CHECK(refused([&] { count({64, 65537, 0, 1}); }, "bins"));
    CHECK(refused([&] { count({64, 8, 1, 1}); }, "upper"));
    CHECK(refused([&] { count({64, 8, NAN, 1}); }, "lower"));
    CHECK(refused([&] { count({64, 8, 0, INFINITY}); }, "upper"));
    CHECK(refused([&] { count({64, 8, 1, 1 + 1e-12}); }, "upper"));
    CHECK(refused([&] { count({64, 8, -3e38, 3e38}); }, "upper"));
    const std::vector<int> whole(64, 1);
    CHECK(refused([&] { fade::histogram(device, {64, 8, 0.5, 4}, whole.data(), places.data()); }, "lower"));
    for (int v : places) CHECK(v == -7);
}

TEST_CASE("memory that cannot be") {
    CHECK(refused([&] { fade::sort<float>(device, {64}, nullptr, y.data()); }, "keys"));
    CHECK(refused([&] { fade::sort<float>(device, {64}, x.data(), nullptr); }, "sorted"));
    CHECK(refused([&] { fade::sort(device, {64}, y.data(), y.data()); }, "sorted"));
    CHECK(refused([&] { fade::sort_pairs(device, {32}, x.data(), y.data(), y.data() + 31, y.data() + 32); },
                  "sorted"));
    const auto* odd = reinterpret_cast<const float*>(reinterpret_cast<const char*>(x.data()) + 2);
    CHECK(refused([&] { fade::sort(device, {4}, odd, y.data()); }, "keys"));
    CHECK(
        refused([&] { fade::select(device, {64}, x.data(), flags.data(), y.data(), nullptr); }, "selected"));
    CHECK(refused([&] { fade::select<float>(device, {64}, x.data(), nullptr, y.data(), places.data()); },
                  "flags"));
    CHECK(refused([&] { fade::inclusive_scan(device, {10}, places.data(), places.data() + 1); }, "out"));
    const fade::list_top_k_problem top{64, 3};
    CHECK(refused([&] { fade::list_top_k(device, top, x.data(), nullptr, nullptr); }, "values"));
    for (float v : y) CHECK(v == -7.0f);
    for (int v : places) CHECK(v == -7);
}

TEST_CASE("a scan of floats asks for any order") {
    CHECK(refused([&] { fade::inclusive_scan(device, {64}, x.data(), y.data()); }, "any_order"));
    fade::emulated_device<fade::arch::gfx942> emulated;
    CHECK(refused([&] { fade::exclusive_scan(emulated, {64}, x.data(), y.data()); }, "any_order"));
    for (float v : y) CHECK(v == -7.0f);
}

TEST_CASE("no elements") {
    float sum = -7;
    int selected = -7;
    std::vector<int> counts(4, -7);
    const float* none = nullptr;
    fade::sort<float>(device, {0}, none, nullptr);
    fade::reduce(device, {0}, none, &sum);
    fade::select<float>(device, {0}, none, nullptr, nullptr, &selected);
    fade::histogram(device, {0, 4, 0, 1}, none, counts.data());
    CHECK(sum == 0);
    CHECK(selected == 0);
    for (int c : counts) CHECK(c == 0);
}

TEST_CASE("what is no number") {
    const float nan = std::copysign(NAN, 1.0f), list[] = {2, nan, -INFINITY, -nan, INFINITY};
    float sorted[5], out;
    fade::sort(device, {5}, list, sorted);
    CHECK((std::isnan(sorted[0]) && std::signbit(sorted[0])));
    CHECK(sorted[1] == -INFINITY);
    CHECK(sorted[3] == INFINITY);
    CHECK((std::isnan(sorted[4]) && !std::signbit(sorted[4])));
    for (fade::reduce_op op : {fade::reduce_op::sum, fade::reduce_op::min, fade::reduce_op::max}) {
        fade::reduce(device, {5, op}, list, &out);
        CHECK(std::isnan(out));
    }
    int counts[2];
    fade::histogram(device, {5, 2, 0, 4}, list, counts);
    CHECK(counts[0] == 0);
    CHECK(counts[1] == 1);
}

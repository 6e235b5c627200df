// Row operators on this CPU.
#include "common/each_isa.hpp"
#include "common/row_suite.hpp"
#include "common/streamed_rows.hpp"
#include <algorithm>
#include <bit>
#include <cmath>
#include <fade/rows.hpp>
#include <limits>
#include <numeric>
#include <vector>

TEST_CASE("row operators of every pair of types on the host") {
    fade::host_device host;
    rows::check_all<float, float>(host);
    rows::check_all<fade::bf16, fade::bf16>(host);
    rows::check_all<fade::f16, float>(host);
    rows::check_all<float, fade::f16>(host);
}

TEST_CASE("gradients, losses and places on the host") {
    fade::host_device host;
    rows::check_all_of<float>(host);
    rows::check_all_of<fade::bf16>(host);
}

namespace {

/// The product of each row: a fold by an operation that the library has no vectors of.
struct product_rows {
    fade::row_tensor<const float> x;
    float* out;
    static constexpr int operands = 1, element_bytes = 4;
    template <class F>
    void each_tensor(F f) const {
        f("x", x);
    }
    template <class Row>
    FADE_FN void operator()(Row& row) const {
        const auto times = [](float a, float b) FADE_LAMBDA { return a * b; };
        row.put(out, row.fold(1.0f, times, [](float z) FADE_LAMBDA { return z; }, row.read(x)));
    }
};

}  // namespace

TEST_CASE("a fold by an operation of one's own") {
    const fade::index columns = rows::drawn(1, 200);
    std::vector<float> x(std::size_t(3 * columns)), out(3, -7.0f);
    for (float& v : x) v = 0.5f + float(rows::drawn(0, 100)) / 100;
    fade::host_device host;
    fade::run_rows(host, "product", {3, columns}, product_rows{{x.data()}, out.data()});
    for (fade::index r = 0; r < 3; ++r) {
        double wanted = 1;
        for (fade::index c = 0; c < columns; ++c) wanted *= double(x[std::size_t(r * columns + c)]);
        CHECK(std::abs(double(out[std::size_t(r)]) / wanted - 1) < double(columns) * 0x1p-23);
    }
}

namespace {

/// y = x, by the columns' number where `Numbered`: elements of 16 bits then stay in order on their way.
template <class In, class Out, bool Numbered>
struct copied_rows {
    fade::row_tensor<const In> x;
    fade::row_tensor<Out> y;
    static constexpr int operands = 1, element_bytes = sizeof(In);
    template <class F>
    void each_tensor(F f) const {
        f("x", x), f("y", y);
    }
    template <class Row>
    FADE_FN void operator()(Row& row) const {
        if constexpr (Numbered)
            row.write(y, [](fade::column, float z) FADE_LAMBDA { return z; }, row.read(x));
        else
            row.write(y, [](float z) FADE_LAMBDA { return z; }, row.read(x));
    }
};

/// Is each y what one x alone becomes?
template <class In, bool Numbered, class Out = fade::bf16>
void check_rounded(fade::host_device& host, const std::vector<In>& x) {
    const auto skip = std::size_t(rows::drawn(0, 40));
    std::vector<Out> y(x.size() + skip);
    const auto columns = fade::index(x.size());
    fade::run_rows(host, "copied", {1, columns},
                   copied_rows<In, Out, Numbered>{{x.data()}, {y.data() + skip}});
    bool exact = true;
    for (std::size_t i = 0; i < x.size(); ++i)
        exact = exact && y[skip + i].bits == fade::convert<Out>(fade::convert<float>(x[i])).bits;
    CHECK(exact);
}

}  // namespace

TEST_CASE("numbers of every kind are rounded to 16 bits as one alone is, on every kind of vectors") {
    std::vector<fade::bf16> all;
    std::vector<float> between;
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        all.push_back({std::uint16_t(bits)});
        const std::uint32_t lower[] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff};
        between.push_back(std::bit_cast<float>(bits << 16 | lower[rows::drawn(0, 5)]));
    }
    // NaN beside numbers, and runs without one.
    std::shuffle(all.begin(), all.begin() + 30000, rows::generator());
    std::shuffle(between.begin(), between.begin() + 30000, rows::generator());
    fade::host_device host;
    fade::test::each_isa([&] {
        check_rounded<fade::bf16, false>(host, all), check_rounded<fade::bf16, true>(host, all);
        check_rounded<float, false>(host, between);
        check_rounded<float, false, fade::f16>(host, between);
    });
}

TEST_CASE("the variance of rows whose first elements are far from their mean") {
    fade::host_device host;
    fade::test::each_isa([&] {
        const fade::index columns = rows::drawn(20, 3000);
        std::vector<float> x(static_cast<std::size_t>(columns)), y(x), mean(1), root(1);
        for (float& v : x) v = float(rows::drawn(-1000, 1000)) / 1000;
        for (std::size_t i = 0; i < 8; ++i) x[i] = 3000 + float(i);
        for (const bool far : {true, false}) {
            if (!far)  // all are far from zero, and near each other
                for (float& v : x) v = 3000 + float(rows::drawn(-1000, 1000)) / 1000;
            fade::layer_norm<float>(
                host, {.rows = 1, .columns = columns, .epsilon = 1e-5},
                {.x = x.data(), .y = y.data(), .mean = mean.data(), .inverse_root = root.data()});
            double middle = 0, squares = 0;
            for (float v : x) middle += double(v) / double(columns);
            for (float v : x) squares += (double(v) - middle) * (double(v) - middle);
            CHECK(std::abs(double(mean[0]) / middle - 1) < 1e-6);
            CHECK(std::abs(double(root[0]) * std::sqrt(squares / double(columns) + 1e-5) - 1) < 4e-6);
        }
    });
}

TEST_CASE("results that are in no cache when they are read again are the same") {
    fade::host_device host;
    fade::test::each_isa([&] {
        rows::check_streamed<float>(
            [&](const auto& size, const float* x, float* y) { fade::softmax<float>(host, size, x, y); });
        rows::check_streamed<fade::bf16>([&](const auto& size, const fade::bf16* x, fade::bf16* y) {
            fade::log_softmax<fade::bf16>(host, size, x, y);
        });
    });
    rows::check_streamed<fade::f16>([&](const auto& size, const fade::f16* x, fade::f16* y) {
        fade::log_softmax<fade::f16>(host, size, x, y);
    });
}

TEST_CASE("exponentials far below the largest are right, and zeros in the end, on every kind of vectors") {
    fade::host_device host;
    const float nothing = -std::numeric_limits<float>::infinity();
    fade::test::each_isa([&] {
        std::vector<float> x(200), y(200, 7.0f);
        const float largest = float(rows::drawn(-50, 50));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = largest - float(i) / 2;
        x[170] = nothing, x[13] = -3e38f;
        fade::softmax<float>(host, {1, 200}, x.data(), y.data());
        double sum = 0, worst = 0;
        for (float v : x) sum += std::exp(double(v) - largest);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double wanted = std::exp(double(x[i]) - largest) / sum;
            worst = std::max(worst, std::abs(double(y[i]) - wanted) / (wanted + 0x1p-120));
        }
        CHECK(worst < 0.02);  // of what is below 2^-126
        for (std::size_t i = 0; i < 160; ++i)
            if (i != 13) CHECK(std::abs(double(y[i]) / (std::exp(double(x[i]) - largest) / sum) - 1) < 4e-6);
        CHECK(y[170] == 0);
        CHECK(y[13] == 0);
        x[5] = std::nanf("");
        fade::softmax<float>(host, {1, 200}, x.data(), y.data());
        CHECK(std::all_of(y.begin(), y.end(), [](float v) { return std::isnan(v); }));
    });
}

namespace {

/// Numbers of which many are equal, with zeros, infinities and NaN of both signs among them.
template <class T>
std::vector<T> with_equals(fade::index columns) {
    const float infinity = std::numeric_limits<float>::infinity(), nan = std::nanf("");
    const float rare[] = {0.0f, -0.0f, infinity, -infinity, nan, std::copysign(nan, -1.0f)};
    const fade::index kinds = rows::drawn(1, 3000), odd = rows::drawn(1, 300);
    std::vector<T> out;
    for (fade::index i = 0; i < columns; ++i) {
        const float number = float(rows::drawn(-kinds, 0)) / 64;
        out.push_back(fade::convert<T>(rows::drawn(0, odd) ? number : rare[rows::drawn(0, 5)]));
    }
    return out;
}

template <class T>
void check_largest(fade::host_device& host) {
    const fade::index columns = rows::drawn(1, rows::drawn(0, 1) ? 200 : 3000);
    const int k = int(rows::drawn(1, std::min<fade::index>(columns, 64)));
    const auto x = with_equals<T>(columns);
    const auto at = [&](int i) { return fade::convert<float>(x[std::size_t(i)]); };
    std::vector<int> order(x.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return std::isnan(at(a)) ? !std::isnan(at(b)) : at(a) > at(b); });
    std::vector<int> places(std::size_t(k), -7), first(1, -7);
    std::vector<float> values(std::size_t(k), -7.0f);
    fade::top_k<T>(host, {.rows = 1, .columns = columns, .k = k}, x.data(), values.data(), places.data());
    fade::argmax(host, {.rows = 1, .columns = columns}, x.data(), first.data());
    order.resize(std::size_t(k));
    CAPTURE(columns);
    CHECK(first[0] == order[0]);
    CHECK(places == order);
    for (int i = 0; i < k; ++i) {
        const float found = values[std::size_t(i)], wanted = at(order[std::size_t(i)]);
        CHECK((std::isnan(wanted) ? std::isnan(found) : found == wanted));
    }
}

}  // namespace

TEST_CASE("the largest elements among equal ones, on every kind of vectors") {
    fade::host_device host;
    fade::test::each_isa([&] {
        for (int i = 0; i < 40; ++i) check_largest<float>(host), check_largest<fade::bf16>(host);
    });
}

TEST_CASE("sums of very many numbers that are all rounded the same way") {
    fade::host_device host;
    const fade::index count = rows::drawn(200000, 300000);
    const float number = 1 + float(2 * rows::drawn(1 << 20, 1 << 21) + 1) * 0x1p-23f;
    const std::vector<float> x(std::size_t(count), number);
    std::vector<float> sum(1), columns(1), loss(1), log_sum(1);
    fade::sum<float>(host, {.rows = 1, .columns = count}, x.data(), sum.data());
    fade::sum<float>(host, {.rows = count, .columns = 1, .direction = fade::along::columns}, x.data(),
                     columns.data());
    CAPTURE(count);
    CAPTURE(number);
    const double wanted = double(count) * double(number);
    CHECK(std::abs(double(sum[0]) / wanted - 1) < 3e-6);
    CHECK(std::abs(double(columns[0]) / wanted - 1) < std::sqrt(double(count)) * 0x1p-24 + 1e-6);
    // Exponentials of all but the largest are the same.
    std::vector<float> logits(x);
    logits[0] = number + 1;
    const int label = 0;
    fade::cross_entropy<float>(
        host, {.rows = 1, .columns = count},
        {.x = logits.data(), .labels = &label, .loss = loss.data(), .log_sum = log_sum.data()});
    const double log_of_sum = std::log(1 + double(count - 1) * std::exp(-1.0));
    CHECK(std::abs(double(loss[0]) - log_of_sum) < 4e-6);
}

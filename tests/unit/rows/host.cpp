// Row operators on this CPU.
#include "common/each_isa.hpp"
#include "common/row_suite.hpp"
#include "common/streamed_rows.hpp"
#include <fade/rows.hpp>

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

TEST_CASE("results that are in no cache when they are read again are the same") {
    fade::host_device host;
    fade::test::each_isa([&] {
        rows::check_streamed<float>(
            [&](const auto& size, const float* x, float* y) { fade::softmax<float>(host, size, x, y); });
        rows::check_streamed<fade::bf16>([&](const auto& size, const fade::bf16* x, fade::bf16* y) {
            fade::log_softmax<fade::bf16>(host, size, x, y);
        });
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

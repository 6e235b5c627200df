// Every stage against its definition; a chain chosen at run time gives the bits of the one composed at
// compile time.
#include "common/stages.hpp"
#include "common/each_isa.hpp"
#include "common/matrix.hpp"
#include "common/property.hpp"
#include <fade/epilogue/all.hpp>
#include <fade/epilogue/part.hpp>
#include <random>

using namespace fade;
using epilogue::position;

namespace {

/// Memory of T that stages read, and the same numbers as f64.
template <class T>
struct sources {
    std::vector<T> values = std::vector<T>(64);
    explicit sources(std::mt19937_64& random) {
        std::normal_distribution<double> normal(0, 2);
        for (auto& v : values) v = test::nearest<T>(normal(random));
    }
    /// What a stage reads at a position: vectors by column or row, matrices of 7 columns and a stride of 20.
    double operand(stage_kind k, const position& at) const {
        return test::value_of(values[std::size_t(test::place_of(k, at, 7, 20))]);
    }
};

/// Calls f(stage) with the compile-time stage of a kind.
template <class T, class F>
void with_stage(stage_kind k, const T* p, float low, float high, F f) {
    switch (k) {
    case stage_kind::bias:
        return f(bias(p));
    case stage_kind::bias_col:
        return f(bias_col(p));
    case stage_kind::relu:
        return f(relu());
    case stage_kind::gelu:
        return f(gelu());
    case stage_kind::gelu_tanh:
        return f(gelu_tanh());
    case stage_kind::silu:
        return f(silu());
    case stage_kind::sigmoid:
        return f(sigmoid());
    case stage_kind::clamp:
        return f(clamp(low, high));
    case stage_kind::scale:
        return f(scale(low));
    case stage_kind::residual:
        return f(residual(p, 7, 20));
    case stage_kind::mul:
        return f(mul(p, 7, 20));
    case stage_kind::drelu:
        return f(drelu(p, 7, 20));
    case stage_kind::dgelu:
        return f(dgelu(p, 7, 20));
    case stage_kind::dsilu:
        return f(dsilu(p, 7, 20));
    case stage_kind::scale_rows:
        return f(scale_rows(p));
    case stage_kind::scale_columns:
        return f(scale_columns(p));
    case stage_kind::batch_bias:
        return f(batch_bias(p, 20));
    default:
        break;  // aux and amax write, and gates make one value of two
    }
}

template <class T>
void check_stage(stage_kind k, std::mt19937_64& random) {
    const sources<T> from(random);
    const position at{fade::index(random() % 5), fade::index(random() % 7), fade::index(random() % 2), true};
    const float low = -0.75f, high = 1.25f, v = std::normal_distribution<float>(0, 4)(random);
    const test::bounded want = test::apply_stage(k, {v, 0}, from.operand(k, at), low, high);
    any_chain<T> any;
    any.push(k, from.values.data(), 7, 20, low, high);
    with_stage(k, from.values.data(), low, high, [&](const auto& stage) {
        const float got = stage(v, at);
        INFO(std::string(name(k)), " of ", v);
        CHECK(std::fabs(got - want.value) <= want.error + 1e-30);
        CHECK(std::bit_cast<std::uint32_t>(any(v, at)) == std::bit_cast<std::uint32_t>(got));
        CHECK(name_of(stage) == std::string(name(k)));
        CHECK(name_of(any) == std::string(name(k)));
    });
}

template <class T>
void check_all_stages(std::mt19937_64& random) {
    for (int k = 0; k < test::stage_kinds; ++k)
        for (int i = 0; i < 200; ++i) check_stage<T>(stage_kind(k), random);
}

const position corner{0, 0, 0, true};

/// A row through a stage at once, with this CPU's vectors: each value by its definition, what is no finite
/// number as the stage treats it alone.
void check_row(stage_kind k, std::mt19937_64& random) {
    const sources<float> from(random);
    alignas(64) float row[32];
    float before[32];
    const int columns = 1 + int(random() % 32);
    const float specials[] = {0,    -0.0f, 1e-40f, 88.5f,    -88.5f,    300,
                              -300, 3e38f, -3e38f, INFINITY, -INFINITY, NAN};
    for (int i = 0; i < 32; ++i)
        before[i] = row[i] =
            random() % 2 ? std::normal_distribution<float>(0, 4)(random) : specials[random() % 12];
    any_chain<float> any;
    any.push(k, from.values.data(), 7, 20, -0.75f, 1.25f);
    const position at{1, 3, 1, true};
    epilogue::apply_to_row(any, row, columns, at);
    for (int i = 0; i < columns; ++i) {
        const position here{at.row, at.column + i, at.batch, true};
        INFO(std::string(name(k)), " of ", before[i], " in column ", i);
        const test::bounded want = test::apply_stage(k, {before[i], 0}, from.operand(k, here), -0.75, 1.25);
        if (std::isfinite(before[i]))
            CHECK((std::fabs(row[i] - want.value) <= want.error + 1e-30 ||
                   double(row[i]) == float(want.value)));
        else {
            const float alone = any(before[i], here);
            CHECK((row[i] == alone || (std::isnan(row[i]) && std::isnan(alone))));
        }
    }
}

/// Rows without a gap through a stage of a part of D: each value as alone, whatever vectors reach beyond
/// rows.
void check_rows_of_part(stage_kind k, std::mt19937_64& random) {
    const sources<float> from(random);
    alignas(64) float rows[64];
    float before[48];
    for (int i = 0; i < 48; ++i) before[i] = rows[i] = std::normal_distribution<float>(0, 4)(random);
    const int columns = 1 + int(random() % 7);
    const position at{1, 0, 1, true};
    with_stage(k, from.values.data(), -0.75f, 1.25f, [&](const auto& stage) {
        const auto part = epilogue::part_at(stage, 1, 0);
        epilogue::apply_to_rows(part, rows, 4, columns, at);
        for (int i = 0; i < 4 * columns; ++i) {
            INFO(std::string(name(k)), " of ", before[i], " in element ", i, " of rows of ", columns);
            const position here{at.row + i / columns, i % columns, 1, true};
            CHECK(rows[i] == doctest::Approx(part(before[i], here)).epsilon(1e-5));
        }
    });
}
const float inf = std::numeric_limits<float>::infinity(),
            not_a_number = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("each stage is what its definition says") {
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    check_all_stages<float>(random);
    check_all_stages<f16>(random);
    check_all_stages<bf16>(random);
}

TEST_CASE("rows go through each stage as its definition says, with every instruction set") {
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    test::each_isa([&] {
        for (int k = 0; k < test::stage_kinds; ++k)
            for (int i = 0; i < 300; ++i) check_row(stage_kind(k), random);
        for (int k = 0; k < test::stage_kinds; ++k) check_rows_of_part(stage_kind(k), random);
    });
}

TEST_CASE("NaN goes through every stage that computes with its value") {
    const float one = 1;
    for (int k = 0; k < test::stage_kinds; ++k)
        if (stage_kind(k) != stage_kind::drelu)
            with_stage(stage_kind(k), &one, -1, 1, [&](const auto& stage) {
                INFO(std::string(name(stage_kind(k))));
                CHECK(std::isnan(stage(not_a_number, corner)));
            });
    CHECK(std::isnan(drelu(&one, 1)(not_a_number, corner)));
}

TEST_CASE("the gradient of relu is 0 at 0 and below, 1 above") {
    const f16 numbers[] = {{0x0000}, {0x8000}, {0x0001}, {0x8001}};  // zeros, and their neighbours
    const float slopes[] = {0, 0, 1, 0};
    for (int i = 0; i < 4; ++i) {
        CHECK(drelu(numbers, 4)(3.0f, {0, i, 0, true}) == 3 * slopes[i]);
        any_chain<f16> any;
        CHECK(any.push(stage_kind::drelu, numbers, 4)(-2.5, {0, i, 0, true}) == -2.5 * slopes[i]);
    }
    const i32 whole[] = {0, 1, -1};
    for (int i = 0; i < 3; ++i) CHECK(drelu(whole, 3)(7, {0, i, 0, true}) == (i == 1 ? 7 : 0));
}

TEST_CASE("infinities") {
    CHECK(relu()(inf, corner) == inf);
    CHECK(relu()(-inf, corner) == 0);
    CHECK(gelu()(inf, corner) == inf);
    CHECK(gelu_tanh()(inf, corner) == inf);
    CHECK(silu()(inf, corner) == inf);
    CHECK(sigmoid()(inf, corner) == 1);
    CHECK(sigmoid()(-inf, corner) == 0);
    CHECK(clamp(-1, 2)(inf, corner) == 2);
    CHECK(clamp(-1, 2)(-inf, corner) == -1);
    for (const float x : {-inf, -5.0f, 0.0f, 5.0f, inf}) CHECK(clamp(2, -1)(x, corner) == -1);
    CHECK(scale(-2)(inf, corner) == -inf);
}

TEST_CASE("activations of large numbers are their limits") {
    for (const float x : {20.0f, 100.0f, 1e4f, 1e30f}) {
        CHECK(gelu()(x, corner) == x);
        CHECK(gelu_tanh()(x, corner) == x);
        CHECK(silu()(x, corner) == doctest::Approx(x));
        CHECK(std::fabs(gelu()(-x, corner)) <= 1e-6f * x);
        CHECK(std::fabs(gelu_tanh()(-x, corner)) <= 1e-30f * x);
        CHECK(std::fabs(silu()(-x, corner)) <= 1e-6f * x);
    }
}

TEST_CASE("chains apply from left to right, and say so") {
    const float values[] = {3, 4, 5};
    const auto both = bias(values) | scale(2) | relu();
    CHECK(both(-1.0f, {0, 1, 0, true}) == 6);
    CHECK((scale(2) | bias(values))(-1.0f, {0, 1, 0, true}) == 2);
    CHECK(name_of(both) == "bias+scale+relu");
    CHECK(name_of(any_chain<float>()) == "none");
    CHECK(epilogue::none()(7.0f, corner) == 7);
}

TEST_CASE("a lane without an element reads only the first") {
    const float one = 1;  // anything else would be out of bounds, for the sanitizers to see
    const position nowhere{1 << 20, 1 << 20, 0, false};
    for (int k = 0; k < test::stage_kinds; ++k)
        with_stage(stage_kind(k), &one, -1, 1,
                   [&](const auto& stage) { CHECK(std::isfinite(stage(0.5f, nowhere))); });
}

TEST_CASE("aux of a chain chosen at run time stores what comes in where an element is, and passes it on") {
    std::vector<f16> seen(64, test::nearest<f16>(7));
    any_chain<f16> any;
    any.push(stage_kind::relu).push(stage_kind::aux, seen.data(), 7, 20).push(stage_kind::scale, {}, 0, 0, 2);
    CHECK(any(-3.0f, {1, 2, 1, true}) == 0);
    CHECK(any(0.1f, {2, 3, 1, true}) == 0.2f);
    CHECK(any(5.0f, {0, 0, 0, false}) == 10);
    for (std::size_t i = 0; i < seen.size(); ++i)
        CHECK(test::value_of(seen[i]) == (i == 29   ? 0
                                          : i == 37 ? test::value_of(test::nearest<f16>(0.1f))
                                                    : 7));
    alignas(64) float row[16] = {-1, 2, -3};
    epilogue::apply_to_row(any, row, 3, position{0, 1, 2, true});
    for (int i = 0; i < 3; ++i) {
        CHECK(row[i] == (i == 1 ? 4 : 0));
        CHECK(test::value_of(seen[std::size_t(41 + i)]) == (i == 1 ? 2 : 0));
    }
}

TEST_CASE(
    "numbers of f64 reach values of f64 as they are, and whole numbers are refused that f32 does not hold") {
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    std::uniform_real_distribution<double> some(0.1, 0.9);
    const double factor = some(random), v = some(random), low = some(random) + 1, high = low + some(random);
    any_chain<double> scaled, limited;
    scaled.push(stage_kind::scale, nullptr, 0, -1, factor);
    limited.push(stage_kind::clamp, nullptr, 0, -1, low, high);
    CHECK(scale(factor)(v, corner) == v * factor);
    CHECK(scaled(v, corner) == v * factor);
    CHECK(scale(float(factor))(v, corner) == v * double(float(factor)));
    CHECK(scale(factor)(float(v), corner) == float(v) * float(factor));
    CHECK(clamp(low, high)(v, corner) == low);
    CHECK(clamp(0, high)(v + 9, corner) == high);
    CHECK(limited(v, corner) == low);
    CHECK(limited(v + 9, corner) == high);
    static_assert(std::is_same_v<decltype(clamp(0, 6.0f)), epilogue::clamp_stage>);
    static_assert(std::is_same_v<decltype(scale(2)), epilogue::scale_stage>);
    const int whole = (1 << 24) + 1;
    CHECK_THROWS_AS(scale(whole), error);
    CHECK_THROWS_AS(clamp(0, whole), error);
    CHECK(clamp(0.0, whole)(whole + 1, corner) == whole);
    const std::int64_t wider = (std::int64_t(1) << 53) + 1, widest = std::numeric_limits<std::int64_t>::max();
    CHECK(clamp(0.0, wider - 1)(double(wider), corner) == double(wider - 1));
    for (const auto none : {wider, widest}) {
        CHECK_THROWS_AS(clamp(0.0, none), error);
        CHECK_THROWS_AS(clamp(0, none), error);
        CHECK_THROWS_AS(scale(none), error);
    }
    CHECK_THROWS_AS(scale(0x7fffffff), error);
    CHECK_THROWS_AS(clamp(0, 0x7ffffffe), error);
    CHECK(clamp(0, 0x7fffffff)(0x7ffffffe, corner) == 0x7ffffffe);
    CHECK(clamp(0, 0x7fffffff)(0x7fffffff, corner) == 0x7fffffff);
    CHECK(clamp(-0x7fffffff - 1, true)(-0x7fffffff - 1, corner) == -0x7fffffff - 1);
    any_chain<i32> integers;
    CHECK_THROWS_AS(integers.push(stage_kind::clamp, nullptr, 0, -1, -double(whole), 0), error);
    integers.push(stage_kind::clamp, nullptr, 0, -1, -5, 0x7fffffff);
    CHECK(integers(-6, corner) == -5);
    CHECK(integers(whole, corner) == whole);
}

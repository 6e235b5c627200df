// Tensors as 8-bit floats with factors: random ones against f64, bit for bit, and what must hold between
// them.
#include "common/each_isa.hpp"
#include "common/quantize_suite.hpp"

using namespace fade;

namespace {

template <class Out, class Device>
void from_each_type(Device& device, int times) {
    test::quantize_suite<Out, float>(device, times), test::quantize_suite<Out, f16>(device, times),
        test::quantize_suite<Out, bf16>(device, times);
}

}  // namespace

TEST_CASE("quantize on the host") {
    host_device device(2);
    test::each_isa([&] {
        from_each_type<f8e4m3>(device, 40), from_each_type<f8e5m2>(device, 30);
        from_each_type<f8e4m3fnuz>(device, 30), from_each_type<f8e5m2fnuz>(device, 30);
    });
}

TEST_CASE("quantize on gfx942, whose 8-bit floats are fnuz") {
    emulated_device<arch::gfx942> device;
    from_each_type<f8e4m3fnuz>(device, 40), from_each_type<f8e5m2fnuz>(device, 20);
}

TEST_CASE("quantize on gfx950, gfx1100, gfx1201 and gfx1030") {
    emulated_device<arch::gfx950> cdna4;
    emulated_device<arch::gfx1100> rdna3;
    emulated_device<arch::gfx1201> rdna4;
    emulated_device<arch::gfx1030> rdna2;
    test::quantize_suite<f8e4m3, bf16>(cdna4, 40), test::quantize_suite<f8e5m2, float>(cdna4, 20);
    test::quantize_suite<f8e4m3, f16>(rdna3, 40), test::quantize_suite<f8e5m2, bf16>(rdna3, 20);
    test::quantize_suite<f8e4m3, float>(rdna4, 40), test::quantize_suite<f8e5m2, f16>(rdna4, 20);
    test::quantize_suite<f8e4m3, float>(rdna2, 40), test::quantize_suite<f8e5m2, bf16>(rdna2, 20);
}

namespace {

/// Elements of one head and what becomes of them.
template <class Out>
struct small {
    std::vector<float> x;
    std::vector<Out> out = std::vector<Out>(x.size());
    float factor = 0;

    explicit small(std::vector<float> elements) : x(std::move(elements)) {
        host_device device(1);
        quantize<Out, float>(device, {.positions = 1, .head_dim = fade::index(x.size())},
                             {.x = x.data(), .out = out.data(), .scales = &factor});
    }
    double value(std::size_t i) const { return test::value_of(out[i]); }
};

constexpr float infinity = std::numeric_limits<float>::infinity(),
                no_number = std::numeric_limits<float>::quiet_NaN();

template <class Out>
double largest_of() {
    return test::decode(test::format_of<Out>, test::format_of<Out>.largest());
}

template <class F>
void each_type(F f) {
    f(f8e4m3{}), f(f8e5m2{}), f(f8e4m3fnuz{}), f(f8e5m2fnuz{});
}

}  // namespace

TEST_CASE("the largest magnitude becomes the largest number") {
    each_type([](auto type) {
        using out = decltype(type);
        const small<out> s({1, -8, 3});
        CHECK(s.factor == float(8 / largest_of<out>()));
        CHECK(s.value(1) == -largest_of<out>());
    });
    CHECK(largest_of<f8e4m3>() == 448);
    CHECK(largest_of<f8e4m3fnuz>() == 240);
    CHECK(largest_of<f8e5m2>() == 57344);
    CHECK(largest_of<f8e5m2fnuz>() == 57344);
}

TEST_CASE("NaN stays NaN, infinity becomes what the type has for it, and neither counts for the factor") {
    each_type([](auto type) {
        using out = decltype(type);
        const small<out> s({2, no_number, infinity, -1, -infinity}), without({2, -1});
        CHECK(s.factor == without.factor);
        CHECK(s.value(0) == without.value(0));
        CHECK(s.value(3) == without.value(1));
        CHECK(std::isnan(s.value(1)));
        if constexpr (std::is_same_v<out, f8e5m2>) {
            CHECK(s.value(2) == double(infinity));
            CHECK(s.value(4) == -double(infinity));
        } else {
            CHECK(std::isnan(s.value(2)));
            CHECK(std::isnan(s.value(4)));
        }
        CHECK(small<out>({no_number, infinity}).factor == 1);
    });
}

TEST_CASE("zeros have the factor 1 and keep their sign where the type has one") {
    each_type([](auto type) {
        const small<decltype(type)> s({0.0f, -0.0f});
        CHECK(s.factor == 1);
        CHECK(s.value(0) == 0);
        CHECK(std::signbit(s.value(1)) != decltype(type)::fnuz);
    });
}

TEST_CASE("factors do not fall below the smallest normal number, nor do elements exceed the largest of all") {
    each_type([](auto type) {
        using out = decltype(type);
        for (const float largest : {1e-45f, 1.2e-41f, 5e-38f, 1.1e-36f, 7e-34f, 1e-30f, 3.4e38f,
                                    std::numeric_limits<float>::max()}) {
            const small<out> s({largest, -largest / 3});
            CHECK(double(s.factor) == test::reference_factor<out>(largest));
            CHECK(s.factor >= std::numeric_limits<float>::min());
            for (std::size_t i = 0; i < 2; ++i)
                CHECK(s.out[i].bits == test::nearest<out>(double(s.x[i]) / double(s.factor)).bits);
        }
    });
}

TEST_CASE("quotients beside a tie between two numbers are rounded once, to their own side") {
    std::mt19937_64 random(std::random_device{}());
    each_type([&](auto type) {
        using out = decltype(type);
        for (int time = 0; time < 200; ++time) {
            const float largest =
                time % 8 == 0  // a factor that is a power of two
                    ? std::ldexp(float(largest_of<out>()), int(random() % 40) - 30)
                    : std::ldexp(1 + float(random() % 0x800000) / 0x800000, int(random() % 60) - 30);
            const double factor = test::reference_factor<out>(largest);
            std::vector<float> x{largest};
            for (std::uint8_t bits = 0; bits < test::format_of<out>.largest();
                 ++bits) {  // ties, and their neighbours among f32
                const auto tie = float(
                    (test::value_of(out{bits}) + test::value_of(out{std::uint8_t(bits + 1)})) / 2 * factor);
                for (const float e : {tie, -tie, std::nextafter(tie, 0.0f), std::nextafter(tie, infinity)})
                    x.push_back(std::fabs(e) <= largest ? e : 0.0f);
            }
            x.resize(512);  // of one head
            const small<out> s(x);
            int wrong = 0;
            for (std::size_t i = 0; i < x.size(); ++i)
                wrong += s.out[i].bits != test::nearest<out>(double(x[i]) / factor).bits;
            CHECK_MESSAGE(wrong == 0, name(dtype_v<out>), ", largest ", largest);
        }
    });
}

TEST_CASE("all devices and any number of threads write the same bits") {
    const test::quantize_case c{
        .problem = {.batch = 3, .positions = 5000, .heads = 2, .head_dim = 24, .per_head = true}, .seed = 9};
    test::quantize_data<f8e4m3, f16> here(c);
    host_device cpu(1);
    quantize<f8e4m3, f16>(cpu, here.problem, here.operands());
    CHECK(test::wrong_with(here) == "");
    const auto agrees = [&](auto&& device) {
        test::quantize_data<f8e4m3, f16> there(c);
        const report said = quantize<f8e4m3, f16>(device, there.problem, there.operands());
        CHECK(said.chosen == "quantize 235 workgroups a head");
        CHECK_MESSAGE(std::memcmp(here.out.data(), there.out.data(), here.out.size()) == 0, device.name());
        CHECK(here.scales == there.scales);
    };
    agrees(host_device(3)), agrees(emulated_device<arch::gfx942>({.threads = 1})),
        agrees(emulated_device<arch::gfx1201>({.threads = 2}));
}

TEST_CASE("more rows than the workgroups of a head take at once") {
    host_device cpu(2);
    emulated_device<arch::gfx1100> radeon;
    for (const fade::index positions : {1, 7, 20000}) {
        const test::quantize_case c{
            .problem = {.batch = 40000 / positions, .positions = positions, .heads = 1, .head_dim = 2},
            .seed = 4};
        CHECK(test::wrong_quantize<f8e4m3, float>(cpu, c) == "");
        CHECK(test::wrong_quantize<f8e5m2, bf16>(radeon, c) == "");
    }
}

TEST_CASE("the report names what ran, the plan launches nothing") {
    const test::quantize_case c{
        .problem = {.batch = 2, .positions = 90, .heads = 3, .head_dim = 40, .per_head = true}, .seed = 1};
    test::quantize_data<f8e4m3, bf16> x(c), untouched(c);
    emulated_device<arch::gfx950> device;
    const quantize_plan plan = plan_quantize<f8e4m3, bf16>(device, x.problem, x.operands());
    CHECK(std::memcmp(x.out.data(), untouched.out.data(), x.out.size()) == 0);
    CHECK(plan.report.requested ==
          "quantize batch 2, 90 positions x 3 heads, head_dim 40, bf16 to f8e4m3, a factor for each head");
    CHECK(plan.report.chosen == "quantize 3 workgroups a head");
    CHECK(plan.report.arch == "gfx950");
    CHECK(plan.workspace_bytes == 3 * 3 * sizeof(float));
    REQUIRE(plan.launches.size() == 3);
    CHECK(plan.launches[0].grid[0] == 3);
    CHECK(plan.launches[0].grid[1] == 3);
    CHECK(plan.launches[1].grid[0] == 3);
    const report ran = quantize<f8e4m3, bf16>(device, x.problem, x.operands());
    CHECK(ran.requested == plan.report.requested);
    CHECK(!ran.fallback);
    x.problem.positions = 0;
    CHECK(plan_quantize<f8e4m3, bf16>(device, x.problem, x.operands()).launches.size() == 1);
    x.problem.heads = 0;
    CHECK(plan_quantize<f8e4m3, bf16>(device, x.problem, x.operands()).launches.empty());
}

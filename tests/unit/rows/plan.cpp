// A call with a plan among its options names its launches and runs nothing.
#include <cmath>
#include <doctest/doctest.h>
#include <fade/norm.hpp>
#include <fade/reduce.hpp>
#include <fade/rotary.hpp>
#include <random>
#include <tune/told.hpp>
#include <vector>

namespace {

constexpr fade::index row_count = 40, columns = 24;

struct norm_gradient_memory {
    std::vector<float> in = std::vector<float>(row_count * columns, 0.5f),
                       out = std::vector<float>(row_count * columns, -7.0f),
                       weights = std::vector<float>(columns, -7.0f),
                       root = std::vector<float>(row_count, 1.0f);

    template <class Device>
    fade::report run(Device& device, const fade::operation_options& options) {
        return fade::rms_norm_gradient<float>(device, {.rows = row_count, .columns = columns},
                                              {.h = in.data(),
                                               .dy = in.data(),
                                               .inverse_root = root.data(),
                                               .dx = out.data(),
                                               .dweight = weights.data()},
                                              options);
    }
    bool untouched() const { return out[0] == -7.0f && weights[0] == -7.0f; }
};

template <class Device>
void plan_and_run(Device& device) {
    norm_gradient_memory memory;
    fade::operation_plan plan;
    const fade::report planned = memory.run(device, {.plan = &plan});
    CHECK(memory.untouched());
    REQUIRE(plan.launches.size() >= 2);  // the weights' and that of the rows
    for (const fade::planned_launch& l : plan.launches) CHECK(l.kernarg.size() > 0);
    const fade::report ran = memory.run(device, {});
    CHECK(planned.chosen == ran.chosen);
    CHECK_FALSE(memory.untouched());
}

}  // namespace

TEST_CASE("a plan holds the launches of both parts of a gradient, and runs none") {
    fade::host_device host;
    plan_and_run(host);
    fade::emulated_device<fade::arch::gfx1100> emulated;
    plan_and_run(emulated);
}

TEST_CASE("what has no elements launches nothing") {
    fade::emulated_device<fade::arch::gfx942> device;
    const std::vector<float> x(4096, 1.0f);
    std::vector<float> y(4096), root(64);
    const auto launched = [&](auto call) {
        fade::operation_plan plan;
        call(fade::operation_options{.plan = &plan});
        return plan.launches.size();
    };
    const auto norm = [&](fade::index rows) {
        return launched([&](const auto& options) {
            fade::rms_norm<float>(device, {.rows = rows, .columns = 16}, {.x = x.data(), .y = y.data()},
                                  options);
        });
    };
    const auto sum = [&](fade::index size, fade::along direction) {
        return launched([&](const auto& options) {
            const bool by_rows = direction == fade::along::rows;
            fade::sum(device,
                      {.rows = by_rows ? size : 16, .columns = by_rows ? 16 : size, .direction = direction},
                      x.data(), y.data(), options);
        });
    };
    const auto top_k = [&](fade::index columns) {
        return launched([&](const auto& options) {
            fade::top_k(
                device,
                {.rows = 16, .columns = columns, .k = 2, .x_stride = 64, .direction = fade::along::columns},
                x.data(), y.data(), nullptr, options);
        });
    };
    const auto rotary = [&](fade::index tokens) {
        return launched([&](const auto& options) {
            fade::rotary<float>(device, {.tokens = tokens, .head_dim = 16, .capacity = 4},
                                {x.data(), y.data(), x.data() + 2048, x.data() + 3072}, options);
        });
    };
    CHECK((norm(0) == 0 && norm(4) == 1));
    CHECK((sum(0, fade::along::rows) == 0 && sum(4, fade::along::rows) == 1));
    CHECK((sum(0, fade::along::columns) == 0 && sum(4, fade::along::columns) == 1));
    CHECK((top_k(0) == 0 && top_k(4) > 0));
    CHECK((rotary(0) == 0 && rotary(4) == 1));
}

TEST_CASE("a plan of a sum says what its workgroups leave behind") {
    fade::emulated_device<fade::arch::gfx942> device;
    const std::vector<float> x(4096, 1.0f);
    std::vector<float> out(1, -7.0f);
    fade::operation_plan plan;
    fade::sum(device, {.rows = 4096, .columns = 1, .direction = fade::along::columns}, x.data(), out.data(),
              {.plan = &plan});
    CHECK(out[0] == -7.0f);
    CHECK(plan.launches.size() == 2);
    CHECK(plan.workspace_bytes > 0);
}

namespace {
/// y = x / sqrt(mean(x^2) + epsilon), by sums in f64.
double norm_error(const std::vector<float>& x, const std::vector<float>& y, fade::index wide) {
    double worst = 0;
    for (std::size_t begin = 0; begin < x.size(); begin += std::size_t(wide)) {
        double sum = 0;
        for (std::size_t i = begin; i < begin + std::size_t(wide); ++i) sum += double(x[i]) * double(x[i]);
        const double root = std::sqrt(sum / double(wide) + fade::norm_problem{}.epsilon);
        for (std::size_t i = begin; i < begin + std::size_t(wide); ++i) {
            const double apart = std::abs(double(y[i]) - double(x[i]) / root);
            if (!(apart <= worst)) worst = apart;
        }
    }
    return worst;
}
}  // namespace

TEST_CASE("a tuned row chooses among the kernels of row operators that hold the row") {
    using fade::tune::row_kind;
    constexpr fade::index wide = 600;
    const unsigned seed = std::random_device{}();
    MESSAGE("seed ", seed);
    std::mt19937 draw(seed);
    std::uniform_real_distribution<float> any(-1, 1);
    std::vector<float> x(4 * wide), y;
    for (float& v : x) v = any(draw);
    fade::test::told rows;
    const auto norm = [&](auto& device, const fade::tuned_policies* tuned) {
        y.assign(x.size(), std::nanf(""));
        const fade::report said = fade::rms_norm<float>(device, {.rows = 4, .columns = wide},
                                                        {.x = x.data(), .y = y.data()}, {}, tuned);
        CHECK(norm_error(x, y, wide) < 1e-5);
        return said;
    };
    fade::emulated_device<fade::arch::gfx942> device;
    using op = fade::kernel::rms_norm_rows<float, float, float>;
    const auto policy = [](row_kind kind) {
        return fade::tuned_rows{fade::tune::row_policy_for<op>(kind, true, fade::arch::gfx942::traits)};
    };
    const fade::report model = norm(device, nullptr);
    for (const row_kind kind : {row_kind::lanes_512, row_kind::wide, row_kind::streamed}) {
        rows.say(policy(kind));
        const fade::report said = norm(device, &rows);
        CHECK(said.chosen == std::string("rows ") + fade::tune::name(kind));
        CHECK(said.evidence == "tuned: made up");
        CHECK(fade::test::says(said.why, "a test has a row, which decides"));
    }
    CHECK(rows.problem.kind == "rows rms_norm, " + std::to_string(op::operands) + " tensors of 4 bytes");
    CHECK(rows.problem.sizes == std::vector<fade::index>{4, wide});
    CHECK(rows.machine.arch == "gfx942");
    rows.say(policy(row_kind::lanes_512), fade::tuned_match::near);
    CHECK(norm(device, &rows).chosen == "rows lanes_512");
    const auto refused = [&](const fade::tuned_rows& row, const char* why) {
        rows.say(row);
        const fade::report said = norm(device, &rows);
        CHECK(said.chosen == model.chosen);
        CHECK(said.evidence == model.evidence);
        CHECK(fade::test::says(said.why, why));
    };
    refused(policy(row_kind::short_wave), "not used: registers of its policy do not hold such a row");
    fade::tuned_rows other = policy(row_kind::wide);
    other.policy.runs = 77;
    refused(other, "not used: this program holds no kernel of its policy");
    rows.say(policy(row_kind::wide), fade::tuned_match::stale);
    CHECK(norm(device, &rows).chosen == model.chosen);
    fade::host_device host;
    rows.say(policy(row_kind::wide));
    CHECK(fade::test::says(norm(host, &rows).why, "not used: the host has one kernel"));
}

// A call with a plan among its options names its launches and runs nothing.
#include <doctest/doctest.h>
#include <fade/norm.hpp>
#include <fade/reduce.hpp>
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

// What operators over images refuse, with nothing written; and what a plan of them launches.
#include "common/numbers.hpp"
#include <doctest/doctest.h>
#include <fade/batch_norm.hpp>
#include <fade/grid_sample.hpp>
#include <fade/pool.hpp>
#include <fade/upsample.hpp>

namespace fade::test {
namespace {

struct memory {
    host_device cpu;
    std::vector<float> a = std::vector<float>(512, 1), b = a, out = std::vector<float>(512, 7),
                       more = std::vector<float>(64, 7);
    std::vector<int> places = std::vector<int>(512, 7);

    /// The argument and the value of a refusal; nothing may be written.
    template <class Call>
    std::string refused(Call call) {
        std::string said;
        try {
            call();
        } catch (const error& e) {
            said = e.argument() + " " + e.value();
            CHECK(e.rule().size() > 10);
        }
        for (const float x : out) CHECK(x == 7);
        for (const float x : more) CHECK(x == 7);
        for (const int x : places) CHECK(x == 7);
        return said;
    }
    std::string pool(const pool_problem& p) {
        return refused([&] { max_pool<float>(cpu, p, {a.data(), out.data(), places.data()}); });
    }
    std::string norm(const batch_norm_problem& p, const batch_norm_operands<float>& o) {
        return refused([&] { batch_norm<float>(cpu, p, o); });
    }
    batch_norm_operands<float> operands() {
        return {.x = a.data(), .y = out.data(), .mean = more.data(), .inverse_root = more.data() + 8};
    }
    std::string up(const upsample_problem& p) {
        return refused([&] { upsample<float>(cpu, p, a.data(), out.data()); });
    }
    std::string sample(const grid_sample_problem& p) {
        return refused([&] { grid_sample<float>(cpu, p, {a.data(), b.data(), out.data()}); });
    }
};

constexpr spatial plane(int h, int w) { return {1, h, w}; }

}  // namespace

TEST_CASE("poolings") {
    memory m;
    const pool_problem right{.channels = 4, .input = plane(6, 6), .window = plane(2, 2)};
    auto p = right;
    p.window.h = 0;
    CHECK(m.pool(p) == "window.h 0");
    p = right, p.stride.w = -1;
    CHECK(m.pool(p) == "stride.w -1");
    p = right, p.dilation.h = 0;
    CHECK(m.pool(p) == "dilation.h 0");
    p = right, p.pad.h = 2;
    CHECK(m.pool(p) == "pad.h 2");
    p = right, p.pad_end.w = 5;
    CHECK(m.pool(p) == "pad_end.w 5");
    p = right, p.window.w = 9;
    CHECK(m.pool(p) == "window.w 9");
    p.ceil_mode = true, p.stride.w = 3;
    CHECK(m.pool(p) == "window.w 9");
    p = right, p.batch = index(1) << 30;
    CHECK(m.pool(p) == "batch 1073741824");
    p = right, p.batch = -1;
    CHECK(m.pool(p) == "batch -1");
    p = right, p.channels = -1;
    CHECK(m.pool(p) == "channels -1");
    // x of 144 elements, then y of 36: one after the other they may lie, and no closer.
    CHECK(m.refused([&] { max_pool<float>(m.cpu, right, {m.out.data(), m.out.data() + 143}); }) ==
          "y overlapping x");
    CHECK(m.refused([&] { max_pool<float>(m.cpu, right, {m.out.data() + 35, m.out.data()}); }) ==
          "y overlapping x");
    std::vector<float> both(180, 1);
    CHECK(m.refused([&] { max_pool<float>(m.cpu, right, {both.data(), both.data() + 144}); }) == "");
    CHECK(m.refused([&] { max_pool<float>(m.cpu, right, {both.data() + 36, both.data()}); }) == "");
    CHECK(m.refused([&] { max_pool<float>(m.cpu, right, {m.a.data(), nullptr}); }) == "y null");
    CHECK(m.refused([&] { max_pool<float>(m.cpu, right, {m.out.data(), m.out.data() + 3}); }) ==
          "y overlapping x");
    CHECK(m.refused([&] { max_pool_gradient<float>(m.cpu, right, {m.a.data(), nullptr, m.out.data()}); }) ==
          "indices null");
}

TEST_CASE("how many windows a pooling has") {
    const auto height = [](auto change) {
        pool_problem p{.input = plane(6, 9), .window = plane(3, 3), .stride = plane(1, 1)};
        p.pad.h = 1, change(p);
        CHECK(p.output().w == 7);
        CHECK(p.output().d == 1);
        return p.output().h;
    };
    CHECK(height([](auto&) {}) == 6);
    CHECK(height([](auto& p) { p.pad_end.h = 0; }) == 5);
    CHECK(height([](auto& p) { p.pad_end.h = 2; }) == 7);
    CHECK(height([](auto& p) { p.stride.h = 2; }) == 3);
    CHECK(height([](auto& p) { p.stride.h = 2, p.ceil_mode = true; }) == 4);
    CHECK(height([](auto& p) { p.stride.h = 4, p.pad_end.h = 0, p.ceil_mode = true; }) == 2);
    CHECK(height([](auto& p) { p.stride.h = 6, p.pad_end.h = 3, p.ceil_mode = true; }) == 2);
    CHECK(height([](auto& p) { p.stride.h = 7, p.pad_end.h = 1, p.ceil_mode = true; }) == 1);
    CHECK(height([](auto& p) { p.stride.h = 3, p.window.h = 10, p.ceil_mode = true; }) == 1);
    CHECK(height([](auto& p) { p.stride.h = 2, p.window.h = 10, p.ceil_mode = true; }) == 0);
    CHECK(height([](auto& p) { p.stride.h = 0; }) == 2);
    CHECK(height([](auto& p) { p.dilation.h = 2; }) == 4);
}

TEST_CASE("batch normalisation") {
    memory m;
    const batch_norm_problem p{.batch = 2, .channels = 8, .size = plane(3, 3)};
    auto q = p;
    q.epsilon = -1;
    CHECK(m.norm(q, m.operands()).find("epsilon") == 0);
    q = p, q.momentum = 1.5;
    CHECK(m.norm(q, m.operands()).find("momentum") == 0);
    q = p, q.momentum = -0.5;
    CHECK(m.norm(q, m.operands()).find("momentum") == 0);
    CHECK(m.refused([&] {
               fold_into_filter<float>(m.cpu, {.filters = 2, .elements = 8, .epsilon = -1},
                                       {m.a.data(), m.out.data(), m.more.data(), m.more.data() + 8});
           }).find("epsilon") == 0);
    q = p, q.size.w = 0;
    CHECK(m.norm(q, m.operands()) == "size.w 0");
    q = p, q.batch = -1;
    CHECK(m.norm(q, m.operands()) == "batch -1");
    q = p, q.channels = -1;
    CHECK(m.norm(q, m.operands()) == "channels -1");
    for (const fold_problem& f : {fold_problem{-1, 8}, fold_problem{index(1) << 31, 8}, fold_problem{2, -1},
                                  fold_problem{2, index(1) << 29}})
        CHECK(m.refused([&] {
            fold_into_filter<float>(m.cpu, f, {m.a.data(), m.out.data(), m.more.data(), m.more.data() + 8});
        }) == (f.elements == 8 ? "filters " + std::to_string(f.filters)
                               : "elements " + std::to_string(f.elements)));
    auto o = m.operands();
    o.mean = nullptr;
    CHECK(m.norm(p, o) == "mean null");
    o = m.operands(), o.inverse_root = o.mean + 7;
    CHECK(m.norm(p, o) == "mean overlapping inverse_root");
    o = m.operands(), o.running_mean = m.out.data();
    CHECK(m.norm(p, o) == "running_mean overlapping y");
    q = {.batch = 1, .channels = 8}, o = m.operands(), o.running_variance = m.more.data() + 16;
    CHECK(m.norm(q, o) == "batch 1");
    CHECK(m.refused([&] {
        batch_norm_inference<float>(m.cpu, p, {m.a.data(), m.out.data(), nullptr, nullptr, m.b.data()});
    }) == "variance null");
    CHECK(m.refused([&] {
        batch_norm_gradient<float>(m.cpu, p,
                                   {m.a.data(), m.b.data(), nullptr, m.b.data(), m.b.data(), m.out.data()});
    }) == "dweight null");
    CHECK(m.refused([&] {
        fold_into_filter<float>(m.cpu, {2, 8}, {m.a.data(), m.out.data(), nullptr, m.more.data()});
    }) == "mean null");
}

TEST_CASE("resampling") {
    memory m;
    upsample_problem p{.channels = 2, .input = plane(3, 3), .output = plane(6, 6), .align_corners = true};
    CHECK(m.up(p) == "align_corners 1");
    p.align_corners = false, p.output.h = 0;
    CHECK(m.up(p) == "output.h 0");
    p.output.h = 6, p.batch = -1;
    CHECK(m.up(p) == "batch -1");
    p.batch = index(1) << 31;
    CHECK(m.up(p) == "batch 2147483648");
    p.batch = 1, p.channels = -1;
    CHECK(m.up(p) == "channels -1");
    p.channels = 2, p.input.w = 0;
    CHECK(m.up(p) == "input.w 0");
    grid_sample_problem g{.channels = 2, .input = plane(3, 3), .output = plane(6, 6), .dimensions = 4};
    CHECK(m.sample(g) == "dimensions 4");
    g.dimensions = 2, g.input.d = 2;
    CHECK(m.sample(g) == "input.d 2");
    g.input.d = 1;
    CHECK(m.refused([&] { grid_sample<float>(m.cpu, g, {m.a.data(), nullptr, m.out.data()}); }) ==
          "grid null");
    CHECK(m.refused([&] { grid_sample_gradient<float>(m.cpu, g, {m.a.data(), m.b.data(), m.b.data()}); }) ==
          "dx null");
    CHECK(m.refused([&] {
        grid_sample_gradient<float>(m.cpu, g, {nullptr, m.b.data(), m.b.data(), nullptr, m.out.data()});
    }) == "x null");
}

TEST_CASE("plans launch nothing, and strict refuses elements") {
    memory m;
    emulated_device<arch::gfx942> device;
    operation_plan plan;
    const pool_problem p{.channels = 8, .input = plane(6, 6), .window = plane(2, 2)};
    CHECK(m.refused([&] { max_pool<float>(device, p, {m.a.data(), m.out.data()}, {.plan = &plan}); }) == "");
    CHECK(plan.launches.size() == 1);
    CHECK(plan.report.chosen == "channel runs");
    operation_plan norm;
    CHECK(m.refused([&] {
        batch_norm<float>(device, {.batch = 2, .channels = 8, .size = plane(3, 3)}, m.operands(),
                          {.plan = &norm});
    }) == "");
    CHECK(norm.launches.size() == 3);
    for (const conv_layout layout : {conv_layout::channels_first, conv_layout::channels_last}) {
        operation_plan empty;
        CHECK(m.refused([&] {
            batch_norm<float>(device, {.batch = 0, .channels = 8, .size = plane(3, 3), .layout = layout},
                              m.operands(), {.plan = &empty});
        }) == "");
        CHECK(empty.launches.empty());
    }
    auto odd = p;
    odd.channels = 3;
    CHECK(m.refused([&] { max_pool<float>(device, odd, {m.a.data(), m.out.data()}, {.strict = true}); }) ==
          "strict set");
}

TEST_CASE("images without elements are done at once") {
    memory m;
    const auto each = [](auto problem, auto run) {
        auto no_image = problem, no_channel = problem;
        no_image.batch = 0, no_channel.channels = 0;
        CHECK(run(no_image) == "");
        CHECK(run(no_channel) == "");
    };
    each(pool_problem{.channels = 4, .input = plane(6, 6), .window = plane(2, 2)},
         [&](const pool_problem& p) { return m.pool(p); });
    each(upsample_problem{.channels = 2, .input = plane(3, 3), .output = plane(6, 6)},
         [&](const upsample_problem& p) { return m.up(p); });
    each(grid_sample_problem{.channels = 2, .input = plane(3, 3), .output = plane(6, 6)},
         [&](const grid_sample_problem& p) { return m.sample(p); });
}

}  // namespace fade::test

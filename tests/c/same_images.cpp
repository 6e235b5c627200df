// Operators over images through fade.h are the C++ calls, bit for bit, and what fade.h alone refuses of them.
#include "beside.hpp"
#include <fade/batch_norm.hpp>
#include <fade/grid_sample.hpp>
#include <fade/pool.hpp>
#include <fade/upsample.hpp>
#include <string>

using namespace fade::test;

namespace {

using fade::index;
using floats = std::vector<float>;

fade_spatial said(const auto& s) { return {s.d, s.h, s.w}; }

/// What a call writes, once by C and once by C++: poisoned before, equal after.
struct pair {
    floats c, cpp;
    explicit pair(index count) : c(poison<float>(count)), cpp(c) {}
    explicit pair(const floats& begin) : c(begin), cpp(begin) {}
    bool equal() const { return same(c, cpp) && !same(c, poison<float>(index(c.size()))); }
};

/// A planned call launches something and writes nothing.
template <class S>
void plan(fade_device* on, const S& args, fade_status (*call)(fade_device*, const S*, const fade_options*),
          const floats& out) {
    const floats before = out;
    fade_options options = made(fade_options_init);
    fade_plan* found = nullptr;
    options.plan = &found;
    is_done(call(on, &args, &options));
    CHECK(fade_plan_launch_count(found) > 0);
    CHECK(same(out, before));
    fade_plan_close(found);
}

TEST_CASE("pooling and its gradients") {
    opened on;
    for (int i = 0; i < 6; ++i) {
        const fade::pool_problem p{.batch = drawn(1, 3),
                                   .channels = int(drawn(1, 9)),
                                   .input = {1, int(drawn(5, 12)), int(drawn(5, 12))},
                                   .window = {1, int(drawn(2, 3)), int(drawn(2, 3))},
                                   .stride = {0, int(drawn(0, 3)), 2},
                                   .dilation = {1, int(drawn(1, 2)), 1},
                                   .pad = {0, int(drawn(0, 1)), 1},
                                   .pad_end = {0, 1, int(drawn(0, 1))},
                                   .ceil_mode = drawn(0, 1) == 1,
                                   .count_include_pad = drawn(0, 1) == 1,
                                   .layout = fade::conv_layout(drawn(0, 1))};
        const index of_x = p.batch * p.channels * p.input.volume(),
                    of_y = p.batch * p.channels * p.output().volume();
        const floats x = some<float>(of_x), dy = some<float>(of_y);
        auto a = made(fade_pool_init);
        a.layout = int(p.layout), a.batch = p.batch, a.channels = p.channels, a.ceil_mode = p.ceil_mode;
        a.count_include_pad = p.count_include_pad, a.input = said(p.input), a.window = said(p.window);
        a.stride = said(p.stride), a.dilation = said(p.dilation), a.pad = said(p.pad);
        a.pad_end = said(p.pad_end), a.x = x.data(), a.dy = dy.data();

        pair mean(of_y), mean_dx(of_x);
        a.y = mean.c.data(), a.dx = mean_dx.c.data();
        plan(on.c, a, fade_avg_pool, mean.c);
        is_done(fade_avg_pool(on.c, &a, nullptr)), is_done(fade_avg_pool_gradient(on.c, &a, nullptr));
        fade::avg_pool<float>(on.cpp, p, {x.data(), mean.cpp.data()});
        fade::avg_pool_gradient<float>(on.cpp, p, {dy.data(), mean_dx.cpp.data()});
        CHECK(mean.equal());
        CHECK(mean_dx.equal());

        pair largest(of_y), largest_dx(of_x);
        auto indices = poison<int>(of_y), expected = indices;
        a.y = largest.c.data(), a.dx = largest_dx.c.data(), a.indices = indices.data();
        is_done(fade_max_pool(on.c, &a, nullptr)), is_done(fade_max_pool_gradient(on.c, &a, nullptr));
        fade::max_pool<float>(on.cpp, p, {x.data(), largest.cpp.data(), expected.data()});
        fade::max_pool_gradient<float>(on.cpp, p, {dy.data(), expected.data(), largest_dx.cpp.data()});
        CHECK(same(indices, expected));
        CHECK(largest.equal());
        CHECK(largest_dx.equal());
    }
}

TEST_CASE("batch normalisation, training, inference and gradients") {
    opened on;
    for (int i = 0; i < 4; ++i) {
        const fade::batch_norm_problem p{.batch = drawn(1, 3),
                                         .channels = int(drawn(1, 9)),
                                         .size = {1, int(drawn(2, 6)), int(drawn(2, 6))},
                                         .layout = fade::conv_layout(drawn(0, 1)),
                                         .epsilon = 0.01,
                                         .momentum = 0.3};
        const index count = p.batch * p.channels * p.size.volume();
        const floats x = some<float>(count), dy = some<float>(count), weight = some<float>(p.channels),
                     bias = some<float>(p.channels);
        pair y(count), mean(p.channels), root(p.channels), running_mean(some<float>(p.channels)),
            running_variance(floats(std::size_t(p.channels), 2.0f));
        auto t = made(fade_batch_norm_init);
        t.layout = int(p.layout), t.batch = p.batch, t.channels = p.channels, t.image = said(p.size);
        t.epsilon = p.epsilon, t.momentum = p.momentum, t.x = x.data(), t.y = y.c.data();
        t.weight = weight.data(), t.bias = bias.data(), t.mean = mean.c.data();
        t.inverse_root = root.c.data(), t.running_mean = running_mean.c.data();
        t.running_variance = running_variance.c.data();
        plan(on.c, t, fade_batch_norm, y.c);
        is_done(fade_batch_norm(on.c, &t, nullptr));
        fade::batch_norm<float>(on.cpp, p,
                                {x.data(), y.cpp.data(), weight.data(), bias.data(), mean.cpp.data(),
                                 root.cpp.data(), running_mean.cpp.data(), running_variance.cpp.data()});
        for (const pair* out : {&y, &mean, &root, &running_mean, &running_variance}) CHECK(out->equal());
        CHECK(running_variance.c[0] != 2.0f);

        pair inferred(count);
        auto n = made(fade_batch_norm_inference_init);
        n.layout = t.layout, n.batch = t.batch, n.channels = t.channels, n.image = t.image;
        n.epsilon = t.epsilon, n.x = t.x, n.y = inferred.c.data(), n.weight = t.weight, n.bias = t.bias;
        n.mean = running_mean.c.data(), n.variance = running_variance.c.data();
        is_done(fade_batch_norm_inference(on.c, &n, nullptr));
        fade::batch_norm_inference<float>(on.cpp, p,
                                          {x.data(), inferred.cpp.data(), weight.data(), bias.data(),
                                           running_mean.cpp.data(), running_variance.cpp.data()});
        CHECK(inferred.equal());

        pair dx(count), dweight(p.channels), dbias(p.channels);
        auto g = made(fade_batch_norm_gradient_init);
        g.layout = t.layout, g.batch = t.batch, g.channels = t.channels, g.image = t.image, g.x = t.x;
        g.dy = dy.data(), g.weight = t.weight, g.mean = t.mean, g.inverse_root = t.inverse_root;
        g.dx = dx.c.data(), g.dweight = dweight.c.data(), g.dbias = dbias.c.data();
        is_done(fade_batch_norm_gradient(on.c, &g, nullptr));
        fade::batch_norm_gradient<float>(on.cpp, p,
                                         {x.data(), dy.data(), weight.data(), mean.cpp.data(),
                                          root.cpp.data(), dx.cpp.data(), dweight.cpp.data(),
                                          dbias.cpp.data()});
        for (const pair* out : {&dx, &dweight, &dbias}) CHECK(out->equal());
    }
}

TEST_CASE("a filter that normalises what it makes") {
    opened on;
    const index filters = drawn(2, 9), elements = drawn(2, 40);
    const floats filter = some<float>(filters * elements), bias = some<float>(filters),
                 weight = some<float>(filters), shift = some<float>(filters), mean = some<float>(filters),
                 variance(std::size_t(filters), 3.0f);
    pair folded(filters * elements), folded_bias(filters);
    auto a = made(fade_fold_init);
    a.filters = filters, a.elements = elements, a.epsilon = 0.5, a.filter = filter.data();
    a.folded = folded.c.data(), a.bias = bias.data(), a.folded_bias = folded_bias.c.data();
    a.weight = weight.data(), a.shift = shift.data(), a.mean = mean.data(), a.variance = variance.data();
    is_done(fade_fold_into_filter(on.c, &a, nullptr));
    fade::fold_into_filter<float>(on.cpp, {filters, elements, 0.5},
                                  {filter.data(), folded.cpp.data(), bias.data(), folded_bias.cpp.data(),
                                   weight.data(), shift.data(), mean.data(), variance.data()});
    CHECK(folded.equal());
    CHECK(folded_bias.equal());
}

TEST_CASE("images of another size and their gradients") {
    opened on;
    for (int i = 0; i < 6; ++i) {
        const auto mode = fade::upsample_mode(i % 3);
        const fade::upsample_problem p{.batch = drawn(1, 3),
                                       .channels = int(drawn(1, 9)),
                                       .input = {1, int(drawn(2, 7)), int(drawn(2, 7))},
                                       .output = {1, int(drawn(2, 12)), int(drawn(2, 12))},
                                       .mode = mode,
                                       .align_corners =
                                           mode == fade::upsample_mode::linear && drawn(0, 1) == 1,
                                       .layout = fade::conv_layout(drawn(0, 1))};
        const floats x = some<float>(p.batch * p.channels * p.input.volume()),
                     dy = some<float>(p.batch * p.channels * p.output.volume());
        pair y(index(dy.size())), dx(index(x.size()));
        auto a = made(fade_upsample_init);
        a.layout = int(p.layout), a.batch = p.batch, a.channels = p.channels, a.mode = int(p.mode);
        a.align_corners = p.align_corners, a.input = said(p.input), a.output = said(p.output);
        a.x = x.data(), a.y = y.c.data(), a.dy = dy.data(), a.dx = dx.c.data();
        plan(on.c, a, fade_upsample, y.c);
        is_done(fade_upsample(on.c, &a, nullptr)), is_done(fade_upsample_gradient(on.c, &a, nullptr));
        fade::upsample<float>(on.cpp, p, x.data(), y.cpp.data());
        fade::upsample_gradient<float>(on.cpp, p, dy.data(), dx.cpp.data());
        CHECK(y.equal());
        CHECK(dx.equal());
    }
}

TEST_CASE("samples at points and their gradients") {
    opened on;
    for (int i = 0; i < 6; ++i) {
        const int dimensions = int(drawn(2, 3)), depth = dimensions - 1;
        const fade::grid_sample_problem p{.batch = drawn(1, 3),
                                          .channels = int(drawn(1, 9)),
                                          .input = {depth, int(drawn(2, 7)), int(drawn(2, 7))},
                                          .output = {depth, int(drawn(2, 7)), int(drawn(2, 7))},
                                          .dimensions = dimensions,
                                          .mode = fade::grid_mode(i % 2),
                                          .padding = fade::grid_padding(i % 3),
                                          .align_corners = drawn(0, 1) == 1,
                                          .layout = fade::conv_layout(drawn(0, 1))};
        const index outputs = p.batch * p.output.volume();
        const floats x = some<float>(p.batch * p.channels * p.input.volume()),
                     grid = some<float>(outputs * dimensions), dy = some<float>(outputs * p.channels);
        pair y(index(dy.size())), dx(index(x.size())), dgrid(index(grid.size()));
        auto a = made(fade_grid_sample_init);
        a.layout = int(p.layout), a.batch = p.batch, a.channels = p.channels, a.dimensions = dimensions;
        a.mode = int(p.mode), a.padding = int(p.padding), a.align_corners = p.align_corners;
        a.input = said(p.input), a.output = said(p.output), a.x = x.data(), a.grid = grid.data();
        a.y = y.c.data(), a.dy = dy.data(), a.dx = dx.c.data(), a.dgrid = dgrid.c.data();
        plan(on.c, a, fade_grid_sample, y.c);
        is_done(fade_grid_sample(on.c, &a, nullptr)), is_done(fade_grid_sample_gradient(on.c, &a, nullptr));
        fade::grid_sample<float>(on.cpp, p, {x.data(), grid.data(), y.cpp.data()});
        fade::grid_sample_gradient<float>(
            on.cpp, p, {x.data(), grid.data(), dy.data(), dx.cpp.data(), dgrid.cpp.data()});
        for (const pair* out : {&y, &dx, &dgrid}) CHECK(out->equal());
    }
}

/// A call that is refused for one field, with nothing written.
template <class S>
struct refusing {
    opened on;
    S args;
    floats x = some<float>(4 * 36), y = poison<float>(4 * 36);
    fade_status (*call)(fade_device*, const S*, const fade_options*);
    refusing(void (*init)(S*, size_t), fade_status (*by)(fade_device*, const S*, const fade_options*))
        : args(made(init)), call(by) {
        args.channels = 4, args.x = x.data(), args.y = y.data();
    }
    void refuse(fade_status as, const char* argument) {
        CHECK(call(on.c, &args, nullptr) == as);
        CHECK(std::string(fade_last_error()->argument) == argument);
        CHECK(same(y, poison<float>(index(y.size()))));
    }
};

TEST_CASE("what pooling refuses names its field, and nothing is written") {
    refusing r(fade_pool_init, fade_avg_pool);
    fade_pool_args& p = r.args;
    p.input = {1, 6, 6}, p.window = {1, 2, 2};
    p.layout = 2, r.refuse(FADE_INVALID, "layout");
    p.layout = 0, p.ceil_mode = 2, r.refuse(FADE_INVALID, "ceil_mode");
    p.ceil_mode = 0, p.count_include_pad = -1, r.refuse(FADE_INVALID, "count_include_pad");
    int place = 7;
    p.count_include_pad = 1, p.indices = &place, r.refuse(FADE_INVALID, "indices");
    CHECK(place == 7);
    p.indices = nullptr, p.pad.h = 2, r.refuse(FADE_INVALID, "pad.h");
    p.pad.h = 0, p.in = FADE_I8, r.refuse(FADE_UNSUPPORTED, "types");
    p.in = FADE_F32, p.x = nullptr, r.refuse(FADE_INVALID, "x");
    p.x = r.x.data();
    is_done(fade_avg_pool(r.on.c, &p, nullptr));
}

TEST_CASE("what the other operators refuse names its field, and nothing is written") {
    refusing u(fade_upsample_init, fade_upsample);
    u.args.input = u.args.output = {1, 6, 6};
    u.args.layout = -1, u.refuse(FADE_INVALID, "layout");
    u.args.layout = 0, u.args.mode = 3, u.refuse(FADE_INVALID, "mode");
    u.args.mode = FADE_UPSAMPLE_NEAREST, u.args.align_corners = 1, u.refuse(FADE_INVALID, "align_corners");
    u.args.align_corners = 2, u.refuse(FADE_INVALID, "align_corners");

    refusing g(fade_grid_sample_init, fade_grid_sample);
    g.args.input = g.args.output = {1, 6, 6};
    g.refuse(FADE_INVALID, "grid");
    g.args.mode = 2, g.refuse(FADE_INVALID, "mode");
    g.args.mode = 0, g.args.padding = 3, g.refuse(FADE_INVALID, "padding");
    g.args.padding = 0, g.args.dimensions = 4, g.refuse(FADE_INVALID, "dimensions");

    refusing n(fade_batch_norm_inference_init, fade_batch_norm_inference);
    n.args.image = {1, 6, 6};
    n.refuse(FADE_INVALID, "mean");
    n.args.layout = 2, n.refuse(FADE_INVALID, "layout");
    n.args.layout = 0, n.args.epsilon = -1, n.refuse(FADE_INVALID, "epsilon");

    opened on;
    auto f = made(fade_fold_init);
    f.filters = index(1) << 59, f.elements = 1;
    CHECK(fade_fold_into_filter(on.c, &f, nullptr) == FADE_INVALID);
    CHECK(std::string(fade_last_error()->argument) == "filters");
    f.filters = 4, f.elements = -1;
    CHECK(fade_fold_into_filter(on.c, &f, nullptr) == FADE_INVALID);
    CHECK(std::string(fade_last_error()->argument) == "elements");
}

}  // namespace

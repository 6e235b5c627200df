// Convolution through fade.h is the C++ call, bit for bit, and what fade.h alone refuses of it.
#include "beside.hpp"
#include <cmath>
#include <fade/conv.hpp>
#include <string>

using namespace fade::test;

namespace {

using fade::index;

/// A problem of two dimensions, said to both interfaces.
struct convolution {
    fade::conv_problem cpp{.batch = drawn(1, 3),
                           .channels = int(2 * drawn(1, 4)),
                           .filters = int(2 * drawn(1, 9)),
                           .input = {1, int(drawn(6, 12)), int(drawn(6, 12))},
                           .filter = {1, int(drawn(1, 3)), int(drawn(1, 3))},
                           .stride = {1, int(drawn(1, 2)), int(drawn(1, 2))},
                           .dilation = {1, int(drawn(1, 2)), 1},
                           .pad = {0, int(drawn(0, 2)), 1},
                           .pad_end = {0, 1, int(drawn(0, 2))},
                           .groups = int(drawn(1, 2)),
                           .layout = fade::conv_layout(drawn(0, 1)),
                           .alpha = 2,
                           .beta = 3};
    fade_conv_args c = made(fade_conv_init);
    std::vector<float> x, w, dy;

    convolution() {
        const auto said = [](const auto& s) { return fade_spatial{s.d, s.h, s.w}; };
        c.layout = int(cpp.layout), c.batch = cpp.batch, c.channels = cpp.channels, c.filters = cpp.filters;
        c.groups = cpp.groups, c.input = said(cpp.input), c.filter = said(cpp.filter);
        c.stride = said(cpp.stride), c.dilation = said(cpp.dilation), c.pad = said(cpp.pad);
        c.pad_end = said(cpp.pad_end), c.alpha = cpp.alpha, c.beta = cpp.beta;
        x = some<float>(cpp.batch * cpp.input.volume() * cpp.channels);
        w = some<float>(cpp.filter.volume() * cpp.channels / cpp.groups * cpp.filters);
        dy = some<float>(cpp.batch * cpp.output().volume() * cpp.filters);
        c.x = x.data(), c.w = w.data(), c.dy = dy.data();
    }
};

/// One pass by both, with a chain of stages.
template <class Pass, class Call>
void check(Pass pass, index count, index columns, Call call) {
    opened on;
    convolution& p = pass.of;
    const auto old = some<float>(count), bias = some<float>(columns);
    auto out = poison<float>(count), expected = out;
    fade_stage stages[2] = {made(fade_stage_init), made(fade_stage_init)};
    stages[0].kind = FADE_BIAS, stages[0].values = bias.data();
    stages[1].kind = FADE_CLAMP, stages[1].low = -9, stages[1].high = 8;
    p.c.c = old.data(), p.c.result = out.data(), p.c.stages = stages, p.c.stage_count = 2;
    fade_options options = made(fade_options_init);
    fade_plan* plan = nullptr;
    options.plan = &plan;
    is_done(pass.by(on.c, &p.c, &options));
    CHECK(fade_plan_launch_count(plan) > 0);
    CHECK(same(out, poison<float>(count)));
    std::vector<char> workspace(fade_plan_workspace_bytes(plan) + 1);
    fade_plan_close(plan);
    options.plan = nullptr, options.workspace = workspace.data(), options.workspace_bytes = workspace.size();
    is_done(pass.by(on.c, &p.c, &options));
    fade::any_chain<float> chain;
    chain.push(fade::stage_kind::bias, bias.data());
    chain.push(fade::stage_kind::clamp, static_cast<const float*>(nullptr), 0, -1, -9, 8);
    call(on.cpp, old.data(), expected.data(), chain);
    CHECK(same(out, expected));
}

struct pass_of {
    convolution& of;
    fade_status (*by)(fade_device*, const fade_conv_args*, const fade_options*);
};

TEST_CASE("the gradient of a bias") {
    opened on;
    convolution p;
    p.cpp.beta = p.c.beta = 0;
    const index filters = p.cpp.filters;
    auto dw = poison<float>(index(p.w.size())), expected_dw = dw;
    auto db = poison<float>(filters), expected_db = db;
    p.c.result = dw.data(), p.c.db = db.data();
    CHECK(fade_conv_forward(on.c, &p.c, nullptr) == FADE_INVALID);
    CHECK(std::string(fade_last_error()->argument) == "db");
    CHECK(same(db, poison<float>(filters)));
    is_done(fade_conv_backward_weights(on.c, &p.c, nullptr));
    fade::conv_backward_weights<float>(
        on.cpp, p.cpp,
        {.x = p.x.data(), .dy = p.dy.data(), .dw = expected_dw.data(), .db = expected_db.data()});
    CHECK(same(dw, expected_dw));
    CHECK(same(db, expected_db));
}

TEST_CASE("convolution and its backward passes") {
    for (int i = 0; i < 6; ++i) {
        convolution p;
        CAPTURE(p.c.layout);
        check(pass_of{p, fade_conv_forward}, index(p.dy.size()), p.cpp.filters,
              [&](auto& on, const float* old, float* out, const auto& chain) {
                  fade::conv_forward<float>(on, p.cpp, {p.x.data(), p.w.data(), old, out}, chain);
              });
        check(pass_of{p, fade_conv_backward_data}, index(p.x.size()), p.cpp.channels,
              [&](auto& on, const float* old, float* out, const auto& chain) {
                  fade::conv_backward_data<float>(on, p.cpp, {p.dy.data(), p.w.data(), old, out}, chain);
              });
        check(pass_of{p, fade_conv_backward_weights}, index(p.w.size()), index(p.w.size()) / p.cpp.filters,
              [&](auto& on, const float* old, float* out, const auto& chain) {
                  fade::conv_backward_weights<float>(on, p.cpp, {p.x.data(), p.dy.data(), old, out}, chain);
              });
    }
}

TEST_CASE("the algorithm that is asked for computes a depthwise convolution") {
    opened on;
    convolution p;
    p.cpp.channels = p.cpp.filters = p.cpp.groups = p.c.channels = p.c.filters = p.c.groups = 4;
    p.x = some<float>(p.cpp.batch * p.cpp.input.volume() * 4), p.w = some<float>(p.cpp.filter.volume() * 4);
    p.c.x = p.x.data(), p.c.w = p.w.data(), p.cpp.beta = p.c.beta = 0;
    for (const auto algorithm : {fade::conv_algorithm::implicit_gemm, fade::conv_algorithm::direct}) {
        auto out = poison<float>(p.cpp.batch * p.cpp.output().volume() * 4), expected = out;
        fade_options options = made(fade_options_init);
        fade_report* report = nullptr;
        options.report = &report, p.c.algorithm = int(algorithm), p.c.result = out.data();
        is_done(fade_conv_forward(on.c, &p.c, &options));
        const std::string chosen = fade_report_text(report, FADE_REPORT_CHOSEN);
        CHECK((chosen.starts_with("conv direct")) == (algorithm == fade::conv_algorithm::direct));
        fade_report_close(report);
        fade::conv_forward<float>(on.cpp, p.cpp, {p.x.data(), p.w.data(), nullptr, expected.data()},
                                  fade::epilogue::none{}, {.algorithm = algorithm});
        CHECK(same(out, expected));
    }
}

TEST_CASE("im2col and Winograd's filtering") {
    constexpr fade::conv_algorithms compiled{.im2col = true, .winograd = true};
    opened on;
    convolution p;
    p.cpp.groups = p.c.groups = 1, p.cpp.filter = {1, 3, 3}, p.c.filter = {1, 3, 3};
    p.cpp.stride = p.cpp.dilation = {1, 1, 1}, p.c.stride = p.c.dilation = {1, 1, 1};
    p.w = some<float>(9 * p.cpp.channels * p.cpp.filters), p.cpp.beta = p.c.beta = 0;
    const auto count = p.cpp.batch * p.cpp.output().volume() * p.cpp.filters;
    for (auto algorithm : {fade::conv_algorithm::im2col, fade::conv_algorithm::winograd_f2,
                           fade::conv_algorithm::winograd_f4}) {
        auto out = poison<float>(count), expected = out;
        fade_options options = made(fade_options_init);
        fade_report* report = nullptr;
        options.report = &report, p.c.algorithm = int(algorithm), p.c.w = p.w.data(), p.c.result = out.data();
        is_done(fade_conv_forward(on.c, &p.c, &options));
        CHECK(std::string(fade_report_text(report, FADE_REPORT_CHOSEN)).find(fade::name(algorithm)) <
              std::string::npos);
        fade_report_close(report);
        fade::conv_forward<float, float, compiled>(on.cpp, p.cpp,
                                                   {p.x.data(), p.w.data(), nullptr, expected.data()},
                                                   fade::epilogue::none{}, {.algorithm = algorithm});
        CHECK(same(out, expected));
    }
}

TEST_CASE("Fourier transforms compute what implicit_gemm computes") {
    opened on;
    convolution p;
    p.cpp.groups = p.c.groups = 1, p.c.beta = 0, p.c.alpha = 1;
    p.c.filter = {1, 5, 3}, p.c.stride = p.c.dilation = {1, 1, 1}, p.c.pad = p.c.pad_end = {0, 2, 1};
    p.w = some<float>(15 * p.c.channels * p.c.filters), p.c.w = p.w.data();
    const auto count = p.c.batch * p.c.input.h * p.c.input.w * p.c.filters;
    auto out = poison<float>(count), expected = out;
    p.c.algorithm = FADE_CONV_FFT, p.c.result = out.data();
    fade_options options = made(fade_options_init);
    fade_plan* plan = nullptr;
    options.plan = &plan;
    is_done(fade_conv_forward(on.c, &p.c, &options));
    std::vector<char> workspace(fade_plan_workspace_bytes(plan));
    CHECK(workspace.size() > 0);
    fade_plan_close(plan);
    fade_report* report = nullptr;
    options.plan = nullptr, options.report = &report;
    options.workspace = workspace.data(), options.workspace_bytes = workspace.size();
    is_done(fade_conv_forward(on.c, &p.c, &options));
    CHECK(std::string(fade_report_text(report, FADE_REPORT_CHOSEN)).find("fft") < std::string::npos);
    fade_report_close(report);
    p.c.algorithm = FADE_CONV_IMPLICIT_GEMM, p.c.result = expected.data();
    is_done(fade_conv_forward(on.c, &p.c, nullptr));
    // Sums of at most 15 * 8 products of normal numbers: docs/conv.md bounds them by whole tiles.
    for (std::size_t i = 0; i < out.size(); ++i) CHECK(std::abs(out[i] - expected[i]) < 2e-3);
}

TEST_CASE("numbers of 8 bits: zero points and scales") {
    opened on;
    convolution p;
    const index filters = p.c.filters, count = index(p.dy.size());
    const auto x = some<fade::i8>(index(p.x.size())), w = some<fade::i8>(index(p.w.size()));
    const auto zeros = some<fade::i32>(filters), old = some<fade::i32>(count);
    p.c.in = FADE_I8, p.c.out = FADE_I32, p.c.x = x.data(), p.c.w = w.data(), p.c.c = old.data();
    p.c.x_zero = -7, p.c.w_zero = zeros.data();
    auto sums = poison<fade::i32>(count), expected = sums;
    p.c.result = sums.data();
    is_done(fade_conv_forward(on.c, &p.c, nullptr));
    fade::conv_forward<fade::i8, fade::i32>(on.cpp, p.cpp,
                                            {.x = x.data(),
                                             .w = w.data(),
                                             .c = old.data(),
                                             .y = expected.data(),
                                             .x_zero = -7,
                                             .w_zero = zeros.data()});
    CHECK(same(sums, expected));
    CHECK(sums != old);

    // By scales of filters to f32: whole numbers of 24 bits, times one rounded product.
    const auto scales = some<float>(filters);
    fade_stage stage = made(fade_stage_init);
    stage.kind = FADE_SCALE_COLUMNS, stage.values = scales.data();
    p.c.beta = 0, p.c.alpha = 1, p.c.result = sums.data();
    is_done(fade_conv_forward(on.c, &p.c, nullptr));
    auto scaled = poison<float>(count);
    p.c.out = FADE_F32, p.c.result = scaled.data(), p.c.stages = &stage, p.c.stage_count = 1;
    is_done(fade_conv_forward(on.c, &p.c, nullptr));
    const index pixels = p.cpp.output().volume();
    for (index i = 0; i < count; ++i) {
        const index filter = p.c.layout == FADE_CHANNELS_LAST ? i % filters : i / pixels % filters;
        CHECK(scaled[std::size_t(i)] == float(sums[std::size_t(i)]) * scales[std::size_t(filter)]);
    }

    const auto refused = [&](fade_status status, const char* argument) {
        CHECK(status == FADE_INVALID);
        CHECK(std::string(fade_last_error()->argument) == argument);
    };
    p.c.x_zero = 128;
    refused(fade_conv_forward(on.c, &p.c, nullptr), "x_zero");
    p.c.x_zero = 0;
    refused(fade_conv_backward_data(on.c, &p.c, nullptr), "w_zero");
    p.c.in = FADE_F32, p.c.x = p.x.data(), p.c.w = p.w.data();
    refused(fade_conv_forward(on.c, &p.c, nullptr), "w_zero");
}

TEST_CASE("what a convolution refuses names its field, and nothing is written") {
    opened on;
    convolution p;
    // Room for all sizes below: tensors that reach into each other would be refused first.
    auto out = poison<float>(8192);
    p.x.resize(8192), p.w.resize(8192);
    p.c.x = p.x.data(), p.c.w = p.w.data(), p.c.result = out.data(), p.c.beta = 0;
    const auto refused = [&](fade_status as, const char* argument) {
        CHECK(fade_conv_forward(on.c, &p.c, nullptr) == as);
        CHECK(std::string(fade_last_error()->argument) == argument);
        CHECK(same(out, poison<float>(index(out.size()))));
    };
    p.c.layout = 2;
    refused(FADE_INVALID, "layout");
    p.c.layout = FADE_CHANNELS_LAST, p.c.stride.h = 0;
    refused(FADE_INVALID, "stride.h");
    p.c.stride.h = 1, p.c.stage_count = 9;
    refused(FADE_INVALID, "stage_count");
    p.c.stage_count = 0, p.c.algorithm = 8;
    refused(FADE_INVALID, "algorithm");
    p.c.algorithm = FADE_CONV_DIRECT, p.c.channels = p.c.filters = 4, p.c.groups = 2;
    refused(FADE_INVALID, "algorithm");
    p.c.algorithm = FADE_CONV_AUTOMATIC, p.c.in = p.c.out = FADE_I8;
    refused(FADE_UNSUPPORTED, "types");
    p.c.in = p.c.out = FADE_F32, p.c.w = nullptr;
    refused(FADE_INVALID, "w");
}

}  // namespace

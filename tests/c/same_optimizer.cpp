// Steps of optimizers through fade.h are the C++ calls, bit for bit, and what fade.h alone refuses of them.
#include "beside.hpp"
#include <fade/optimizer.hpp>
#include <limits>
#include <string>

using namespace fade::test;

namespace {

using fade::bf16;
using fade::f16;
using fade::index;

/// Parameters, their state and their copy, which a step changes.
template <class Copy>
struct network {
    std::vector<float> master, first, second;
    std::vector<Copy> copy;
    explicit network(index count)
        : master(some<float>(count)), first(some<float>(count)), second(some<float>(count)),
          copy(poison<Copy>(count)) {
        for (float& v : second) v = v < 0 ? -v : v;
    }
    friend bool same(const network& a, const network& b) {
        return fade::test::same(a.master, b.master) && fade::test::same(a.first, b.first) &&
               fade::test::same(a.second, b.second) && fade::test::same(a.copy, b.copy);
    }
};

template <class Gradient, class Copy>
void check_sgd(fade_dtype in, fade_dtype out, bool skipped) {
    opened on;
    const index count = drawn(1, 300);
    const auto gradient = some<Gradient>(count);
    const float nonfinite = skipped ? 1.0f : 0.0f;
    const fade::sgd_problem p{.count = count,
                              .rate = 0.25,
                              .momentum = 0.5,
                              .weight_decay = 0.125,
                              .nesterov = drawn(0, 1) != 0,
                              .loss_scale = 8};
    network<Copy> n(count), expected = n;
    const network<Copy> before = n;
    auto a = made(fade_sgd_init);
    a.in = in, a.out = out, a.nesterov = p.nesterov, a.count = count, a.rate = p.rate;
    a.momentum = p.momentum, a.weight_decay = p.weight_decay, a.loss_scale = p.loss_scale;
    a.gradient = gradient.data(), a.master = n.master.data(), a.velocity = n.first.data();
    a.copy = n.copy.data(), a.nonfinite = &nonfinite;
    is_done(fade_sgd_step(on.c, &a, nullptr));
    fade::sgd_step<Gradient, Copy>(on.cpp, p,
                                   {.gradient = gradient.data(),
                                    .master = expected.master.data(),
                                    .velocity = expected.first.data(),
                                    .copy = expected.copy.data(),
                                    .nonfinite = &nonfinite});
    CHECK(same(n, expected));
    CHECK(same(n, before) == skipped);
}

template <class Gradient, class Copy>
void check_adamw(fade_dtype in, fade_dtype out) {
    opened on;
    const index count = drawn(1, 300);
    const auto gradient = some<Gradient>(count);
    const fade::adamw_problem p{.count = count,
                                .rate = 0.25,
                                .beta1 = 0.5,
                                .beta2 = 0.75,
                                .epsilon = 0.125,
                                .weight_decay = 0.0625,
                                .step = drawn(1, 9),
                                .loss_scale = 4};
    network<Copy> n(count), expected = n;
    auto a = made(fade_adamw_init);
    a.in = in, a.out = out, a.count = count, a.step = p.step, a.rate = p.rate, a.beta1 = p.beta1;
    a.beta2 = p.beta2, a.epsilon = p.epsilon, a.weight_decay = p.weight_decay, a.loss_scale = p.loss_scale;
    a.gradient = gradient.data(), a.master = n.master.data(), a.copy = n.copy.data();
    a.first_moment = n.first.data(), a.second_moment = n.second.data();
    is_done(fade_adamw_step(on.c, &a, nullptr));
    fade::adamw_step<Gradient, Copy>(on.cpp, p,
                                     {.gradient = gradient.data(),
                                      .master = expected.master.data(),
                                      .first_moment = expected.first.data(),
                                      .second_moment = expected.second.data(),
                                      .copy = expected.copy.data()});
    CHECK(same(n, expected));
}

TEST_CASE("sgd_step") {
    for (const bool skipped : {false, true}) {
        check_sgd<float, float>(FADE_F32, FADE_F32, skipped);
        check_sgd<f16, f16>(FADE_F16, FADE_F16, skipped);
        check_sgd<float, bf16>(FADE_F32, FADE_BF16, skipped);
    }
}

TEST_CASE("adamw_step") {
    check_adamw<float, float>(FADE_F32, FADE_F32);
    check_adamw<bf16, bf16>(FADE_BF16, FADE_BF16);
    check_adamw<f16, float>(FADE_F16, FADE_F32);
}

TEST_CASE("find_nonfinite, whose workspace is a plan's") {
    opened on;
    for (const bool spoiled : {false, true}) {
        auto gradient = some<float>(drawn(1, 5000));
        if (spoiled)
            gradient[std::size_t(drawn(0, index(gradient.size()) - 1))] =
                drawn(0, 1) ? std::numeric_limits<float>::quiet_NaN()
                            : -std::numeric_limits<float>::infinity();
        float found = 7;
        auto a = made(fade_nonfinite_init);
        a.count = index(gradient.size()), a.gradient = gradient.data(), a.nonfinite = &found;
        fade_plan* plan = nullptr;
        auto options = made(fade_options_init);
        options.plan = &plan;
        is_done(fade_find_nonfinite(on.c, &a, &options));
        CHECK(found == 7);
        std::vector<char> workspace(fade_plan_workspace_bytes(plan) + 1);
        fade_plan_close(plan);
        options.plan = nullptr, options.workspace = workspace.data();
        options.workspace_bytes = workspace.size();
        is_done(fade_find_nonfinite(on.c, &a, &options));
        CHECK(found == (spoiled ? 1.0f : 0.0f));
    }
}

TEST_CASE("the defaults are those of C++") {
    const fade::sgd_problem descent;
    const auto s = made(fade_sgd_init);
    CHECK(s.momentum == descent.momentum);
    CHECK(s.loss_scale == descent.loss_scale);
    CHECK(s.nesterov == 0);
    const fade::adamw_problem adam;
    const auto a = made(fade_adamw_init);
    CHECK(a.rate == adam.rate);
    CHECK(a.beta1 == adam.beta1);
    CHECK(a.beta2 == adam.beta2);
    CHECK(a.epsilon == adam.epsilon);
    CHECK(a.weight_decay == adam.weight_decay);
    CHECK(a.step == adam.step);
    CHECK(a.loss_scale == adam.loss_scale);
}

void refused(fade_status status, fade_status expected, const char* argument) {
    CHECK(status == expected);
    CHECK(fade_last_error()->argument == std::string(argument));
}

TEST_CASE("what is refused") {
    opened on;
    std::vector<float> memory(8, 2.0f), velocity(8, 0.0f);
    const std::vector<float> before = memory;
    auto s = made(fade_sgd_init);
    s.count = 8, s.gradient = velocity.data(), s.master = memory.data(), s.rate = 1;
    s.nesterov = 2;
    refused(fade_sgd_step(on.c, &s, nullptr), FADE_INVALID, "nesterov");
    s.nesterov = 0, s.in = FADE_I8;
    refused(fade_sgd_step(on.c, &s, nullptr), FADE_UNSUPPORTED, "types");
    s.in = FADE_F32, s.momentum = 0.5;
    refused(fade_sgd_step(on.c, &s, nullptr), FADE_INVALID, "velocity");
    auto a = made(fade_adamw_init);
    a.count = 8, a.gradient = velocity.data(), a.master = memory.data();
    refused(fade_adamw_step(on.c, &a, nullptr), FADE_INVALID, "first_moment");
    auto f = made(fade_nonfinite_init);
    f.count = 8, f.gradient = velocity.data();
    refused(fade_find_nonfinite(on.c, &f, nullptr), FADE_INVALID, "nonfinite");
    CHECK(memory == before);
}

}  // namespace

// Convolutions that ask a tuning database: what they run, and what they say of it.
#include "common/processor_time.hpp"
#include "told.hpp"
#include <algorithm>
#include <cmath>
#include <fade/conv.hpp>
#include <fade/device/tune/background.hpp>
#include <fade/tune.hpp>
#include <limits>
#include <thread>

using namespace fade;
using namespace fade::test;

namespace {

constexpr conv_algorithms with_im2col{.im2col = true};

/// A convolution of two dimensions, its tensors, and its results in f64 by the definition.
struct convolution {
    conv_problem problem;
    std::vector<float> x, w, dy;
    std::vector<double> y, dx, dw;

    explicit convolution(const conv_problem& p) : problem(p) {
        std::mt19937 random(drawn_seed());
        const spatial out = p.output();
        const fade::index of_group = p.channels / p.groups;
        x = random_numbers(random, p.batch * p.input.volume() * p.channels);
        w = random_numbers(random, p.filters * p.filter.volume() * of_group);
        dy = random_numbers(random, p.batch * out.volume() * p.filters);
        y.assign(dy.size(), 0), dx.assign(x.size(), 0), dw.assign(w.size(), 0);
        for (fade::index n = 0; n < p.batch; ++n)
            for (int h = 0; h < out.h * out.w; ++h)
                for (int t = 0; t < p.filter.h * p.filter.w; ++t) {
                    const int ih = h / out.w * p.stride.h - p.pad.h + t / p.filter.w,
                              iw = h % out.w * p.stride.w - p.pad.w + t % p.filter.w;
                    if (ih >= 0 && ih < p.input.h && iw >= 0 && iw < p.input.w)
                        add((n * out.h * out.w + h) * p.filters,
                            ((n * p.input.h + ih) * p.input.w + iw) * p.channels, t, of_group);
                }
    }
    /// What one tap adds to the filters of a pixel.
    void add(fade::index at_y, fade::index at_x, int tap, fade::index of_group) {
        const conv_problem& p = problem;
        for (int f = 0; f < p.filters; ++f)
            for (fade::index c = 0; c < of_group; ++c) {
                const auto i = std::size_t(at_y + f),
                           j = std::size_t(at_x + f / (p.filters / p.groups) * of_group + c),
                           k = std::size_t((f * p.filter.volume() + tap) * of_group + c);
                y[i] += double(x[j]) * double(w[k]);
                dx[j] += double(dy[i]) * double(w[k]);
                dw[k] += double(dy[i]) * double(x[j]);
            }
    }
};

const conv_problem square{.batch = 2,
                          .channels = 16,
                          .filters = 32,
                          .input = {.h = 9, .w = 11},
                          .filter = {.h = 3, .w = 3},
                          .pad = {.h = 1, .w = 1}};
const conv_problem depthwise{.batch = 2,
                             .channels = 16,
                             .filters = 16,
                             .input = {.h = 9, .w = 11},
                             .filter = {.h = 3, .w = 3},
                             .pad = {.h = 1, .w = 1},
                             .groups = 16};

double apart(const std::vector<float>& got, const std::vector<double>& want) {
    double off = 0, size = 0;
    for (std::size_t i = 0; i < got.size(); ++i)
        off += std::pow(double(got[i]) - want[i], 2), size += want[i] * want[i];
    return std::sqrt(off / size);
}
std::vector<float> poisoned(std::size_t count) {
    return std::vector<float>(count, std::numeric_limits<float>::quiet_NaN());
}

/// Bound: of sums of at most 300 products in f32, in any order.
constexpr double bound = 1e-5;

}  // namespace

TEST_CASE("the host cuts each pass as the row says, and computes the same") {
    host_device device(2);
    convolution c(square);
    told rows;
    const conv_options asks{.tuned = &rows};
    for (const int split_k : {1, 2})
        for (const tile_shape tile : {tile_shape{31, 17, 512}, {150, 32, 512}, {7, 8, 512}}) {
            CAPTURE(split_k);
            tuned_conv row{.policy = tune::host_tiles, .split_k = split_k};
            row.policy.block_tile = tile;
            rows.say(row);
            const auto used = [&](const report& said, const char* pass) {
                CHECK(says(said.why, "a test has a row, which decides"));
                CHECK(said.evidence == "tuned: made up");
                CHECK(says(rows.problem.kind, std::string("conv ") + pass + " f32 to f32"));
                CHECK(says(said.chosen, std::to_string(tile.m) + "x" + std::to_string(tile.n)));
            };
            auto y = poisoned(c.y.size()), dx = poisoned(c.dx.size()), dw = poisoned(c.dw.size());
            used(conv_forward<float>(device, c.problem, {.x = c.x.data(), .w = c.w.data(), .y = y.data()}, {},
                                     asks),
                 name(conv_pass::forward));
            used(conv_backward_data<float>(device, c.problem,
                                           {.dy = c.dy.data(), .w = c.w.data(), .dx = dx.data()}, {}, asks),
                 name(conv_pass::backward_data));
            used(conv_backward_weights<float>(
                     device, c.problem, {.x = c.x.data(), .dy = c.dy.data(), .dw = dw.data()}, {}, asks),
                 name(conv_pass::backward_weights));
            CHECK(apart(y, c.y) < bound);
            CHECK(apart(dx, c.dx) < bound);
            CHECK(apart(dw, c.dw) < bound);
        }
    CHECK(rows.machine.arch == "host");
    CHECK(rows.machine.traits == "2 compute units" + host_traits_in_words());
    CHECK(rows.problem.sizes == std::vector<fade::index>{2, 16, 32, 1, 9, 11});
}

TEST_CASE("a row chooses the algorithm where the call leaves it, and is compiled with it") {
    host_device device(1);
    convolution c(square), d(depthwise);
    told rows;
    const auto run = [&]<conv_algorithms Algorithms>(convolution& of, conv_algorithm asked) {
        auto y = poisoned(of.y.size());
        const report said = conv_forward<float, float, Algorithms>(
            device, of.problem, {.x = of.x.data(), .w = of.w.data(), .y = y.data()}, {},
            {.algorithm = asked, .tuned = &rows});
        CHECK(apart(y, of.y) < bound);
        return said;
    };
    using enum conv_algorithm;
    rows.say(tuned_conv{.algorithm = im2col});
    report said = run.operator()<with_im2col>(c, automatic);
    CHECK(says(said.chosen, "conv im2col"));
    CHECK(says(said.why, "a test has a row, which decides"));
    CHECK(said.evidence == "tuned: made up");
    said = run.operator()<conv_algorithms{}>(c, automatic);
    CHECK(says(said.chosen, "implicit_gemm"));
    CHECK(says(said.why, "not used: the call is compiled without im2col"));
    said = run.operator()<with_im2col>(c, implicit_gemm);
    CHECK(says(said.why, "not used: the call asked for implicit_gemm, and the row is of im2col"));
    CHECK(said.evidence != "tuned: made up");

    rows.say(tuned_conv{.algorithm = mec});
    said = run.operator()<conv_algorithms{}>(c, automatic);
    CHECK(says(said.chosen, "conv mec"));
    CHECK(says(said.why, "a test has a row, which decides"));
    CHECK(said.evidence == "tuned: made up");
    said = run.operator()<conv_algorithms{}>(d, automatic);
    CHECK(says(said.why, "not used: it takes one group"));

    tuned_conv shares{.policy = tune::host_tiles};
    shares.policy.block_tile = {31, 8, 512};
    rows.say(shares);
    said = run.operator()<conv_algorithms{}>(d, automatic);
    CHECK(says(said.chosen, "implicit_gemm"));
    CHECK(said.evidence == "tuned: made up");
    rows.say(tuned_conv{.policy = {.block_tile = {4000, 1, 512}, .wave_tile = {}}});
    said = run.operator()<conv_algorithms{}>(d, automatic);
    CHECK(says(said.chosen, "direct"));
    CHECK(says(said.why, "not used: the host has no kernel of its policy"));
    CHECK(said.evidence != "tuned: made up");

    rows.say(tuned_conv{.algorithm = direct});
    said = run.operator()<conv_algorithms{}>(d, automatic);
    CHECK(says(said.chosen, "direct"));
    CHECK(said.evidence == "tuned: made up");
    said = run.operator()<conv_algorithms{}>(c, automatic);
    CHECK(says(said.why, "not used: it takes groups of 1 channel"));
    rows.say(tuned_conv{.algorithm = direct, .split_k = 2});
    CHECK(says(run.operator()<conv_algorithms{}>(d, automatic).why, "not used: direct has no such policy"));
    for (const auto algorithm : {winograd_f2, winograd_f4}) {
        rows.say(tuned_conv{.algorithm = algorithm});
        said = run.operator()<conv_algorithms{.winograd = true}>(c, automatic);
        CHECK(says(said.why, "not used: Winograd's sums are less exact"));
    }
    for (const int split_k : {0, 5000}) {
        rows.say(tuned_conv{.policy = tune::host_tiles, .split_k = split_k});
        CHECK(says(run.operator()<conv_algorithms{}>(c, automatic).why, "none of 1 to 4096"));
    }
    rows.say(tuned_conv{.algorithm = automatic});
    CHECK(says(run.operator()<conv_algorithms{}>(c, automatic).why, "automatic is no algorithm"));
}

TEST_CASE_TEMPLATE("emulated GPUs take the kernel of the row, where the program holds it", Device,
                   emulated_device<arch::gfx942>, emulated_device<arch::gfx1100>) {
    Device device({.compute_units = 8});
    conv_problem p = square;
    p.channels = 32;
    convolution c(p);
    told rows;
    constexpr tune::gemm_row row = tune::windows_row<typename Device::arch, float>();
    auto y = poisoned(c.y.size());
    const conv_operands<float> operands{.x = c.x.data(), .w = c.w.data(), .y = y.data()};
    const auto plan = [&](int split_k) {
        return plan_conv_forward<float>(device, c.problem, operands, {},
                                        {.split_k = split_k, .tuned = &rows});
    };
    const gemm_policy large = tune::policy_for(row, tune::size_class::large, operand_access::nt),
                      small = tune::policy_for(row, tune::size_class::small, operand_access::nt);
    rows.answer = {};
    const gemm_policy model = plan(1).policy, other = model == small ? large : small;
    rows.say(tuned_conv{.policy = other, .split_k = 2});
    CHECK(plan(1).policy == other);
    CHECK(plan(1).workspace_bytes == 0);
    CHECK(plan(0).workspace_bytes == c.y.size() * 2 * sizeof(float));
    CHECK(plan(0).report.evidence == "tuned: made up");
    const report said = conv_forward<float>(device, c.problem, operands, {}, {.tuned = &rows});
    CHECK(says(said.why, "a test has a row, which decides"));
    CHECK(says(said.chosen, "k shared by 2"));
    CHECK(apart(y, c.y) < bound);

    rows.say(tuned_conv{.policy = other}, tuned_match::near);
    CHECK(plan(1).policy == other);
    tuned_conv unknown{.policy = other};
    unknown.policy.swizzle_rows = 77;
    rows.say(unknown);
    CHECK(plan(1).policy == model);
    CHECK(says(plan(1).report.why, "not used: this program holds no kernel of its policy"));
    for (auto match : {tuned_match::stale, tuned_match::miss, tuned_match::unreadable}) {
        rows.say(tuned_conv{.policy = other}, match);
        CHECK(plan(1).policy == model);
        CHECK(plan(1).report.evidence != "tuned: made up");
    }
}

// An emulated device has no speed, so tune_conv refuses it; what a GPU would time can be run here.
TEST_CASE_TEMPLATE("what is tried on a GPU is what a convolution takes, and right", Device,
                   emulated_device<arch::gfx942>, emulated_device<arch::gfx1100>) {
    Device device({.compute_units = 8});
    conv_problem p = square;
    p.channels = 32;
    convolution c(p);
    auto y = poisoned(c.y.size());
    const conv_operands<float> operands{.x = c.x.data(), .w = c.w.data(), .y = y.data()};
    const epilogue::none nothing;
    constexpr conv_kernels kernels{conv_pass::forward, conv_algorithms{}};
    detail::conv_to_tune<kernels, float, float, conv_operands<float>, epilogue::none, Device> call(
        device, c.problem, operands, nothing);
    const detail::tuned_call tried = call.call();
    const auto all = call.candidates();
    CHECK(all.size() > 3);
    call.at_once = call.rotate(1 << 20, detail::deadline::never());
    CHECK(call.at_once > 1);
    for (const auto& one : all) {
        CHECK(one.policy != tried.model);
        std::ranges::fill(y, std::numeric_limits<float>::quiet_NaN());
        call.source.policy = one.policy;
        tried.run();
        CHECK(apart(y, c.y) < bound);  // the call's own memory is the first of the sets
    }
    const scratch_file file;
    tuning_database db({file.path(), {}});
    call.at_once = 1;
    const tuning found = detail::tune_within(device, call, db, std::chrono::seconds(60));
    CHECK((found.kept && found.whole && found.candidates == int(all.size())));
    const report said = plan_conv_forward<float>(device, c.problem, operands, {}, {.tuned = &db}).report;
    CHECK(says(said.why, "has a row of this problem, which decides"));
    CHECK(detail::verify_row(device, call, found.row).obstacle.empty());
}

TEST_CASE("mec is a candidate of the passes that it has, where pixels can be shared") {
    host_device device(1);
    conv_problem many = square;
    many.batch = 8;
    convolution c(many);
    const epilogue::none none;
    const auto tried = [&]<conv_pass Pass>(const conv_problem& p, const auto& operands) {
        const detail::conv_to_tune<conv_kernels{Pass}, float, float, std::remove_cvref_t<decltype(operands)>,
                                   epilogue::none>
            convolution(device, p, operands, none);
        int count = 0;
        for (const auto& one : convolution.candidates()) count += says(one.policy, "mec");
        return count;
    };
    auto y = poisoned(c.y.size()), dx = poisoned(c.dx.size()), dw = poisoned(c.dw.size());
    const conv_operands<float> images{.x = c.x.data(), .w = c.w.data(), .y = y.data()};
    const conv_data_operands<float> data{.dy = c.dy.data(), .w = c.w.data(), .dx = dx.data()};
    const conv_weights_operands<float> weights{.x = c.x.data(), .dy = c.dy.data(), .dw = dw.data()};
    using enum conv_pass;
    CHECK(tried.operator()<forward>(many, images) == 1);
    CHECK(tried.operator()<backward_data>(many, data) == 0);
    CHECK(tried.operator()<backward_weights>(many, weights) == 1);
    conv_problem few = square;
    few.batch = 1, few.input = {.h = 3, .w = 4};
    CHECK(tried.operator()<backward_weights>(few, weights) == 0);
}

TEST_CASE("a row of mec is not used where too few pixels can be shared") {
    host_device device(1);
    conv_problem p = square;
    p.batch = 1, p.input = {.h = 3, .w = 4};
    convolution c(p);
    told rows;
    rows.say(tuned_conv{.algorithm = conv_algorithm::mec});
    auto dw = poisoned(c.dw.size());
    const report said = conv_backward_weights<float>(
        device, p, {.x = c.x.data(), .dy = c.dy.data(), .dw = dw.data()}, {}, {.tuned = &rows});
    CHECK(says(said.chosen, "conv implicit_gemm"));
    CHECK(says(said.why, "not used: in backward weights it adds up"));
    CHECK(said.evidence != "tuned: made up");
    CHECK(apart(dw, c.dw) < bound);
}

TEST_CASE("a result without elements asks nobody") {
    host_device device(1);
    told rows;
    conv_problem p = square;
    p.batch = 0;
    CHECK(plan_conv_forward<float>(device, p, conv_operands<float>{}, {}, {.tuned = &rows}).report.chosen ==
          "nothing");
    CHECK(rows.calls == 0);
}

TEST_CASE("tuning of each pass keeps its budget, and a row only where it won twice") {
    host_device device(1);
    convolution c(square);
    const scratch_file file;
    tuning_database db({file.path(), {}});
    auto y = poisoned(c.y.size()), dx = poisoned(c.dx.size()), dw = poisoned(c.dw.size());
    const auto check = [&](const auto& operands, const auto& plan) {
        tuning found;
        // Again, where others keep the processor from it.
        for (double budget = 0.3; found.candidates == 0; budget *= 2) {
            REQUIRE(budget < 100);
            const double begin = processor_seconds();
            found = tune_conv<float, float, with_im2col>(device, c.problem, operands, db,
                                                         std::chrono::duration<double>(budget));
            CHECK(processor_seconds() - begin < 1.05 * budget + 0.05);
        }
        CHECK(found.model_nanoseconds > 0);
        CHECK(found.candidates > 0);
        CHECK(found.times.size() == std::size_t(found.candidates) + 1);
        if (found.kept) {
            CHECK(found.row.nanoseconds <= found.model_nanoseconds);
            CHECK(says(plan().report.why, "has a row of this problem, which decides"));
            const verification again =
                verify_conv<float, float, with_im2col>(device, c.problem, operands, found.row);
            CHECK(again.obstacle == "");
            CHECK(again.nanoseconds > 0);
        }
    };
    const conv_options asks{.tuned = &db};
    const conv_operands<float> forward{.x = c.x.data(), .w = c.w.data(), .y = y.data()};
    const conv_data_operands<float> data{.dy = c.dy.data(), .w = c.w.data(), .dx = dx.data()};
    const conv_weights_operands<float> weights{.x = c.x.data(), .dy = c.dy.data(), .dw = dw.data()};
    check(forward,
          [&] { return plan_conv_forward<float, float, with_im2col>(device, c.problem, forward, {}, asks); });
    check(data, [&] {
        return plan_conv_backward_data<float, float, with_im2col>(device, c.problem, data, {}, asks);
    });
    check(weights, [&] {
        return plan_conv_backward_weights<float, float, with_im2col>(device, c.problem, weights, {}, asks);
    });
    CHECK(apart(y, c.y) < bound);
    CHECK(apart(dx, c.dx) < bound);
    CHECK(apart(dw, c.dw) < bound);
    conv_weights_operands<float> with_bias = weights;
    with_bias.db = y.data();
    CHECK_THROWS_WITH_AS(
        (tune_conv<float, float, with_im2col>(device, c.problem, with_bias, db, std::chrono::seconds(0))),
        doctest::Contains("leave db null"), error);

    CHECK_THROWS_AS(tune_conv<float>(device, c.problem, forward, db, std::chrono::seconds(0)), error);
    c.problem.beta = 1;
    CHECK_THROWS_AS(tune_conv<float>(device, c.problem, forward, db, std::chrono::seconds(1)), error);
    tune::tuning_row foreign{.problem = {"conv", {}}, .machine = machine_of(device)};
    c.problem.beta = 0;
    CHECK(says(verify_conv<float>(device, c.problem, forward, foreign).obstacle, "and the call is"));
    tune::background tuner({file.path(), {}}, std::chrono::seconds(5));
    CHECK(tuner.conv_forward<float>(c.problem, 1));
    for (int i = 0; i < 12000 && tuner.progress().left > 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK((tuner.progress().done == 1 && tuner.progress().failure.empty()));
    CHECK(tuner.progress().seconds > 0);
}

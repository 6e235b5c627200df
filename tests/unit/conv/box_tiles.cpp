// Every size of tile whose operands the copy unit brings, and how many parts of few sums are added up.
#include "common/conv_suite.hpp"
#include <cmath>
#include <fade/tune/tuned.hpp>
#include <limits>

using namespace fade;

namespace {

std::vector<f16> drawn(std::mt19937_64& random, fade::index count) {
    std::normal_distribution<float> normal;
    std::vector<f16> out(static_cast<std::size_t>(count));
    for (f16& x : out) x = to_f16(normal(random));
    return out;
}

/// Random operands, and what loops in double precision make of them.
struct convolution {
    conv_problem problem;
    std::vector<f16> x, w, dy;
    std::vector<double> y, dx, dw;

    convolution(const conv_problem& p, std::mt19937_64& random) : problem(p) {
        const spatial out = p.output();
        x = drawn(random, p.batch * p.input.volume() * p.channels);
        w = drawn(random, p.filters * p.filter.volume() * p.channels);
        dy = drawn(random, p.batch * out.volume() * p.filters);
        y.assign(dy.size(), 0), dx.assign(x.size(), 0), dw.assign(w.size(), 0);
        for (int at = 0; at < p.batch * out.volume(); ++at)
            for (int tap = 0; tap < p.filter.h * p.filter.w; ++tap) {
                const int image = at / int(out.volume()),
                          h = at / out.w % out.h * p.stride.h - p.pad.h + tap / p.filter.w,
                          w_at = at % out.w * p.stride.w - p.pad.w + tap % p.filter.w;
                if (h >= 0 && h < p.input.h && w_at >= 0 && w_at < p.input.w)
                    add(at, (image * p.input.h + h) * p.input.w + w_at, tap);
            }
    }
    /// What one tap of a pixel of y adds.
    void add(int pixel_of_y, int pixel_of_x, int tap) {
        for (int f = 0; f < problem.filters; ++f)
            for (int c = 0; c < problem.channels; ++c) {
                const auto i = std::size_t(pixel_of_y * problem.filters + f),
                           j = std::size_t(pixel_of_x * problem.channels + c),
                           k = std::size_t((f * int(problem.filter.volume()) + tap) * problem.channels + c);
                y[i] += double(to_f32(x[j])) * double(to_f32(w[k]));
                dx[j] += double(to_f32(dy[i])) * double(to_f32(w[k]));
                dw[k] += double(to_f32(dy[i])) * double(to_f32(x[j]));
            }
    }
};

double apart(const std::vector<f16>& got, const std::vector<double>& want) {
    double off = 0, size = 0;
    for (std::size_t i = 0; i < got.size(); ++i)
        off += std::pow(double(to_f32(got[i])) - want[i], 2), size += want[i] * want[i];
    return std::sqrt(off / size);
}
std::vector<f16> poisoned(std::size_t count) {
    return std::vector<f16>(count, to_f16(std::numeric_limits<float>::quiet_NaN()));
}
constexpr double bound = 1e-3;  // of numbers rounded to 11 bits, of sums in f32

/// Runs a pass, and compares; what it says.
report checked(conv_pass pass, const convolution& c, int compute_units, const conv_options& options) {
    emulated_device<arch::sm_90a> device({.threads = 1, .compute_units = compute_units});
    const std::vector<double>& want = pass == conv_pass::forward         ? c.y
                                      : pass == conv_pass::backward_data ? c.dx
                                                                         : c.dw;
    std::vector<f16> got = poisoned(want.size());
    report said;
    if (pass == conv_pass::forward)
        said = conv_forward<f16>(device, c.problem, {.x = c.x.data(), .w = c.w.data(), .y = got.data()}, {},
                                 options);
    else if (pass == conv_pass::backward_data)
        said = conv_backward_data<f16>(device, c.problem,
                                       {.dy = c.dy.data(), .w = c.w.data(), .dx = got.data()}, {}, options);
    else
        said = conv_backward_weights<f16>(
            device, c.problem, {.x = c.x.data(), .dy = c.dy.data(), .dw = got.data()}, {}, options);
    CHECK(apart(got, want) < bound);
    return said;
}

/// A database with one row, for every problem.
struct one_row : tuned_policies {
    std::string policy;
    tuned_policy find(const tuning_problem&, const tuning_machine&) const override {
        return {tuned_match::exact, policy, "a test has a row, which decides", "tuned: made up"};
    }
};

/// Pixels of several tiles, none of them whole.
conv_problem uneven(int stride) {
    return {.batch = 2,
            .channels = 64,
            .filters = 136,
            .input = {1, 11, 14},
            .filter = {1, 2, 2},
            .stride = {1, stride, stride},
            .pad = {0, 1, 0}};
}

std::string tile_of(const gemm_policy& policy) {
    const tile_shape& tile = policy.block_tile;
    return "boxes " + std::to_string(tile.m) + "x" + std::to_string(tile.n) + "x" + std::to_string(tile.k);
}

}  // namespace

/// One pass of a problem by each size of tile.
void check_sizes(const convolution& c, conv_pass pass) {
    const tune::conv_kernel kernel{.pass = pass,
                                   .strided = pass == conv_pass::backward_data && c.problem.stride.w > 1,
                                   .access = kernel::channel_access::boxes};
    for (const tune::size_class size : tune::sizes_of_boxes) {
        if (!tune::has_size<f16>(size, kernel)) continue;
        const gemm_policy policy = tune::boxes_policy<arch::sm_90a, f16>(size, kernel);
        one_row row;
        row.policy = tune::policy_json(tuned_conv{.policy = policy});
        CAPTURE(name(pass));
        CAPTURE(name(size));
        const report said = checked(pass, c, 2, {.tuned = &row});
        CHECK_MESSAGE(said.chosen.find(tile_of(policy)) != std::string::npos, said.chosen);
    }
}

TEST_CASE("each kernel by boxes has sizes of tiles, which a row can ask for") {
    std::mt19937_64 random(test::conv_seed());
    using enum conv_pass;
    for (const int stride : {1, 2}) {
        const convolution c(uneven(stride), random);
        for (const conv_pass pass : {forward, backward_data, backward_weights}) check_sizes(c, pass);
    }
    // Windows of one pixel: three rows of tiles of 64, of which clusters have two, and columns beyond.
    conv_problem pixels = uneven(1);
    pixels.channels = 72, pixels.filter = {1, 1, 1}, pixels.pad = {};
    check_sizes({pixels, random}, backward_weights);
}

TEST_CASE("parts of sums are added up by groups of lanes where they lie at multiples of four") {
    std::mt19937_64 random(test::conv_seed());
    const conv_problem p{
        .batch = 1, .channels = 64, .filters = 24, .input = {1, 1, 128 * 40 + 5}, .filter = {1, 1, 1}};
    const convolution c(p, random);
    struct few_sums {
        int parts, workgroups;  // of 256 lanes, which have four sums of 1536, and more of few parts
    };
    for (const auto& [parts, workgroups] : {few_sums{2, 2}, {7, 3}, {14, 6}, {21, 12}, {41, 24}}) {
        CAPTURE(parts);
        const report said = checked(conv_pass::backward_weights, c, 64, {.split_k = parts});
        CHECK_MESSAGE(said.chosen.find("k shared by " + std::to_string(parts)) != std::string::npos,
                      said.chosen);
        emulated_device<arch::sm_90a> device({.threads = 1, .compute_units = 64});
        auto dw = poisoned(c.dw.size());
        const conv_plan plan = plan_conv_backward_weights<f16>(
            device, p, {.x = c.x.data(), .dy = c.dy.data(), .dw = dw.data()}, {}, {.split_k = parts});
        REQUIRE(plan.launches.size() == 2);
        CHECK(plan.launches[1].grid[0] == workgroups);
    }
    // Elsewhere one by one.
    std::vector<f16> dw = poisoned(c.dw.size() + 1);
    emulated_device<arch::sm_90a> device({.threads = 1, .compute_units = 64});
    conv_backward_weights<f16>(device, p, {.x = c.x.data(), .dy = c.dy.data(), .dw = dw.data() + 1}, {},
                               {.split_k = 14});
    CHECK(apart({dw.begin() + 1, dw.end()}, c.dw) < bound);
    CHECK(std::isnan(to_f32(dw[0])));
}

TEST_CASE("workgroups bring pixels for each other where windows are one pixel and rows fill their tiles") {
    const auto size = [](int channels, int filters, int image, int stride) {
        const conv_problem p{.batch = 64,
                             .channels = channels,
                             .filters = filters,
                             .input = {1, image, image},
                             .filter = {1, 1, 1},
                             .stride = {1, stride, stride}};
        const tune::conv_request request{conv_pass::backward_weights, kernel::sizes_of(p), nullptr, nullptr,
                                         2};
        return std::string(name(tune::select_boxes<arch::sm_90a, f16>(request, 0, 132).size));
    };
    CHECK(size(512, 128, 28, 1) == "flat");
    CHECK(size(512, 256, 28, 1) == "clustered");
    CHECK(size(256, 64, 56, 1) == "flat");
    CHECK(size(2048, 512, 7, 1) == "medium");
    CHECK(size(256, 512, 56, 2) == "small");
}

TEST_CASE("parts of k fill the compute units in several rounds where once would leave many idle") {
    const conv_problem p{.batch = 32,
                         .channels = 320,
                         .filters = 320,
                         .input = {1, 64, 64},
                         .filter = {1, 3, 3},
                         .pad = {0, 1, 1}};
    const tune::conv_request request{conv_pass::backward_weights, kernel::sizes_of(p), nullptr, nullptr, 2};
    constexpr int units = 132;
    const tune::conv_choice choice = tune::select_boxes<arch::sm_90a, f16>(request, 0, units);
    const gemm_policy policy = tune::boxes_policy<arch::sm_90a, f16>(choice.size, choice.kernel);
    const auto idle = [&](int parts) {  // units of the last round
        const auto work = tune::tiles_of(policy, tune::product_of(request)) * parts;
        return ceil_div<fade::index>(work, units) * units - work;
    };
    CHECK(idle(tune::splits_for(policy, tune::product_of(request), 0, units)) > units / 6);
    CHECK(choice.parts * tune::tiles_of(policy, tune::product_of(request)) > units);
    CHECK(idle(choice.parts) < units / 20);

    const auto said = [&](int split_k) {
        const auto at = [](int bit) { return reinterpret_cast<f16*>(std::uintptr_t(1) << bit); };
        emulated_device<arch::sm_90a> device({.threads = 1, .compute_units = units});
        return plan_conv_backward_weights<f16>(device, p, {.x = at(40), .dy = at(42), .dw = at(44)}, {},
                                               {.split_k = split_k})
            .report.chosen;
    };
    CHECK(said(0).find("k shared by " + std::to_string(choice.parts)) != std::string::npos);
    CHECK(said(3).find("k shared by 3") != std::string::npos);
}

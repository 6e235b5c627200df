// What convolutions refuse: each argument with its value and a rule, and nothing is written.
#include "common/numbers.hpp"
#include <ctime>
#include <doctest/doctest.h>
#include <fade/conv.hpp>
#include <vector>

using namespace fade;

namespace {

struct call {
    std::vector<float> x = std::vector<float>(4096, 1), w = x, c = x,
                       y = std::vector<float>(8192, test::poison<float>());
    conv_problem problem{.channels = 8, .filters = 8, .input = {.h = 5, .w = 5}, .filter = {.h = 3, .w = 3}};
    conv_operands<float> operands{.x = x.data(), .w = w.data(), .y = y.data()};
    conv_options options;
};

/// The argument that a spoiled call refuses; empty where it refuses none.
template <class Device, class Spoil>
std::string refused(Device& device, Spoil spoil, const char* word = "") {
    call of;
    spoil(of);
    std::string argument;
    try {
        conv_forward<float>(device, of.problem, of.operands, epilogue::none{}, of.options);
    } catch (const error& e) {
        argument = e.argument();
        INFO(e.what());
        CHECK(std::string(e.what()).find(word) != std::string::npos);
        for (const float v : of.y) CHECK(test::is_poison(v));
    }
    return argument;
}

template <class Device>
void check_refusals(Device& device) {
    CHECK(refused(device, [](call&) {}) == "");
    CHECK(refused(device, [](call& c) { c.problem.channels = -1; }, "at least 0") == "channels");
    CHECK(refused(device, [](call& c) { c.problem.filters = -1; }) == "filters");
    CHECK(refused(device, [](call& c) { c.problem.batch = -1; }) == "batch");
    CHECK(refused(device, [](call& c) { c.problem.groups = 3; }, "divide channels, 8") == "groups");
    CHECK(refused(
              device, [](call& c) { c.problem.groups = 8, c.problem.filters = 12; }, "divide filters, 12") ==
          "groups");
    CHECK(refused(device, [](call& c) { c.problem.stride.w = 0; }, "at least 1") == "stride.w");
    CHECK(refused(device, [](call& c) { c.problem.dilation.h = 0; }) == "dilation.h");
    CHECK(refused(device, [](call& c) { c.problem.pad.d = -1; }) == "pad.d");
    CHECK(refused(device, [](call& c) { c.problem.dilation.w = 3; }, "reaches over 7 pixels") == "filter.w");
    CHECK(refused(
              device, [](call& c) { c.problem.input.w = 1 << 30, c.problem.input.h = 1 << 30; }, "2^31") ==
          "batch");
    CHECK(refused(device, [](call& c) { c.operands.x = nullptr; }, "it is read") == "x");
    CHECK(refused(device, [](call& c) { c.operands.y = nullptr; }, "needs memory") == "y");
    CHECK(refused(device, [](call& c) { c.problem.beta = 1; }, "beta") == "c");
    CHECK(refused(device, [](call& c) { c.operands.x = c.y.data() + 7; }, "operand") == "y");
    CHECK(refused(
              device, [](call& c) { c.problem.beta = 1, c.operands.c = c.y.data() + 1; }, "overlapping c") ==
          "y");
    CHECK(refused(device, [](call& c) { c.options.split_k = -1; }, "4096") == "split_k");
    CHECK(refused(device, [](call& c) { c.operands.x_zero = 1; }, "those of i8") == "x_zero");
    const i32 zero = 0;
    CHECK(refused(device, [&](call& c) { c.operands.w_zero = &zero; }, "those of i8") == "w_zero");
    CHECK(refused(device, [](call& c) { c.problem.batch = 0; }) == "");
    CHECK(refused(device, [](call& c) { c.problem.filters = 0; }) == "");
    CHECK(refused(
              device,
              [](call& c) {
                  c.problem.layout = conv_layout::channels_first;
                  c.options.workspace = c.c.data(), c.options.workspace_bytes = 64;
              },
              "copies with channels last") == "workspace_bytes");
}

/// What direct does not take is refused by its name; an algorithm that is none, too.
template <class Device>
void check_algorithms(Device& device) {
    const auto direct = [](call& c) { c.options.algorithm = conv_algorithm::direct; };
    CHECK(refused(device, direct, "as many groups as channels") == "algorithm");
    CHECK(refused(device, [](call& c) { c.options.algorithm = conv_algorithm(9); }, "direct") == "algorithm");
    CHECK(refused(device, [&](call& c) { direct(c), c.problem.groups = 8; }) == "");
    // Automatic takes what fits; parts that are asked for do not.
    const auto weights = [&](int split_k) {
        std::vector<float> x(3200, 1), dw(72, test::poison<float>()), given(16);
        const conv_problem p{
            .batch = 16, .channels = 8, .filters = 8, .input = {1, 5, 5}, .filter = {1, 3, 3}, .groups = 8};
        return conv_backward_weights<float>(device, p, {.x = x.data(), .dy = x.data(), .dw = dw.data()}, {},
                                            {.split_k = split_k,
                                             .workspace = given.data(),
                                             .workspace_bytes = given.size() * sizeof(float)})
            .chosen;
    };
    CHECK(weights(0).find("shared") == std::string::npos);
    CHECK(weights(0).find("direct") != std::string::npos);
    CHECK_THROWS_AS(weights(2), error);
}

/// The gradient of the bias: its own refusals, by which neither result is written; what its workspace must
/// hold; and what no pixels, and no channels, leave of it.
template <class Device>
void check_bias_gradient(Device& device) {
    std::vector<float> memory(1 << 16, 1);
    const float* const dy = memory.data();
    const float* const x = dy + (1 << 14);
    float *const dw = memory.data() + (1 << 15), *const db = dw + (1 << 14);
    const auto refused = [&](conv_problem p, conv_weights_operands<float> o, const char* word = "",
                             const conv_options& options = {}) -> std::string {
        dw[0] = db[0] = -77;
        try {
            conv_backward_weights<float>(device, p, o, {}, options);
        } catch (const error& e) {
            INFO(e.what());
            CHECK(std::string(e.what()).find(word) != std::string::npos);
            CHECK(dw[0] == -77);
            CHECK(db[0] == -77);
            return e.argument();
        }
        return "";
    };
    conv_problem p{.channels = 8, .filters = 8, .input = {1, 20, 20}, .filter = {1, 3, 3}};
    const conv_weights_operands<float> o{.x = x, .dy = dy, .dw = dw, .db = db};
    CHECK(refused(p, o) == "");
    CHECK(db[7] == 18 * 18);
    CHECK(refused(p, {.x = x, .dy = dy, .dw = dw, .db = dw + 571}, "overlapping dw") == "db");
    CHECK(refused(p, {.x = x, .dy = dy, .dw = dw, .db = memory.data() + 2591}, "overlapping dy") == "db");
    CHECK(refused(p, {.x = x, .dy = dy, .dw = dw, .db = memory.data() + (1 << 14) + 8}, "overlapping x") ==
          "db");
    CHECK(refused(p, {.x = x, .dw = dw, .db = db}, "it is read") == "dy");
    CHECK(refused(p, {.x = x, .dy = dy, .db = db}, "needs memory") == "dw");
    p.beta = 1;
    CHECK(refused(p, {.x = x, .dy = dy, .c = db - 4, .dw = dw, .db = db}, "overlapping c") == "db");
    p.beta = 0, p.batch = 4;
    const conv_options one{.split_k = 1};
    const auto plan = plan_conv_backward_weights<float>(device, p, o, {}, one);
    CHECK(plan.report.why.find("dy is read again for db, by columns in ") != std::string::npos);
    std::vector<std::byte> workspace(plan.workspace_bytes);
    const auto with = [&](std::size_t bytes) {
        return conv_options{.split_k = 1, .workspace = workspace.data(), .workspace_bytes = bytes};
    };
    CHECK(refused(p, o, "", with(workspace.size())) == "");
    if (!workspace.empty())
        CHECK(refused(p, o, "sharing the pixels of dy for db needs", with(workspace.size() - 1)) ==
              "workspace_bytes");
    p.batch = 0;
    CHECK(refused(p, o) == "");
    for (int f = 0; f < 8; ++f) CHECK(db[f] == 0);
    p.batch = 1, p.channels = 0;
    CHECK(refused(p, {.dy = dy, .db = db}) == "");
    CHECK(db[0] == 18 * 18);
    p.channels = 8, p.filters = 0;
    CHECK(refused(p, o) == "");
    CHECK(db[0] == -77);
}

/// Sums of no terms, in either order: the epilogue sees zeros.
template <class Device>
void check_no_channels(Device& device) {
    for (const auto layout : {conv_layout::channels_last, conv_layout::channels_first}) {
        call of;
        of.problem.channels = 0, of.problem.layout = layout, of.operands.x = nullptr, of.operands.w = nullptr;
        const float bias[] = {1, 2, 3, 4, 5, 6, 7, 8};
        conv_forward<float>(device, of.problem, of.operands, fade::bias(bias));
        const int pixels = 9;
        for (int i = 0; i < pixels * 8; ++i)
            CHECK(of.y[std::size_t(i)] == bias[layout == conv_layout::channels_last ? i % 8 : i / pixels]);
        CHECK(test::is_poison(of.y[pixels * 8]));
    }
}

}  // namespace

TEST_CASE("convolutions on the host refuse what cannot be") {
    host_device device(1);
    check_refusals(device);
    check_no_channels(device);
    check_algorithms(device);
    check_bias_gradient(device);
}

TEST_CASE("types without a bias's gradient refuse it, and run without") {
    host_device device(1);
    const std::vector<double> x(25, 1), dy(9, 1);
    std::vector<double> dw(9, -77), db(1, -77);
    const conv_problem p{.channels = 1, .filters = 1, .input = {1, 5, 5}, .filter = {1, 3, 3}};
    const conv_weights_operands<double> o{.x = x.data(), .dy = dy.data(), .dw = dw.data(), .db = db.data()};
    CHECK_THROWS_WITH_AS(conv_backward_weights<double>(device, p, o), doctest::Contains("f64 to f64"), error);
    CHECK(dw[0] == -77);
    conv_backward_weights<double>(device, p, {.x = x.data(), .dy = dy.data(), .dw = dw.data()});
    CHECK(dw[0] == 9);
}

TEST_CASE("convolutions on GPUs refuse what cannot be") {
    emulated_device<arch::gfx1100> device({.threads = 1});
    check_refusals(device);
    check_no_channels(device);
    check_algorithms(device);
    check_bias_gradient(device);
    const auto wide = [](call& c) {
        c.problem.input = {1, 40, 40}, c.problem.filter = {1, 16, 16}, c.problem.channels = 1;
        c.options.algorithm = conv_algorithm::implicit_gemm;
    };
    CHECK(refused(device, wide, "at most 31") == "filter");
    const auto strict = [](call& c) {
        c.operands.x = c.x.data() + 1, c.options.strict = true;  // no multiple of 16 bytes
        c.options.algorithm = conv_algorithm::implicit_gemm;
    };
    CHECK(refused(device, strict, "fallback") == "strict");
}

TEST_CASE("strides of more parts than can be launched are refused at once") {
    emulated_device<arch::gfx1100> device({.threads = 1});
    const auto* const at = reinterpret_cast<const float*>(std::uintptr_t(1) << 30);
    auto* const to = reinterpret_cast<float*>(std::uintptr_t(1) << 40);
    const auto plan = [&](const conv_problem& p) {
        return plan_conv_backward_data<float>(device, p, {.dy = at, .w = at, .dx = to});
    };
    conv_problem p{.channels = 3, .filters = 3, .input = {1, 9, 9}, .filter = {1, 5, 5}};
    const std::clock_t begin = std::clock();
    p.stride = {1, 1 << 30, 1};
    CHECK_THROWS_WITH_AS(plan(p), doctest::Contains("strides in backward data, are at most 65535"), error);
    p.stride = {1, 1, 65536};
    CHECK_THROWS_WITH_AS(plan(p), doctest::Contains("strides in backward data, are at most 65535"), error);
    for (const int stride : {1 << 16, 1 << 30, (1 << 16) + 1}) {  // as 32 bits, 0, 0 and 2^17 + 1
        p.stride = {1, stride, stride};
        CHECK_THROWS_WITH_AS(plan(p), doctest::Contains("strides in backward data is at most 65535"), error);
    }
    CHECK(std::clock() - begin < CLOCKS_PER_SEC);
    p.stride = {1, 65535, 1};
    CHECK(plan(p).report.chosen != "");
}

TEST_CASE("filters of no channels have fewer than 2^31 taps, too") {
    constexpr int many = 1 << 16;
    conv_problem p{.channels = 0,
                   .filters = 1,
                   .input = {1, 1, 1},
                   .filter = {1, many, many / 2},
                   .pad = {0, many - 1, many / 2 - 1},
                   .pad_end = {0, 0, 0}};
    CHECK_THROWS_WITH_AS(kernel::checked(p), doctest::Contains("fewer than 2^31 elements"), error);
    p.filter.w = many / 2 - 1, p.pad.w = many / 2 - 2;
    CHECK_NOTHROW(kernel::checked(p));
}

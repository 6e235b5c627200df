// Memory of stages that is missing or too short, and rows and batches of it that cannot be.
#include "common/stages.hpp"
#include "common/refusal.hpp"
#include <array>
#include <span>

using namespace fade;

namespace {

/// D of 4 x 6 in a batch of 2, whose other memory is in order.
const auto small = [](auto& call) { call.problem.m = 4, call.problem.n = 6, call.problem.batch = 2; };

/// By a call, whose kernels cost the compiler a second each.
template <class Device, class Epilogue>
test::refusal said(const Epilogue& epilogue) {
    Device device({1});
    return test::refusal_of<float, only(operand_access::nn, operand_access::strided)>(device, small,
                                                                                      epilogue);
}
template <class Epilogue>
void call_refuses(const Epilogue& epilogue, const char* argument, const char* value, const char* words) {
    test::check_refusal(said<host_device>(epilogue), argument, value, words);
    test::check_refusal(said<emulated_device<arch::gfx1100>>(epilogue), argument, value, words);
}

/// By what a call asks first: empty where nothing is refused.
template <class Epilogue>
test::refusal bound(Epilogue epilogue) {
    try {
        epilogue::bind(epilogue, {4, 6, 2});
    } catch (const error& e) {
        return {e.argument(), e.value(), e.rule(), e.what()};
    }
    return {};
}
template <class Epilogue>
void refuses(const Epilogue& epilogue, const char* argument, const char* value, const char* words) {
    test::check_refusal(bound(epilogue), argument, value, words);
}
template <class Epilogue>
void takes(const Epilogue& epilogue) {
    CHECK(bound(epilogue).sentence == "");
}

const float* const none = nullptr;
const std::vector<float> numbers(100);

/// Calls f with each stage that reads a matrix; its own arguments are what `f` is called with.
template <class F>
void each_matrix_stage(F f) {
    f("residual", [](auto&&... x) { return residual(x...); });
    f("mul", [](auto&&... x) { return mul(x...); });
    f("drelu", [](auto&&... x) { return drelu(x...); });
    f("dgelu", [](auto&&... x) { return dgelu(x...); });
    f("dsilu", [](auto&&... x) { return dsilu(x...); });
}

any_chain<float> chosen(stage_kind kind, const float* values, fade::index ld = 0, fade::index stride = -1) {
    return any_chain<float>().push(kind, values, ld, stride);
}

}  // namespace

TEST_CASE("missing memory is named") {
    refuses(bias(none), "bias", "null", "it reads one value for each of the 6 columns of D");
    refuses(bias_col(none), "bias_col", "null", "it reads one value for each of the 4 rows of D");
    call_refuses(bias(none), "bias", "null", "it reads one value for each of the 6 columns of D");
    call_refuses(relu() | bias(numbers.data()) | bias(none), "bias", "null", "6 columns");
    each_matrix_stage([](const char* name, auto stage) {
        refuses(stage(none), name, "null", "the matrices of D's shape that it reads span 48 values");
        refuses(stage(none, 7, 0), name, "null", "span 27 values");
    });
    call_refuses(chosen(stage_kind::aux, none), "aux", "null", "span 48 values");
    for (int k = 0; k < test::stage_kinds; ++k) {
        const auto kind = stage_kind(k);
        if (test::reads_memory(kind))
            call_refuses(chosen(kind, none), name(kind), "null", "it reads");
        else
            takes(chosen(kind, none));
    }
}

TEST_CASE("memory that says its length is long enough") {
    const float* const at = numbers.data();
    refuses(bias(at, 5), "bias", "5 values long", "6 columns");
    refuses(bias(at, 1), "bias", "1 value long", "6 columns");
    refuses(bias(at, 0), "bias", "0 values long", "6 columns");
    refuses(bias(at, -2), "bias", "-2 values long", "6 columns");
    refuses(bias_col(at, 3), "bias_col", "3 values long", "4 rows");
    refuses(bias(std::span(at, 5)), "bias", "5 values long", "6 columns");
    const std::vector<float> five(5);
    refuses(bias(five), "bias", "5 values long", "6 columns");
    const std::array<float, 3> three{};
    refuses(bias_col(three), "bias_col", "3 values long", "4 rows");
    takes(bias(at, 6) | bias(numbers) | bias_col(std::span(at, 4)) | bias_col(at, 4) | bias(five.data(), -1));
    each_matrix_stage([&](const char* name, auto stage) {
        const std::span rows(at, 47), all(at, 48);
        refuses(stage(rows), name, "47 values long", "span 48 values");
        refuses(stage(rows, 6, 24), name, "47 values long", "span 48 values");
        refuses(stage(std::span(at, 26), 7, 0), name, "26 values long", "span 27 values");
        refuses(stage(std::span(at, 60), 7, 34), name, "60 values long", "span 61 values");
        takes(stage(all) | stage(std::span(at, 27), 7, 0) | stage(std::span(at, 61), 7, 34) | stage(numbers));
    });
    any_chain<float> chain;
    chain.push(stage_kind::relu).push(stage_kind::bias, five);
    call_refuses(chain, "bias", "5 values long", "6 columns");
    call_refuses(any_chain<float>().push(stage_kind::mul, std::span(at, 47)), "mul", "47 values long",
                 "48 values");
    takes(any_chain<float>().push(stage_kind::mul, std::span(at, 48)).push(stage_kind::bias, numbers));
}

TEST_CASE("rows and batches of matrices that stages read") {
    const float* const at = numbers.data();
    each_matrix_stage([&](const std::string& name, auto stage) {
        refuses(stage(at, 5), ("ld of " + name).c_str(), "5", "a row of D has 6 elements");
        refuses(stage(at, -6), ("ld of " + name).c_str(), "-6", "a row of D has 6 elements");
        refuses(stage(at, (fade::index(1) << 40) + 1), ("ld of " + name).c_str(), "1099511627777", "2^40");
        refuses(stage(at, 6, -2), ("batch_stride of " + name).c_str(), "-2", "-1 for packed ones");
        refuses(stage(at, 6, INT64_MAX), ("batch_stride of " + name).c_str(), "9223372036854775807", "2^59");
    });
    call_refuses(chosen(stage_kind::residual, at, 5), "ld of residual", "5", "a row of D has 6 elements");
    call_refuses(chosen(stage_kind::mul, at, 6, -7), "batch_stride of mul", "-7", "-1 for packed ones");
}

TEST_CASE("an empty D reads nothing") {
    host_device cpu(1);
    for (fade::index gemm_problem::* size : {&gemm_problem::m, &gemm_problem::n, &gemm_problem::batch})
        CHECK(test::refusal_of<float>(
                  cpu, [&](auto& call) { call.problem.*size = 0; }, bias(none) | residual(none, 1))
                  .sentence == "");
}

TEST_CASE("what stages read of a batch: packed, repeated, or apart") {
    host_device cpu(1);
    std::vector<float> from(200);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = float(i);
    const auto check = [&](const auto& stage, fade::index ld, fade::index stride) {
        test::small_call<float> call;
        small(call), call.problem.k = 0;
        gemm<float>(cpu, call.problem, call.operands, stage);
        for (fade::index e = 0; e < 2 * 4 * 6; ++e)
            CHECK(call.d[std::size_t(e)] == float(e / 24 * stride + e % 24 / 6 * ld + e % 6));
    };
    const float* const at = from.data();
    check(residual(at), 6, 24), check(residual(at, 6), 6, 24), check(residual(at, 9), 9, 36);
    check(residual(from, 7, -1), 7, 28), check(residual(at, 6, 0), 6, 0), check(residual(at, 9, 50), 9, 50);
    check(any_chain<float>().push(stage_kind::residual, at), 6, 24);
    check(any_chain<float>().push(stage_kind::residual, at, 7, 0), 7, 0);
    check(any_chain<float>().push(stage_kind::residual, from, 7), 7, 28);
}

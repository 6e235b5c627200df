// Sizes, leading dimensions and strides that cannot be.
#include "common/refusal.hpp"
#include <cstdint>

using namespace fade;

namespace {

/// One field of the problem set to a value.
struct field {
    const char* name;
    fade::index gemm_problem::* at;
};
const field sizes[] = {{"m", &gemm_problem::m}, {"n", &gemm_problem::n}, {"k", &gemm_problem::k}};
const field leading[] = {{"lda", &gemm_problem::lda},
                         {"ldb", &gemm_problem::ldb},
                         {"ldc", &gemm_problem::ldc},
                         {"ldd", &gemm_problem::ldd}};
const field strides[] = {{"stride_a", &gemm_problem::stride_a},
                         {"stride_b", &gemm_problem::stride_b},
                         {"stride_c", &gemm_problem::stride_c},
                         {"stride_d", &gemm_problem::stride_d}};

void refuses(const field& f, fade::index value, const std::string& words, fade::index batch = 1) {
    host_device cpu(1);
    const auto r = test::refusal_of<float>(
        cpu, [&](auto& call) { call.problem.batch = batch, call.problem.*f.at = value; });
    INFO(f.name, " = ", value);
    test::check_refusal(r, f.name, std::to_string(value), words);
}

}  // namespace

TEST_CASE("sizes are between 0 and 2^31 - 1") {
    for (const auto& f : sizes)
        for (const fade::index value :
             {fade::index(-1), fade::index(INT64_MIN), fade::index(1) << 31, fade::index(INT64_MAX)})
            refuses(f, value, "between 0 and 2^31 - 1");
}

TEST_CASE("batches are between 0 and 65535") {
    for (const fade::index value :
         {fade::index(-1), fade::index(65536), fade::index(INT64_MIN), fade::index(INT64_MAX)})
        refuses({"batch", &gemm_problem::batch}, value, "between 0 and 65535");
}

TEST_CASE("a leading dimension spans its row") {
    for (const auto& f : leading) {
        refuses(f, 7, "8 elements");
        refuses(f, -8, "8 elements");
        refuses(f, INT64_MIN, "8 elements");
        refuses(f, (fade::index(1) << 40) + 1, "2^40");
        refuses(f, INT64_MAX, "2^40");
    }
}

TEST_CASE("rows of transposed operands run the other way") {
    host_device cpu(1);
    auto tall = [](gemm_layout l, fade::index lda, fade::index ldb) {
        return
            [=](auto& call) { call.problem = {.m = 5, .n = 6, .k = 9, .layout = l, .lda = lda, .ldb = ldb}; };
    };
    test::check_refusal(test::refusal_of<float>(cpu, tall(gemm_layout::nn, 8, 0)), "lda", "8", "9 elements");
    test::check_refusal(test::refusal_of<float>(cpu, tall(gemm_layout::tn, 4, 0)), "lda", "4", "5 elements");
    test::check_refusal(test::refusal_of<float>(cpu, tall(gemm_layout::nn, 0, 5)), "ldb", "5", "6 elements");
    test::check_refusal(test::refusal_of<float>(cpu, tall(gemm_layout::nt, 0, 8)), "ldb", "8", "9 elements");
    CHECK(test::refusal_of<float>(cpu, tall(gemm_layout::tt, 5, 9)).sentence == "");
}

TEST_CASE("strides are -1, 0 or positive, and the matrices of D do not overlap") {
    for (const auto& f : strides)
        for (const fade::index value : {fade::index(-2), fade::index(INT64_MIN)})
            refuses(f, value, "it must be positive, 0 to repeat one matrix, or -1 for packed matrices", 2);
    refuses(strides[3], 0, "each product of a batch needs a D of its own", 2);
    refuses(strides[3], 63, "may not overlap", 2);
    refuses(strides[3], 1, "may not overlap", 3);
}

TEST_CASE("a stride of 0 repeats a matrix, whichever operand it is") {
    for (int i = 0; i < 3; ++i) {
        test::small_call<float> call;
        call.problem.batch = 3, call.problem.beta = 1, call.problem.ldd = 8;
        call.problem.*strides[i].at = 0;
        fade::index* const ld[] = {&call.problem.lda, &call.problem.ldb, &call.problem.ldc};
        *ld[i] = 100;  // the matrix ends where its 8 rows do
        std::vector<float>* const from[] = {&call.a, &call.b, &call.c};
        from[i]->assign(708, 2), from[i]->shrink_to_fit();  // what lies behind is not the test's
        (i == 0 ? call.operands.a : i == 1 ? call.operands.b : call.operands.c) = from[i]->data();
        host_device cpu(1);
        gemm<float>(cpu, call.problem, call.operands);
        for (std::size_t e = 0; e < 3 * 64; ++e) CHECK(call.d[e] == (i == 2 ? 10 : 17));
    }
}

TEST_CASE("spans beyond 2^63 bytes are refused, whatever overflows on the way") {
    host_device cpu(1);
    constexpr fade::index max = (fade::index(1) << 31) - 1, wide = fade::index(1) << 40;
    auto huge = [](gemm_problem p) { return [=](auto& call) { call.problem = p; }; };
    const auto a = test::refusal_of<float>(cpu, huge({.m = max, .n = 1, .k = 1, .lda = wide}));
    test::check_refusal(a, "a", std::to_string(max), "2^63");
    const auto b = test::refusal_of<float>(cpu, huge({.m = 1, .n = 1, .k = max, .ldb = wide}));
    test::check_refusal(b, "b", std::to_string(max), "2^63");
    const auto d = test::refusal_of<float>(cpu, huge({.m = max, .n = 1, .k = 1, .ldd = wide}));
    test::check_refusal(d, "d", std::to_string(max), "2^63");
    const auto far =
        test::refusal_of<float>(cpu, huge({.m = 8, .n = 8, .k = 8, .batch = 65535, .stride_d = INT64_MAX}));
    test::check_refusal(far, "d", "8", "2^63");
    const auto batches = test::refusal_of<float>(cpu, huge({.m = max, .n = max, .k = 1, .batch = 65535}));
    CHECK(batches.sentence.find("2^63") != std::string::npos);
}

TEST_CASE("packed batches too far apart to count are refused") {
    host_device cpu(1);
    const auto r = test::refusal_of<float>(cpu, [](auto& call) {
        call.problem = {
            .m = (fade::index(1) << 31) - 1, .n = 1, .k = 1, .batch = 2, .lda = fade::index(1) << 40};
    });
    test::check_refusal(r, "lda", std::to_string(fade::index(1) << 40), "2^63");
    const auto d = test::refusal_of<float>(cpu, [](auto& call) {
        call.problem = {.m = (fade::index(1) << 31) - 1,
                        .n = 1,
                        .k = 1,
                        .batch = 2,
                        .ldd = fade::index(1) << 40,
                        .stride_d = 5};
    });
    test::check_refusal(d, "stride_d", "5", "may not overlap");
}

TEST_CASE("integer products are scaled by whole numbers") {
    for (const double value : {0.5, 1e30, -1e30, std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity()}) {
        CHECK_THROWS_AS(kernel::check_scalars<i32>({.alpha = value}), error);
        CHECK_THROWS_AS(kernel::check_scalars<i32>({.beta = value}), error);
        CHECK_NOTHROW(kernel::check_scalars<float>({.alpha = value, .beta = value}));
    }
    CHECK_NOTHROW(kernel::check_scalars<i32>({.alpha = -3, .beta = 2147483647}));
}

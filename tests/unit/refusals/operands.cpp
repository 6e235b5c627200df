// Pointers that are missing, and results that lie in operands.
#include "common/refusal.hpp"

using namespace fade;

namespace {

template <class Spoil>
test::refusal said(Spoil spoil) {
    host_device cpu(1);
    return test::refusal_of<float>(cpu, spoil);
}

}  // namespace

TEST_CASE("memory that is read or written exists") {
    test::check_refusal(said([](auto& call) { call.operands.a = nullptr; }), "a", "null", "read");
    test::check_refusal(said([](auto& call) { call.operands.b = nullptr; }), "b", "null", "read");
    test::check_refusal(said([](auto& call) { call.operands.d = nullptr; }), "d", "null", "memory");
    test::check_refusal(said([](auto& call) { call.operands.c = nullptr, call.problem.beta = 1; }), "c",
                        "null", "read");
}

TEST_CASE("memory that is not touched may be missing") {
    CHECK(said([](auto& call) { call.operands.c = nullptr; }).sentence == "");
    CHECK(said([](auto& call) {
              call.operands.a = call.operands.b = nullptr, call.problem.k = 0;
          }).sentence == "");
    for (fade::index gemm_problem::* size : {&gemm_problem::m, &gemm_problem::n, &gemm_problem::batch}) {
        const auto empty = said([&](auto& call) { call.operands = {}, call.problem.*size = 0; });
        CHECK(empty.sentence == "");
        CHECK(!empty.wrote);
        const auto repeated = said([&](auto& call) {
            call.operands = {}, call.problem.batch = 2, call.problem.stride_d = 0, call.problem.*size = 0;
        });
        CHECK(repeated.sentence == "");  // no product needs a D of its own
    }
}

TEST_CASE("with alpha = 0 the operands are not read") {
    test::small_call<float> call;
    host_device cpu(1);
    call.problem.alpha = 0, call.operands.a = call.operands.b = nullptr;
    gemm(cpu, call.problem, call.operands);
    for (int i = 0; i < 64; ++i) CHECK(call.d[std::size_t(i)] == 0);
}

TEST_CASE("the result lies in no operand") {
    test::check_refusal(said([](auto& call) { call.operands.a = call.d.data(); }), "d", "overlapping a",
                        "operand");
    test::check_refusal(said([](auto& call) { call.operands.b = call.d.data() + 63; }), "d", "overlapping b",
                        "operand");
    CHECK(said([](auto& call) {
              call.operands.b = call.d.data() + 64;
              call.operands.a = call.d.data() + 128;
          }).sentence == "");
    CHECK(said([](auto& call) {  // rows without elements lie nowhere
              call.problem.k = 0, call.problem.lda = 8, call.operands.a = call.d.data();
          })
              .sentence == "");
}

TEST_CASE("the result is C itself, or lies elsewhere") {
    const auto in = [](auto spoil) {
        return said([&](auto& call) { call.problem.beta = 1, call.operands.c = call.d.data(), spoil(call); });
    };
    test::check_refusal(in([](auto& call) { call.operands.c += 1; }), "d", "overlapping c", "itself");
    test::check_refusal(in([](auto& call) { call.problem.ldc = 9, call.problem.ldd = 8; }), "d",
                        "overlapping c", "itself");
    test::check_refusal(in([](auto& call) {
                            call.problem.batch = 2, call.problem.stride_c = 100, call.problem.stride_d = 64;
                        }),
                        "d", "overlapping c", "itself");
    CHECK(in([](auto&) {}).sentence == "");
    CHECK(in([](auto& call) { call.problem.beta = 0, call.operands.c += 1; }).sentence == "");
}

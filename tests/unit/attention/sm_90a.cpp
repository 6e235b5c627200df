// Four waves share a matrix unit that reads shared memory itself: rings of asynchronous copies, products that
// run beside the softmax.
#include "common/attention_suite.hpp"
#include "common/late_tables.hpp"
#include "common/some_kernels.hpp"

using namespace fade;

TEST_CASE("attention on sm_90a") {
    test::some_kernels<arch::sm_90a, test::attention_kernels{64, 128}> device;
    test::attention_suite<bf16>(device, 128, 10);
}

TEST_CASE("tables are read when the kernel before has written them") {
    test::some_kernels<arch::sm_90a, test::attention_kernels{64, 128}> device({.threads = 1});
    for (const fade::index head_dim : {64, 128})
        for (const int splits : {1, 2})
            for (const test::attention_case& c : test::cases_of_tables(head_dim))
                test::must_be_right(c, test::wrong_with_late_tables<bf16>(device, c, splits));
}

TEST_CASE("attention of wide heads on sm_90a takes two groups of waves") {
    test::some_kernels<arch::sm_90a, test::attention_kernels{64, 256}> device;
    test::attention_suite<f16>(device, 256, 4);
}

TEST_CASE("hardware copies boxes of sequences of one length whose strides go forward, or of copies") {
    test::some_kernels<arch::sm_90a, test::attention_kernels{64, 128}> device;
    const attention_problem packed{
        .batch = 2, .heads = 4, .kv_heads = 4, .seq_q = 300, .seq_k = 300, .head_dim = 64};
    const auto at = [](std::uintptr_t where) { return reinterpret_cast<f16*>(where); };  // never followed
    const int* const lengths = reinterpret_cast<const int*>(std::uintptr_t(1) << 44);
    const attention_operands<f16, f16> usual{
        .q = at(1 << 20), .k = at(1 << 21), .v = at(1 << 22), .o = at(1 << 23)};
    const auto maps = [&](const attention_problem& p, const attention_operands<f16, f16>& o) {
        return plan_attention<f16, f16>(device, p, o).variant == tune::attention_variant::tma;
    };
    CHECK(maps(packed, usual));
    for (attention_strides attention_problem::* tensor :
         {&attention_problem::q_strides, &attention_problem::k_strides, &attention_problem::v_strides})
        for (const attention_strides& strides :
             {attention_strides{0, 256, 64}, attention_strides{76800, 0, 64},
              attention_strides{76800, 256, 0}}) {
            attention_problem p = packed;
            p.*tensor = strides;
            CHECK(!maps(p, usual));
        }
    auto beside = usual;
    beside.q = at((1 << 20) + 2);  // in no aligned runs, so a copy is read
    attention_problem repeated = packed;
    repeated.q_strides = {76800, 256, 0};
    CHECK(maps(repeated, beside));
    auto of_lengths = usual;
    of_lengths.lengths_q = lengths;
    CHECK(!maps(packed, of_lengths));
    of_lengths.lengths_q = nullptr, of_lengths.lengths_k = lengths;
    CHECK(!maps(packed, of_lengths));
}

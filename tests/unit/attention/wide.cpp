// Heads too wide for the shared memory of a workgroup, which the decoding kernel takes a span of their
// dimensions at a time.
#include "common/attention_suite.hpp"
#include "common/some_kernels.hpp"

using namespace fade;
using test::attention_case, test::attention_data;

namespace {

/// No head is narrower than 129, and only the decoding kernel takes such.
template <class Arch>
using some_kernels = test::some_kernels<Arch, test::attention_kernels{256, 512, false, false, true}>;

/// Of `min_dim` to 512 dimensions, now those of queries and keys, now those of values.
attention_case draw_wide(int min_dim) {
    attention_case c = test::draw_attention(128, *rc::gen::arbitrary<bool>());
    attention_problem& p = c.problem;
    const fade::index wide =
        *rc::gen::oneOf(rc::gen::inRange<fade::index>(min_dim, 513), rc::gen::just<fade::index>(512));
    const int which = *rc::gen::inRange(0, 3);
    if (which == 1) p.head_dim_v = p.head_dim;
    if (which == 2)
        p.head_dim_v = wide;
    else
        p.head_dim = wide;
    if (c.lengths_q.empty()) p.seq_q = *rc::gen::inRange(1, 150);
    if (c.lengths_k.empty()) p.seq_k = *rc::gen::inRange(0, 100);
    return c;
}

template <class T, class Device>
void wide_heads_are_right(Device& device, int min_dim, int times) {
    test::holds(device.name() + " wide heads of " + name(dtype_v<T>), times, [&] {
        const attention_case c = draw_wide(min_dim);
        attention_data<T, float> x(c);
        const report r =
            attention<T, float>(device, x.problem, x.operands(), {.split_kv = *rc::gen::element(0, 1, 2, 3)});
        const bool said =
            x.problem.seq_q == 0 || r.why.find("dimensions at a time, which is slow") != r.why.npos;
        test::must_be_right(c, test::wrong_with(x) +
                                   (said ? "" : " the report does not say that it is slow: " + r.why));
    });
}

}  // namespace

TEST_CASE("wide heads on gfx942") {
    some_kernels<arch::gfx942> device;
    wide_heads_are_right<f16>(device, 257, 10);
    wide_heads_are_right<float>(device, 129, 10);
}
TEST_CASE("wide heads on gfx1030") {
    some_kernels<arch::gfx1030> device;
    wide_heads_are_right<f16>(device, 257, 6);
    wide_heads_are_right<bf16>(device, 129, 6);
}
TEST_CASE("wide heads on gfx906") {
    some_kernels<arch::gfx906> device;
    wide_heads_are_right<float>(device, 129, 6);
}
TEST_CASE("wide heads on gfx1100") {
    some_kernels<arch::gfx1100> device;
    wide_heads_are_right<bf16>(device, 257, 6);
}
TEST_CASE("wide heads on gfx1201") {
    some_kernels<arch::gfx1201> device;
    wide_heads_are_right<f8e4m3>(device, 257, 6);
}
TEST_CASE("wide heads on sm_80") {
    some_kernels<arch::sm_80> device;
    wide_heads_are_right<f16>(device, 257, 6);
}

TEST_CASE("a NaN behind the last dimension of a wide head reaches nothing") {
    some_kernels<arch::gfx942> device;
    attention_case c{.problem = {.heads = 2, .kv_heads = 1, .seq_q = 20, .seq_k = 50, .head_dim = 264},
                     .padding = 24,
                     .seed = 9};  // the last span is partial, and poison follows each position
    attention_data<f16, float> x(c);
    const report r = attention<f16, float>(device, x.problem, x.operands());
    CHECK(!r.fallback);
    CHECK(test::wrong_with(x) == "");
}

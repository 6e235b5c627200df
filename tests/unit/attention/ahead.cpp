// Many keys: the scores of a tile are computed beside the softmax of the tile before, up to the last tiles,
// which a walk ahead leaves to single steps; on MFMA maxima are those of the first tile where no weight is
// too large for them, on gfx11 and gfx12 they move only where a tile passes them by far.
#include "common/attention_front.hpp"
#include "common/attention_suite.hpp"
#include "common/some_kernels.hpp"

namespace {

/// No rules, and heads of up to 128 dimensions.
template <class Arch>
using some_kernels =
    fade::test::some_kernels<Arch, fade::test::attention_kernels{.min = 64, .max = 128, .general = false}>;

using namespace fade;

test::attention_case draw_many_keys() {
    test::attention_case c;
    attention_problem& p = c.problem;
    p.batch = 1, p.heads = 2, p.kv_heads = *rc::gen::element(1, 2);
    p.seq_q = *rc::gen::inRange(1, 140), p.seq_k = *rc::gen::inRange(190, 1200);
    p.head_dim = *rc::gen::element(64, 128, 48, 104);
    p.causal = *rc::gen::element(causal_kind::none, causal_kind::bottom_right);
    p.scale = *rc::gen::element(
        0.0, 0.5, 1.0,
        4.0);  // the larger, the fewer keys have all the weight, and the later and further maxima grow
    c.seed = *rc::gen::arbitrary<std::uint64_t>();
    return c;
}

/// Attention to the keys of `draw()` as `prepare(data)` leaves them is right in the eyes of `wrong(data)`.
template <class T, class Device, class Out = T, class Draw, class Prepare, class Wrong>
void holds(const char* what, int times, Draw draw, Prepare prepare, Wrong wrong) {
    Device device;
    test::holds(device.name() + " attention " + what + " in " + name(dtype_v<T>), times, [&] {
        const test::attention_case c = draw();
        test::attention_data<T, Out> x(c);
        prepare(x);
        attention<T, Out>(device, x.problem, x.operands(),
                          {.split_kv = *rc::gen::element(
                               0, 1)});  // 1: where idle units would have keys shared, the plain kernel walks
        test::must_be_right(c, wrong(x));
    });
}

/// Where scores are large before they are scaled, a scaling that is missing leaves weights that no type
/// holds, and the walk that then begins anew is right; hence small ones, too.
template <class T, class Device, class Out = T>
void many_keys() {
    const auto shrink = [](auto& x) { test::grow(x.q, *rc::gen::element(0, -4)); };
    holds<T, Device, Out>("to many keys", 12, draw_many_keys, shrink,
                          [](auto& x) { return test::wrong_with(x); });
}

/// Many more than the tiles that a walk ahead needs.
test::attention_case draw_most_keys() {
    test::attention_case c = draw_many_keys();
    c.problem.seq_k = *rc::gen::inRange(800, 1200);
    return c;
}

/// Weights above one, which sums and types hold, times values that f32 holds, but not their product.
template <class Device>
void large_values() {
    const auto draw = [] {
        test::attention_case c = draw_most_keys();
        c.problem.scale = 0.35;
        return c;
    };
    holds<fade::bf16, Device>(
        "to values near the largest", 4, draw, [](auto& x) { test::grow(x.v, 122); },
        [](auto& x) { return test::wrong_with(x); });
}

/// The first tile of keys has scores of minus infinity only, so that no weight of it tells how large others
/// are.
template <class Device>
void nothing_in_front() {
    holds<fade::f16, Device>(
        "behind keys that nobody sees", 4, draw_most_keys, [](auto& x) { test::forbid_first_keys(x, 150); },
        [](auto& x) { return test::wrong_without_first_keys(x, 150); });
}

}  // namespace

TEST_CASE("attention to large values on sm_90a") { large_values<some_kernels<fade::arch::sm_90a>>(); }
TEST_CASE("attention behind nothing on sm_90a") { nothing_in_front<some_kernels<fade::arch::sm_90a>>(); }
TEST_CASE("attention to many keys on sm_90a") { many_keys<fade::f16, some_kernels<fade::arch::sm_90a>>(); }
TEST_CASE("attention to large values on gfx942") { large_values<some_kernels<fade::arch::gfx942>>(); }
TEST_CASE("attention behind nothing on gfx942") { nothing_in_front<some_kernels<fade::arch::gfx942>>(); }
TEST_CASE("attention behind nothing on gfx950") { nothing_in_front<some_kernels<fade::arch::gfx950>>(); }
TEST_CASE("attention to large values on gfx950") { large_values<some_kernels<fade::arch::gfx950>>(); }
TEST_CASE("attention to many keys on gfx90a") { many_keys<fade::bf16, some_kernels<fade::arch::gfx90a>>(); }
TEST_CASE("attention to many keys on gfx942") { many_keys<fade::f16, some_kernels<fade::arch::gfx942>>(); }
TEST_CASE("attention to many keys on gfx950") { many_keys<fade::f16, some_kernels<fade::arch::gfx950>>(); }
TEST_CASE("attention to many 8-bit keys on gfx942") {
    many_keys<fade::f8e4m3fnuz, some_kernels<fade::arch::gfx942>, fade::f16>();
}
TEST_CASE("attention to many 8-bit keys on gfx1100") {
    many_keys<fade::f8e5m2, some_kernels<fade::arch::gfx1100>, fade::f16>();
}
TEST_CASE("attention to many keys on gfx1100") { many_keys<fade::f16, some_kernels<fade::arch::gfx1100>>(); }
TEST_CASE("attention to many keys on gfx1201") { many_keys<fade::bf16, some_kernels<fade::arch::gfx1201>>(); }

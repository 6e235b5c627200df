// Scores to the end of f32: the larger logit wins, and equal ones share. Inputs are small integers, whose
// products are exact, so that nothing but the softmax can be wrong.
#include "common/large_scores.hpp"
#include "common/attention_suite.hpp"
#include "common/each_isa.hpp"
#include "common/some_kernels.hpp"

using namespace fade;

namespace {

using test::attention_case, test::course;

template <class Arch>
using some_kernels = test::some_kernels<Arch, test::attention_kernels{64, 64}>;

struct large_case {
    attention_case of;
    course scores{};
    int splits = 0;
};
std::ostream& operator<<(std::ostream& to, const large_case& c) {
    return to << c.of << " course " << int(c.scores) << " splits " << c.splits;
}

/// Rules that add nothing to a score: what they would add is less than the roundings of a large one.
void add_rules(attention_case& c) {
    attention_problem& p = c.problem;
    const auto sometimes = [] { return *rc::gen::inRange(0, 3) == 0; };
    if (sometimes()) p.window_left = *rc::gen::inRange(0, 100);
    if (sometimes()) p.scale = -p.scale;
    if (sometimes()) p.dropout = 0.5, p.seed = *rc::gen::arbitrary<std::uint64_t>();
    c.sink = sometimes(), c.bias = sometimes();
}

large_case draw(bool ruled) {
    large_case c;
    attention_problem& p = c.of.problem;
    p.kv_heads = *rc::gen::inRange(1, 3), p.heads = p.kv_heads * *rc::gen::inRange(1, 3);
    p.head_dim = *rc::gen::element(8, 64);
    p.seq_q = *rc::gen::element(1, 7, 40, 130), p.seq_k = *rc::gen::inRange(1, 700);
    p.causal = *rc::gen::element(causal_kind::none, causal_kind::none, causal_kind::bottom_right);
    p.scale = *rc::gen::element(3e7, 1e9, 1e12, 1e20, 1e30, 1e36);
    c.of.seed = *rc::gen::arbitrary<std::uint64_t>();
    c.scores = *rc::gen::element(course::mixed, course::late, course::near_at_last);
    c.splits = *rc::gen::element(0, 0, 3);
    if (ruled) add_rules(c.of);
    return c;
}

template <class T, class Device>
void holds_on(Device& device, int times) {
    for (const bool ruled : {false, true})
        test::holds(
            device.name() + " large scores" + (ruled ? " with rules " : " ") + name(dtype_v<T>), times, [&] {
                const large_case c = draw(ruled);
                const int splits = std::is_same_v<Device, host_device> ? 0 : c.splits;
                test::must_be_right(c, test::wrong_with_large_scores<T>(device, c.of, c.scores, splits));
            });
}

template <class T, class Arch>
void holds_on_emulated(int times) {
    some_kernels<Arch> device;
    holds_on<T>(device, times);
}

attention_case draw_jumps() {
    attention_case c;
    attention_problem& p = c.problem;
    p.heads = p.kv_heads = 1, p.head_dim = *rc::gen::element(40, 64, 128);
    p.seq_q = *rc::gen::element(130, 190), p.seq_k = *rc::gen::inRange(100, 700);
    p.causal = *rc::gen::element(causal_kind::none, causal_kind::none, causal_kind::bottom_right);
    if (p.causal != causal_kind::none) p.seq_k += p.seq_q;
    p.scale = 0.5;
    c.seed = *rc::gen::arbitrary<std::uint64_t>();
    return c;
}

/// By the kernel without rules.
template <class T, class Device>
void jumps_hold(int times) {
    Device device;
    test::holds(device.name() + " scores that jump " + name(dtype_v<T>), times, [&] {
        const attention_case c = draw_jumps();
        test::must_be_right(c, test::wrong_with_jumps<T>(device, c));
    });
}
template <class T, class Arch>
void jumps_hold_on(int times) {
    jumps_hold<T, test::some_kernels<Arch, test::attention_kernels{64, 128, true, false, false}>>(times);
}

struct spread_case {
    attention_case of;
    test::spread spread;
};
std::ostream& operator<<(std::ostream& to, const spread_case& c) {
    return to << c.of << " scores " << name(c.spread);
}

/// By the kernel without rules, which keeps the maxima of the first tile while operands hold the weights.
template <class Arch>
void no_walk_begins_again(int times) {
    using device = test::some_kernels<Arch, test::attention_kernels{64, 128, true, false, false}>;
    test::holds(std::string(Arch::traits.name) + " scores that spread", times, [&] {
        spread_case c{draw_jumps(), *rc::gen::elementOf(test::spreads)};
        const double deviation =
            c.spread == test::spread::normal ? *rc::gen::element(0.1, 1.0, 4.0, 6.0, 10.0, 20.0) : 1;
        c.of.problem.seq_k += 600, c.of.problem.scale = deviation / std::sqrt(double(c.of.problem.head_dim));
        test::must_be_right(c, test::wrong_with_spread<f16, device>(c.of, c.spread));
    });
}

}  // namespace

TEST_CASE("scores that spread on gfx90a") { no_walk_begins_again<arch::gfx90a>(6); }
TEST_CASE("scores that spread on gfx942") { no_walk_begins_again<arch::gfx942>(6); }
TEST_CASE("scores that spread on gfx950") { no_walk_begins_again<arch::gfx950>(6); }
TEST_CASE("queries beside others on gfx942") {
    test::some_kernels<arch::gfx942, test::attention_kernels{64, 128, true, false, false}> device;
    test::holds("gfx942 queries beside others", 4, [&] {
        const attention_case c = draw_jumps();
        test::must_be_right(c, test::wrong_beside_others<f16>(device, c));
    });
}

TEST_CASE("scores that jump, on the host") {
    jumps_hold<f16, host_device>(20);
    jumps_hold<float, host_device>(20);
}
TEST_CASE("scores that jump on sm_90a") {
    jumps_hold_on<f16, arch::sm_90a>(5);
    jumps_hold_on<bf16, arch::sm_90a>(3);
}
TEST_CASE("scores that jump on gfx942") {
    jumps_hold_on<f16, arch::gfx942>(5);
    jumps_hold_on<bf16, arch::gfx942>(3);
}
TEST_CASE("scores that jump on gfx950") { jumps_hold_on<f16, arch::gfx950>(3); }
TEST_CASE("scores that jump on gfx1100") { jumps_hold_on<f16, arch::gfx1100>(3); }
TEST_CASE("scores that jump on gfx1201") { jumps_hold_on<bf16, arch::gfx1201>(3); }

TEST_CASE("large scores on the host") {
    test::each_isa([] {
        host_device device(2);
        holds_on<float>(device, 60);
        holds_on<bf16>(device, 30);
    });
}
TEST_CASE("large scores on gfx942") { holds_on_emulated<f16, arch::gfx942>(12); }
TEST_CASE("large scores in f32 on gfx908") { holds_on_emulated<float, arch::gfx908>(6); }
TEST_CASE("large scores on gfx1100") { holds_on_emulated<f16, arch::gfx1100>(12); }
TEST_CASE("large scores on gfx1030") { holds_on_emulated<f16, arch::gfx1030>(6); }
TEST_CASE("large scores on sm_90a") { holds_on_emulated<bf16, arch::sm_90a>(12); }
TEST_CASE("large scores on sm_80") { holds_on_emulated<f16, arch::sm_80>(6); }

// Fails when scores far from zero go wrong: on the host, by single steps, a tile ahead, by maxima that move
// late, by warpgroups, where they jump, and shared among workgroups. Exit 1 at the first that does.
#include "common/large_scores.hpp"
#include "narrow_device.hpp"

using namespace fade;
using test::course;

namespace {

template <class T, class Device>
bool wrong(Device& device, const std::vector<test::attention_case>& cases, int splits = 0) {
    for (const test::attention_case& c : cases)
        for (const course scores : {course::mixed, course::late, course::near_at_last})
            if (test::complained(device.name(), test::wrong_with_large_scores<T>(device, c, scores, splits)))
                return true;
    return false;
}

/// Of queries that pass their maxima by every amount, by the kernel without rules. `one_by_one`: those beside
/// a query must not matter.
template <class T, class Device>
bool jumps_are_wrong(Device& device, bool one_by_one) {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
        test::attention_case c;
        attention_problem& p = c.problem;
        p.heads = p.kv_heads = 1, p.head_dim = 64, p.scale = 0.5, p.seq_q = 130;
        p.seq_k = fade::index(300 + 200 * seed), c.seed = seed;
        if (test::complained(device.name(), test::wrong_with_jumps<T>(device, c)) ||
            (one_by_one && test::complained(device.name(), test::wrong_beside_others<T>(device, c))))
            return true;
    }
    return false;
}

/// Of scores that pass their maxima by what f32 holds, and must not begin again.
template <class Device>
bool spread_is_wrong() {
    test::attention_case c;
    attention_problem& p = c.problem;
    p.heads = p.kv_heads = 1, p.head_dim = 64, p.scale = 1, p.seq_q = 130, p.seq_k = 900, c.seed = 5;
    return test::complained("spread", test::wrong_with_spread<f16, Device>(c, test::spread::normal));
}

/// Those of one batch, since products are made exact there.
std::vector<test::attention_case> cases() {
    test::case_list list{40};
    const auto add = [&](auto change) {
        list.add([&](auto& c, auto& p) { p.batch = 1, p.seq_k = 600, p.scale = 1e9, change(c, p); });
    };
    add([](auto&, auto&) {});
    add([](auto&, auto& p) { p.scale = 1e36, p.causal = causal_kind::bottom_right; });
    add([](auto& c, auto&) { c.sink = c.bias = true; });
    add([](auto& c, auto& p) { p.scale = 1e20, p.window_left = 70, c.sink = true; });
    return list.all;
}

}  // namespace

int main() {
    host_device cpu(1);
    test::narrow_device<arch::gfx942, {64, false}> ahead;
    test::narrow_device<arch::gfx942, {64, true}> decoder;
    test::narrow_device<arch::gfx1201, {64, false}> lazy_rescaling;
    test::narrow_device<arch::sm_90a, {64, false}> group;
    if (jumps_are_wrong<f16>(group, false) || jumps_are_wrong<f16>(ahead, true) ||
        spread_is_wrong<decltype(ahead)>())
        return 1;
    return wrong<float>(cpu, cases()) || wrong<bf16>(cpu, cases()) || wrong<f16>(ahead, cases(), 1) ||
           wrong<f16>(decoder, cases(), 3) || wrong<f16>(lazy_rescaling, cases(), 1) ||
           wrong<bf16>(group, cases(), 1);
}

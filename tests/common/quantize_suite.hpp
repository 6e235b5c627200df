// Random quantisations on one device against the reference.
#pragma once
#include "common/property.hpp"
#include "common/quantize_case.hpp"

namespace fade::test {

inline quantize_case draw_quantize() {
    quantize_case c;
    quantize_problem& p = c.problem;
    const auto sometimes = [] { return *rc::gen::inRange(0, 3) == 0; };
    p.batch = *rc::gen::inRange(0, 4), p.heads = *rc::gen::inRange(0, 5);
    p.positions = *rc::gen::oneOf(rc::gen::inRange<index>(0, 5), rc::gen::inRange<index>(0, 150));
    p.head_dim = *rc::gen::oneOf(rc::gen::inRange<index>(1, 70), rc::gen::element<index>(64, 128, 512));
    p.per_head = *rc::gen::arbitrary<bool>();
    c.x = *rc::gen::element(lying::packed, lying::gaps, lying::heads_first),
    c.out = *rc::gen::element(lying::packed, lying::gaps, lying::heads_first);
    c.specials = sometimes(), c.own_workspace = sometimes();
    c.exponent = *rc::gen::inRange(-8, 9), c.spread = *rc::gen::inRange(0, 8);
    c.seed = *rc::gen::arbitrary<std::uint64_t>();
    return c;
}

template <class Out, class In, class Device>
void quantize_suite(Device& device, int times) {
    holds(device.name() + " quantize " + name(dtype_v<In>) + " to " + name(dtype_v<Out>), times, [&] {
        const quantize_case c = draw_quantize();
        must_be_right(c, wrong_quantize<Out, In>(device, c));
    });
}

}  // namespace fade::test

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
    c.x = *rc::gen::element(lying::packed, lying::gaps, lying::heads_first), c.out = *rc::gen::element(lying::packed, lying::gaps, lying::heads_first);
    c.specials = sometimes(), c.own_workspace = sometimes();
    c.exponent = *rc::gen::inRange(-8, 9), c.spread = *rc::gen::inRange(0, 8);
    c.seed = *rc::gen::arbitrary<std::uint64_t>();
    return c;
}

/// What is wrong with a case, which begins with one pattern and then with its complement: so nothing can be right by not being written.
template <class Out, class In, class Device>
std::string wrong_quantize(Device& device, const quantize_case& c) {
    for (const std::uint8_t fill : {0x5a, 0xa5}) {
        quantize_data<Out, In> d(c, fill);
        quantize<Out, In>(device, d.problem, d.operands(), d.options());
        if (const std::string wrong = wrong_with(d, fill); !wrong.empty()) return wrong;
    }
    return "";
}

template <class Out, class In, class Device>
void quantize_suite(Device& device, int times) {
    holds(device.name() + " quantize " + name(dtype_v<In>) + " to " + name(dtype_v<Out>), times, [&] {
        const quantize_case c = draw_quantize();
        must_be_right(c, wrong_quantize<Out, In>(device, c));
    });
}

}  // namespace fade::test

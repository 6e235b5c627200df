// Random appends on one device against the reference.
#pragma once
#include "common/append_reference.hpp"
#include "common/property.hpp"

namespace fade::test {

inline append_case draw_append() {
    append_case c;
    append_problem& p = c.problem;
    const auto sometimes = [] { return *rc::gen::inRange(0, 3) == 0; };
    p.batch = *rc::gen::inRange(1, 4), p.heads = *rc::gen::inRange(0, 4),
    p.kv_heads = *rc::gen::inRange(1, 4);
    p.head_dim = *rc::gen::oneOf(rc::gen::inRange<index>(1, 70), rc::gen::element<index>(64, 128, 256));
    p.rotary_dim = sometimes() ? p.head_dim / 2 * 2 : *rc::gen::inRange<index>(0, p.head_dim / 2 + 1) * 2;
    p.style = *rc::gen::element(rotary_style::half, rotary_style::interleaved);
    p.new_positions = *rc::gen::oneOf(rc::gen::just<index>(1), rc::gen::inRange<index>(0, 30));
    p.capacity = p.new_positions + *rc::gen::inRange<index>(0, 50);
    p.page_size = *rc::gen::element<index>(0, 0, 1, 3, 16, 100);
    c.lie = *rc::gen::element(arrangement::packed, arrangement::gaps, arrangement::heads_first,
                              arrangement::fused);
    const bool beyond = sometimes();  // tokens without a place
    for (index b = 0; b < p.batch && *rc::gen::inRange(0, 4) > 0; ++b)
        c.held.push_back(
            int(*rc::gen::inRange<index>(beyond ? -2 : 0, p.capacity - p.new_positions + (beyond ? 9 : 1))));
    for (index b = 0; b < p.batch && sometimes(); ++b)
        c.fresh.push_back(int(*rc::gen::inRange<index>(0, p.new_positions + 1)));
    c.held.resize(c.held.empty() ? 0 : std::size_t(p.batch)),
        c.fresh.resize(c.fresh.empty() ? 0 : std::size_t(p.batch));
    c.unmapped = sometimes(), c.seed = *rc::gen::arbitrary<std::uint64_t>();
    return c;
}

template <class In, class Cache = In, class Table = float, class Device>
void append_suite(Device& device, int times) {
    holds(device.name() + " append_kv " + name(dtype_v<In>) + " to " + name(dtype_v<Cache>) + " by " +
              name(dtype_v<Table>),
          times, [&] {
              const append_case c = draw_append();
              must_be_right(c, wrong_append<In, Cache, Table>(device, c));
          });
}

}  // namespace fade::test

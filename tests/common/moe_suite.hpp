// Experts of random tokens on every machine.
#pragma once
#include "common/moe_trial.hpp"
#include "common/property.hpp"

namespace fade::test {

inline moe_case random_moe_case() {
    moe_case c;
    c.experts = *rc::gen::element(1, 2, 7, 8, 64, 129);
    c.top_k = *rc::gen::inRange(1, std::min(c.experts, 9) + 1);
    c.tokens = *rc::gen::element<index>(0, 1, 3, 40, 257);
    c.columns = 8 * *rc::gen::inRange<index>(1, 12) + *rc::gen::element<index>(0, 0, 3);
    c.drops = *rc::gen::arbitrary<bool>(), c.unweighted = *rc::gen::element(true, false, false);
    c.route = {.tokens = c.tokens,
               .experts = c.experts,
               .top_k = c.top_k,
               .scoring = *rc::gen::element(moe_scoring::softmax, moe_scoring::sigmoid),
               .renormalize = *rc::gen::arbitrary<bool>(),
               .weight_scale = *rc::gen::element(1.0, 2.5)};
    // Scores of unlikely experts underflow; without a common factor there is nothing to compare then.
    c.shift = c.route.renormalize ? *rc::gen::element(0.0, 0.0, -120.0, 60.0) : 0.0;
    c.pad = 8 * *rc::gen::inRange<index>(0, 2);
    c.seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
    return c;
}

template <class Arch, class T>
void moe_suite(int cases) {
    holds(std::string(Arch::traits.name) + " experts " + name(dtype_v<T>), cases, [] {
        const auto c = random_moe_case();
        must_be_right(c, moe_trial<Arch, T>(c));
    });
}

}  // namespace fade::test

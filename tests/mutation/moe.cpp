// Fails when a step of a mixture of experts is wrong: random tokens on an emulated GPU and on the host. Exit
// 1 at the first that is.
#include "common/moe_trial.hpp"
#include <cstdio>

namespace {

fade::test::moe_case drawn(std::mt19937_64& random) {
    const auto of = [&](int low, int high) { return low + int(random() % std::uint64_t(high - low + 1)); };
    fade::test::moe_case c;
    c.experts = of(1, 70), c.top_k = of(1, c.experts < 6 ? c.experts : 6), c.tokens = of(0, 90);
    c.columns = of(0, 2) ? 8 * of(1, 12) : of(1, 50), c.drops = of(0, 1), c.unweighted = of(0, 2) == 0;
    c.route = {.tokens = c.tokens,
               .experts = c.experts,
               .top_k = c.top_k,
               .scoring = of(0, 1) ? fade::moe_scoring::softmax : fade::moe_scoring::sigmoid,
               .renormalize = of(0, 1) == 1,
               .weight_scale = double(of(1, 3))};
    c.shift = c.route.renormalize ? -120 * of(0, 1) : 0;
    c.pad = 8 * of(0, 1), c.seed = random();
    return c;
}

template <class Arch, class T>
int wrong_of(int seed) {
    std::mt19937_64 random{std::uint64_t(seed)};
    for (int i = 0; i < 40; ++i) {
        const std::string wrong = fade::test::moe_trial<Arch, T>(drawn(random));
        if (wrong.empty()) continue;
        std::printf("%s\n", wrong.substr(0, 200).c_str());
        return 1;
    }
    return 0;
}

}  // namespace

int main() { return wrong_of<fade::arch::gfx1100, fade::f16>(3) || wrong_of<fade::arch::host, float>(4); }

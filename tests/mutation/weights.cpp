// Fails when a product with quantised weights is wrong: k in parts, steps that are partial, ends of D, on
// emulated GPUs and on the host. Exit 1 at the first that is.
#include "common/weight_trial.hpp"
#include <cstdio>

namespace {

template <class Arch, fade::weight_format Format, class In>
int wrong_of(int seed) {
    std::mt19937_64 random{std::uint64_t(seed)};
    const auto of = [&](int low, int high) { return low + int(random() % std::uint64_t(high - low + 1)); };
    std::set<std::string> reached;
    for (int i = 0; i < 16; ++i) {
        fade::test::weight_case c;
        c.problem = {.m = of(65, 100), .n = 8 * of(1, 20), .k = Format.granule() * (i % 4 ? of(1, 10) : 1)};
        if (i % 2)  // few rows, whose waves share k
            c.problem.m = of(1, 64), c.problem.k = Format.granule() * (of(512, 1500) / Format.granule());
        c.split_k = i % 3 + 1, c.compute_units = of(0, 1) ? 1 : 1000, c.seed = random();
        if (i % 4 == 2) c.problem.beta = 2, c.in_place = true;
        const std::string wrong = fade::test::weight_trial<Format, In, float>(c).template run<Arch>(reached);
        if (wrong.empty()) continue;
        std::printf("%s\n", wrong.substr(0, 200).c_str());
        return 1;
    }
    return 0;
}

}  // namespace

int main() {
    using namespace fade;
    return wrong_of<arch::gfx1030, weights::awq(32), f16>(1) ||
           wrong_of<arch::gfx1030, weights::gptq(32), bf16>(2) ||
           wrong_of<arch::gfx942, weights::gptq(32), f16>(3) ||
           wrong_of<arch::gfx942, weights::gptq(64), bf16>(4) ||
           wrong_of<arch::gfx942, weights::nvfp4(), f16>(6) ||  // groups shorter than what a lane takes
           wrong_of<arch::gfx942, weights::mxfp8(), f16>(7) ||
           wrong_of<arch::gfx942, weights::int8_rows(64), f16>(9) ||
           wrong_of<arch::sm_90a, weights::gptq(32), f16>(10) ||
           wrong_of<arch::host, weights::gptq(32), f16>(5) ||
           wrong_of<arch::host, weights::int8_rows(64), bf16>(8);
}

// Fails when an operator over images is wrong: poolings, batch normalisation, resampling of random images on
// an emulated GPU and on the host. Exit 1 at the first that is.
#include "common/batch_norm_trial.hpp"
#include "common/pool_trial.hpp"
#include "common/sample_trial.hpp"
#include <cstdio>

namespace {

int said(const std::string& wrong) {
    if (!wrong.empty()) std::printf("%s\n", wrong.substr(0, 200).c_str());
    return wrong.empty() ? 0 : 1;
}

template <class Arch, class T>
int wrong_of(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int i = 0; i < 40; ++i)
        if (said(fade::test::pool_trial<Arch, T>(fade::test::random_pool_case(random)).run()) ||
            said(fade::test::batch_norm_trial<Arch, T>(fade::test::random_batch_norm_case(random)).run()) ||
            said(fade::test::sample_trial<Arch, T>(fade::test::random_sample_case(random)).run()))
            return 1;
    return said(fade::test::fold_trial<Arch>(seed));
}

}  // namespace

int main() { return wrong_of<fade::arch::gfx1100, fade::f16>(5) || wrong_of<fade::arch::host, float>(6); }

// Fails when forward or backward weights by mec is wrong. Exit 1 at the first that is.
#include "common/conv_trial.hpp"
#include "common/mec_case.hpp"
#include <cstdio>

int main() {
    std::mt19937_64 random(29);
    fade::test::reached_kernels reached;
    for (int i = 0; i < 24; ++i) {
        const auto c = fade::test::drawn_mec_case(random, 360);
        const std::string wrong =
            fade::test::conv_trial<fade::arch::gfx1100, fade::f16, fade::f16>(c, reached).run();
        if (wrong.empty()) continue;
        std::printf("%s\n", wrong.substr(0, 200).c_str());
        return 1;
    }
}

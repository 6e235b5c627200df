// Fails when a convolution of the host is wrong: random problems. Exit 1 at the first that is.
#include "common/conv_trial.hpp"
#include <cstdio>

int main() {
    fade::test::conv_draw draw(17);
    fade::test::reached_kernels reached;
    for (int i = 0; i < 60; ++i) {
        const auto c = draw();
        const std::string wrong =
            fade::test::conv_trial<fade::arch::host, fade::bf16, float>(c, reached).run();
        if (wrong.empty()) continue;
        std::printf("%s\n", wrong.substr(0, 200).c_str());
        return 1;
    }
}

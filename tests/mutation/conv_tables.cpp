// Fails when a convolution whose pixels are found by tables is wrong: random problems on an emulated GPU.
// Exit 1 at the first that is.
#include "common/conv_trial.hpp"
#include <cstdio>

int main() {
    fade::test::conv_draw draw(23);
    fade::test::reached_kernels reached;
    for (int i = 0; i < 60; ++i) {
        const auto c = i < 4 ? draw.of_many_pixels() : draw();
        const std::string wrong =
            fade::test::conv_trial<fade::arch::gfx1100, fade::f16, float>(c, reached).run();
        if (wrong.empty()) continue;
        std::printf("%s\n", wrong.substr(0, 200).c_str());
        return 1;
    }
}

// Fails when a convolution is wrong whose tiles have more rows than columns: many pixels and many filters, on
// an emulated GPU. Exit 1 at the first that is.
#include "common/conv_trial.hpp"
#include <cstdio>

int main() {
    fade::test::conv_draw draw(29);
    fade::test::reached_kernels reached;
    for (int i = 0; i < 3; ++i) {
        auto c = draw.of_many_pixels();
        c.problem.filter = {1, 1, 2}, c.problem.filters = i == 2 ? 392 : 264;
        if (i == 1) c.problem.channels = 264, c.problem.filters = 8;
        const std::string wrong =
            fade::test::conv_trial<fade::arch::gfx1201, fade::f16, float>(c, reached).run();
        if (wrong.empty()) continue;
        std::printf("%s\n", wrong.substr(0, 200).c_str());
        return 1;
    }
}

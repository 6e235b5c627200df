// Fails when a convolution is wrong whose windows the copy unit walks over. Exit 1 at the first that is.
#include "common/conv_boxes.hpp"
#include <cstdio>

/// Of which backward weights are many parts of few sums.
fade::test::conv_case many_parts() {
    fade::test::conv_case c;
    c.problem = {.channels = 64, .filters = 24, .input = {1, 1, 64 * 20 + 5}, .filter = {1, 1, 1}};
    c.split_k = 21, c.seed = 23;
    return c;
}

int main() {
    fade::test::conv_box_draw draw(23);
    fade::test::reached_kernels reached;
    for (int i = 0; i <= 20; ++i) {
        auto c = i == 20 ? many_parts() : draw(i % 5 == 4);
        if (i % 5 > 2) c.problem.stride = {1, 2, 2};
        const std::string wrong =
            i % 2 ? fade::test::conv_trial<fade::arch::sm_90a, fade::f16, fade::f16>(c, reached).run()
                  : fade::test::conv_trial<fade::arch::sm_90a, fade::f16, float>(c, reached).run();
        if (wrong.empty()) continue;
        std::printf("%s\n", wrong.substr(0, 200).c_str());
        return 1;
    }
}

// Fails when a convolution by an algorithm that automatic does not take is wrong: random problems on an
// emulated GPU, every second one in the least workspace. Exit 1 at the first that is.
#include "common/conv_trial.hpp"
#include <cstdio>

int main() {
    using namespace fade;
    test::conv_draw draw(17);
    test::reached_kernels reached;
    for (int i = 0; i < 40; ++i) {
        test::conv_case c = draw();
        c.algorithm = conv_algorithm::im2col, c.least_workspace = i % 2 == 1;
        constexpr conv_algorithms compiled{.im2col = true};
        const std::string wrong = test::conv_trial<arch::gfx1100, f16, float, compiled>(c, reached).run();
        if (wrong.empty()) continue;
        std::printf("%s\n", wrong.substr(0, 200).c_str());
        return 1;
    }
}

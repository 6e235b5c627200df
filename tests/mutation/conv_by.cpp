// Fails when a convolution by an algorithm that automatic does not take is wrong: random problems on an
// emulated GPU, every second one in the least workspace. Exit 1 at the first that is.
#include "common/conv_trial.hpp"
#include <cstdio>

using namespace fade;

static std::string wrong_of(test::conv_case c, int number) {
    static test::reached_kernels reached;
    constexpr conv_algorithms compiled{.im2col = true, .winograd = true};
    c.least_workspace = number % 2 == 1;
    return test::conv_trial<arch::gfx1100, f16, float, compiled>(c, reached).run();
}

int main() {
    using enum conv_algorithm;
    test::conv_draw draw(17);
    for (int i = 0; i < 40; ++i) {
        test::conv_case c = draw();
        c.algorithm = im2col;
        std::string wrong = wrong_of(c, i);
        if (i < 12) wrong += wrong_of(draw.of_3x3_taps(i % 4 < 2 ? winograd_f2 : winograd_f4), i);
        if (wrong.empty()) continue;
        std::printf("%s\n", wrong.substr(0, 200).c_str());
        return 1;
    }
}

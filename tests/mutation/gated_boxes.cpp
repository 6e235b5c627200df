// Fails when a product through a gate is wrong whose operands come by boxes. Exit 1 if it is.
#include "common/gated_trial.hpp"
#include <cstdio>

int main() {
    fade::test::gated_case c{};
    c.problem = {.m = 136, .n = 272, .k = 128, .layout = fade::gemm_layout::nt};
    c.problem.batch = 2, c.problem.ldd = 141, c.problem.stride_d = 136 * 141, c.split_k = 1, c.seed = 7;
    const std::string wrong =
        fade::test::gated_trial<fade::f16, fade::f16>(c).run<fade::arch::sm_90a>(fade::swiglu());
    std::printf("%s", wrong.substr(0, 200).c_str());
    return !wrong.empty();
}

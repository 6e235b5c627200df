// A convolution of images with bias and relu, and both gradients, by one call each. The device may be any:
// hip_device and cuda_device take the same calls.
#include <cmath>
#include <cstdio>
#include <fade/conv.hpp>
#include <vector>

int main() {
    const fade::conv_problem problem{.batch = 2,
                                     .channels = 16,
                                     .filters = 24,
                                     .input = {.h = 12, .w = 10},
                                     .filter = {.h = 3, .w = 3},
                                     .stride = {.h = 2, .w = 2},
                                     .pad = {.h = 1, .w = 1}};
    const fade::spatial out = problem.output();
    std::vector<float> x(2 * 12 * 10 * 16, 0.5f), w(24 * 3 * 3 * 16, 0.25f), bias(24, -1.0f);
    std::vector<float> y(std::size_t(2 * out.volume() * 24)), dy(y.size(), 1.0f), dx(x.size()), dw(w.size());

    fade::host_device cpu;
    const fade::report ran = fade::conv_forward<float>(
        cpu, problem, {.x = x.data(), .w = w.data(), .y = y.data()}, fade::bias(bias.data()) | fade::relu());
    fade::conv_backward_data<float>(cpu, problem, {.dy = dy.data(), .w = w.data(), .dx = dx.data()});
    fade::conv_backward_weights<float>(cpu, problem, {.x = x.data(), .dy = dy.data(), .dw = dw.data()});

    // The pixel of y behind the first sees nine taps of x, 16 channels each.
    const float middle = y[std::size_t((out.w + 1) * 24)], expected = 9 * 16 * 0.125f - 1;
    std::printf("asked for: %s\nran: %s\nbecause: %s\n", ran.requested.c_str(), ran.chosen.c_str(),
                ran.why.c_str());
    std::printf("y = %g, and it should be %g\n", middle, expected);
    return std::abs(middle - expected) < 1e-4f ? 0 : 1;
}

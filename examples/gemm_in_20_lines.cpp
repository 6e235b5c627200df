#include <cstdio>
#include <fade/gemm.hpp>
#include <vector>

int main() {
    const fade::index m = 512, n = 384, k = 256;
    std::vector<float> a(m * k, 1.0f), b(k * n, 0.5f), bias(n, 2.0f), d(m * n);

    fade::host_device
        cpu;  // or fade::emulated_device<fade::arch::gfx942>, fade::hip_device, fade::cuda_device
    const fade::report ran =
        fade::gemm<float>(cpu, {.m = m, .n = n, .k = k}, {.a = a.data(), .b = b.data(), .d = d.data()},
                          fade::bias(bias.data()) | fade::relu());

    std::printf("asked for: %s\n", ran.requested.c_str());
    std::printf("ran: %s on %s\n", ran.chosen.c_str(), ran.device.c_str());
    std::printf("because: %s\n", ran.why.c_str());
    std::printf("d[0] = %g, and it should be 130\n", d[0]);
    return d[0] == 130 && d[m * n - 1] == 130 ? 0 : 1;
}

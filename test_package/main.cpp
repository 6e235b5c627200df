#include <cstdio>
#include <fade/gemm.hpp>
#include <vector>

int main() {
    const fade::index m = 512, n = 384, k = 256;
    std::vector<float> a(m * k, 1.0f), b(k * n, 0.5f), d(m * n);
    fade::host_device cpu;
    fade::report r =
        fade::gemm<float>(cpu, {.m = m, .n = n, .k = k}, {.a = a.data(), .b = b.data(), .d = d.data()});
    std::printf("%s -> %s (%s); d[0] = %g\n", r.requested.c_str(), r.chosen.c_str(), r.why.c_str(), d[0]);
    return d[0] == 128.0f && d[m * n - 1] == 128.0f ? 0 : 1;
}

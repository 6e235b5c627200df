// One object of a program: FADE_UNIT(n) is what an n x n product and an attention of n positions lack to be
// right.
#include <fade/attention.hpp>
#include <fade/gemm.hpp>
#include <vector>

namespace {

template <class T, class Device>
int wrong_products(Device& device, int n) {
    std::vector<T> a(std::size_t(n * n), fade::convert<T>(1.0f)), d(a.size());
    const std::vector<T> bias(std::size_t(n), fade::convert<T>(0.5f));
    fade::gemm<T, T, fade::only(fade::operand_access::nn, fade::operand_access::strided)>(
        device, {.m = n, .n = n, .k = n}, {.a = a.data(), .b = a.data(), .d = d.data()},
        fade::bias(bias.data()) | fade::relu());
    int wrong = 0;
    for (const T x : d) wrong += fade::convert<float>(x) != float(n) + 0.5f;
    return wrong;
}

int wrong_averages(int n) {
    fade::host_device cpu(2);
    const std::vector<float> q(std::size_t(n * 64), 0.125f), v(q.size(), 3.0f);
    std::vector<float> o(q.size());
    fade::attention<float>(cpu, {.seq_q = n, .seq_k = n, .head_dim = 64, .softcap = 20},
                           {.q = q.data(), .k = q.data(), .v = v.data(), .o = o.data()});
    int wrong = 0;
    for (const float x : o) wrong += !(x > 2.999f && x < 3.001f);
    return wrong;
}

}  // namespace

int FADE_UNIT(int n) {
    fade::host_device cpu(2);
    fade::emulated_device<fade::arch::gfx1030> gpu({.threads = 2});
    return wrong_products<float>(cpu, n) + wrong_products<fade::f16>(cpu, n) + wrong_products<float>(gpu, n) +
           wrong_averages(n);
}

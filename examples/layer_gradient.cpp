// A step back through a linear layer behind a relu: of y = relu(z) W^T, z = x V^T + b, the gradient of z is
// drelu(dy W) at z, and that of b are its column sums. One call makes both. The same again in 8 bits as
// networks are trained in them: gradients of e5m2, which reaches further, by weights of e4m3, which is finer.
#include <cmath>
#include <cstdio>
#include <fade/gemm.hpp>
#include <random>
#include <vector>

constexpr int samples = 300, hidden = 96, outputs = 40;

int main() {
    std::mt19937 random{std::random_device{}()};
    std::normal_distribution<float> normal;
    std::vector<float> dy(samples * outputs), w(outputs * hidden), z(samples * hidden), dz(samples * hidden),
        db(hidden);
    for (auto* list : {&dy, &w, &z})
        for (float& v : *list) v = normal(random);

    fade::host_device cpu;
    const fade::report said = fade::gemm<float>(cpu, {.m = samples, .n = hidden, .k = outputs},
                                                {.a = dy.data(), .b = w.data(), .d = dz.data()},
                                                fade::drelu(z) | fade::column_sums(db));
    std::printf("%s\n%s\n", said.requested.c_str(), said.chosen.c_str());

    double worst = 0;
    for (int j = 0; j < hidden; ++j) {
        double want = 0;
        for (int i = 0; i < samples; ++i)
            for (int o = 0; o < outputs && z[std::size_t(i * hidden + j)] > 0; ++o)
                want += double(dy[std::size_t(i * outputs + o)]) * double(w[std::size_t(o * hidden + j)]);
        worst = std::fmax(worst, std::fabs(want - double(db[std::size_t(j)])));
    }
    std::printf("bias gradient of %d values, off by at most %.1e\n", hidden, worst);

    std::vector<fade::f8e5m2> dy8(dy.size());
    std::vector<fade::f8e4m3> w8(w.size());
    for (std::size_t i = 0; i < dy.size(); ++i) dy8[i] = fade::convert<fade::f8e5m2>(dy[i]);
    for (std::size_t i = 0; i < w.size(); ++i) w8[i] = fade::convert<fade::f8e4m3>(w[i]);
    std::vector<float> coarse(dz.size());
    fade::gemm<fade::operand_pair<fade::f8e5m2, fade::f8e4m3>, float>(
        cpu, {.m = samples, .n = hidden, .k = outputs}, {.a = dy8.data(), .b = w8.data(), .d = coarse.data()},
        fade::drelu(z));
    double off = 0, norm = 0;
    for (std::size_t i = 0; i < dz.size(); ++i)
        off += std::pow(double(coarse[i]) - double(dz[i]), 2), norm += std::pow(double(dz[i]), 2);
    std::printf("in 8 bits the gradient of z is off by %.3f of its norm\n", std::sqrt(off / norm));
    return worst < 2e-3 && off < 0.02 * norm && off > 0 ? 0 : 1;
}

// A step back through a linear layer behind a relu: of y = relu(z) W^T, z = x V^T + b, the gradient of z is
// drelu(dy W) at z, and that of b are its column sums. One call makes both.
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
    return worst < 2e-3 ? 0 : 1;
}

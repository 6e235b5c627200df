// Fails when a product through a gate is wrong, or the largest magnitude, or a result of 8 bits: on the host
// and on GPUs that hold neighbours in lanes and in registers. Exit 1 at the first that is.
#include "common/gated_trial.hpp"
#include <cstdio>

namespace {

fade::test::gated_case drawn(std::mt19937_64& random) {
    const auto of = [&](int low, int high) { return low + int(random() % std::uint64_t(high - low + 1)); };
    fade::test::gated_case c{};
    c.problem = {.m = of(1, 150), .n = 2 * of(1, 140), .k = 16 * of(1, 8), .layout = fade::gemm_layout::nt};
    c.problem.batch = of(1, 2), c.packed = of(0, 1), c.kind = 0, c.split_k = of(1, 2), c.seed = random();
    c.problem.ldd = c.problem.n / 2 + (c.packed ? 0 : of(0, 9));
    c.problem.stride_d = c.problem.m * c.problem.ldd;
    return c;
}

template <class Arch, class T>
int wrong_of(int seed) {
    std::mt19937_64 random{std::uint64_t(seed)};
    for (int i = 0; i < 30; ++i) {
        const std::string wrong =
            fade::test::gated_trial<T, T>(drawn(random)).template run<Arch>(fade::swiglu());
        if (wrong.empty()) continue;
        std::printf("%s\n", wrong.substr(0, 200).c_str());
        return 1;
    }
    return 0;
}

/// Of products whose only large value is a bias that lanes beyond D see.
template <class Arch>
int wrong_quantized() {
    constexpr int m = 70, n = 40, k = 64;
    std::vector<fade::f16> a(m * k, fade::to_f16(1.0f)), b(n * k, fade::to_f16(-0.5f));
    std::vector<float> bias(n, 20.0f), seen(m * n);
    std::vector<fade::i8> d(m * n, fade::i8(77));
    bias[0] = 100, bias[1] = -60;
    float largest = 0.5f, other = 200;
    auto device = fade::test::device_of<Arch>(2, 64);
    constexpr auto kernels = fade::only(std::is_same_v<Arch, fade::arch::host> ? fade::operand_access::strided
                                                                               : fade::operand_access::nt);
    fade::gemm<fade::f16, fade::i8, kernels>(device,
                                             {.m = m, .n = n, .k = k, .layout = fade::gemm_layout::nt},
                                             {.a = a.data(), .b = b.data(), .d = d.data()},
                                             fade::bias(bias) | fade::amax(&largest) | fade::scale(2) |
                                                 fade::amax(&other) | fade::quantize_to<fade::i8>(1.0f));
    for (int i = 0; i < m * n; ++i)
        if (int(d[i]) != (i % n == 0 ? 127 : i % n == 1 ? -128 : -24)) return 1;
    return largest != 92 || other != 200;
}

/// Weighs a pair by where its element of D lies.
struct placed_gate : fade::epilogue::gate {
    static constexpr const char* name = "placed";
    template <class Value>
    FADE_FN Value operator()(Value left, Value right, const fade::epilogue::position& at) const {
        return left * Value(at.column) + right * Value(at.row);
    }
};

/// Column j of the product is 16 j in each row.
template <class Arch>
int wrong_places() {
    constexpr int m = 37, n = 200, k = 16;
    std::vector<fade::f16> a(m * k, fade::to_f16(1.0f)), b(n * k);
    for (int i = 0; i < n * k; ++i) b[i] = fade::to_f16(float(i / k));
    std::vector<float> d(m * n / 2, -1.0f);
    auto device = fade::test::device_of<Arch>(2, 64);
    constexpr auto kernels = fade::only(std::is_same_v<Arch, fade::arch::host> ? fade::operand_access::strided
                                                                               : fade::operand_access::nt);
    fade::gemm<fade::f16, float, kernels>(device, {.m = m, .n = n, .k = k, .layout = fade::gemm_layout::nt},
                                          {.a = a.data(), .b = b.data(), .d = d.data()}, placed_gate{});
    for (int i = 0; i < m * n / 2; ++i) {
        const int row = i / (n / 2), column = i % (n / 2);
        if (d[i] != float(32 * column * column + (32 * column + 16) * row)) return 1;
    }
    return 0;
}

}  // namespace

int main() {
    return wrong_of<fade::arch::host, float>(7) || wrong_of<fade::arch::gfx1100, fade::f16>(8) ||
           wrong_of<fade::arch::gfx1030, fade::f16>(9) || wrong_quantized<fade::arch::host>() ||
           wrong_quantized<fade::arch::gfx1100>() || wrong_places<fade::arch::host>() ||
           wrong_places<fade::arch::gfx1100>();
}

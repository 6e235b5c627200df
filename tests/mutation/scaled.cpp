// Fails when a product with scales of parts is wrong: any sizes and strides, aligned and not, on an emulated
// GPU and on the host. Exit 1 at the first that is.
#include "common/scaled_trial.hpp"
#include <cstdio>

namespace {

fade::test::scaled_case drawn(std::mt19937_64& random, int deepest) {
    const auto of = [&](int low, int high) {
        return fade::index(low) + fade::index(random() % std::uint64_t(high - low + 1));
    };
    fade::test::scaled_case c;
    fade::scaled_gemm_problem& p = c.problem;
    const fade::index unit = of(0, 2) ? 16 : 1;
    p.m = unit * of(1, 150 / int(unit)), p.n = unit * of(1, 280 / int(unit)),
    p.k = unit * of(0, deepest / int(unit));
    p.layout = fade::gemm_layout(of(0, 3));
    p.lda = (a_transposed(p.layout) ? p.m : p.k) + unit * of(0, 2);
    p.ldb = (b_transposed(p.layout) ? p.k : p.n) + unit * of(0, 2), p.ldd = p.n + of(0, 2);
    p.rows_per_scale = of(0, 1) ? 1 : 32, p.columns_per_scale = of(0, 1) ? 128 : 4;
    const fade::index parts = std::max<fade::index>(fade::ceil_div<fade::index>(p.k, 128), 1);
    p.scale_a_row = parts + of(0, 2), p.scale_b_column = parts + of(0, 2);
    if (of(0, 1)) p.scale_a_row = 1, p.scale_a_k = p.m + of(0, 2);
    if (of(0, 1)) p.scale_b_column = 1, p.scale_b_k = p.n + of(0, 2);
    c.compute_units = of(0, 1) ? 1 : 1000, c.seed = random();
    return c;
}

template <class Arch, class T>
int wrong_of(int seed, int cases, int deepest) {
    std::mt19937_64 random{std::uint64_t(seed)};
    std::set<std::string> reached;
    for (int i = 0; i < cases; ++i) {
        const auto c = drawn(random, deepest);
        const std::string wrong = fade::test::scaled_trial<T, fade::f32>(c).template run<Arch>(reached);
        if (wrong.empty()) continue;
        std::printf("%s\n", wrong.substr(0, 200).c_str());
        return 1;
    }
    return 0;
}

}  // namespace

int main() {
    return wrong_of<fade::arch::gfx1201, fade::f8e4m3>(7, 24, 420) ||
           wrong_of<fade::arch::sm_90a, fade::f8e4m3>(8, 12, 420) ||
           wrong_of<fade::arch::host, fade::f8e4m3>(9, 24, 1600);
}

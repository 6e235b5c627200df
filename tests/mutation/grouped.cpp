// Fails when a grouped product is wrong: groups of any size, rows by lists, aligned and not, on an emulated
// GPU and on the host. Exit 1 at the first that is.
#include "common/grouped_tables.hpp"
#include "common/grouped_trial.hpp"
#include <cstdio>

namespace {

/// Where they are `full`, groups of so many rows in order that Hopper's copy unit brings them.
fade::test::grouped_case drawn(std::mt19937_64& random, int run, bool full) {
    const auto of = [&](int low, int high) { return low + int(random() % std::uint64_t(high - low + 1)); };
    fade::test::grouped_case c;
    fade::grouped_gemm_problem& p = c.problem;
    p.groups = of(1, 8);
    for (int g = 0; g < p.groups; ++g)
        c.sizes.push_back(full       ? of(0, 3) ? 32 * of(3, 10) + of(-1, 1) : 0
                          : of(0, 2) ? of(0, 1) * of(1, 70)
                                     : 32 * of(1, 5));
    c.spare = of(0, 1) * 70, p.rows = c.used() + c.spare;
    const int unit = full || of(0, 2) ? run : 1;
    p.n = unit * of(1, full ? 80 : 20), p.k = unit * of(1, 12);
    p.layout = of(0, 1) ? fade::gemm_layout::nn : fade::gemm_layout::nt;
    p.alpha = of(0, 1) ? 1 : -0.5, p.beta = of(0, 1) ? 0 : 2;
    c.listed = !full && of(0, 1);
    if (c.listed) p.rows_of_a = of(1, 90);
    p.lda = p.k + unit * of(0, 2);
    const bool t = p.layout == fade::gemm_layout::nt;
    p.ldb = (t ? p.k : p.n) + unit * of(0, 2), p.stride_b = (t ? p.n : p.k) * p.ldb + unit * of(0, 2);
    p.ldc = p.n + of(0, 2), p.ldd = p.n + (full ? unit : 1) * of(0, 2);
    c.by_defaults = of(0, 2) == 0;  // leading dimensions and strides that stand for packed ones
    if (c.by_defaults) p.lda = p.k, p.ldb = t ? p.k : p.n, p.ldc = p.ldd = p.n, p.stride_b = p.k * p.n;
    c.compute_units = of(0, 1) ? 1 : 1000, c.seed = random();
    return c;
}

template <class Arch, class T>
int wrong_of(int seed, bool full = false) {
    std::mt19937_64 random{std::uint64_t(seed)};
    std::set<std::string> reached;
    for (int i = 0; i < (full ? 16 : 60); ++i) {
        const auto c = drawn(random, 16 / int(sizeof(T)), full);
        const std::string wrong = fade::test::grouped_trial<T, T>(c).template run<Arch>(reached);
        if (wrong.empty()) continue;
        std::printf("%s\n", wrong.substr(0, 200).c_str());
        return 1;
    }
    return 0;
}

}  // namespace

int main() {
    const std::string wrong = fade::test::unlooked_tables<fade::arch::gfx1100>();
    std::printf("%s", wrong.substr(0, 200).c_str());
    return !wrong.empty() || wrong_of<fade::arch::gfx1100, fade::f16>(7) ||
           wrong_of<fade::arch::host, float>(8) || wrong_of<fade::arch::sm_90a, fade::f16>(9, true);
}

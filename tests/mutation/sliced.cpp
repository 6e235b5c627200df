// Fails when a product of few rows is wrong: depths around steps and their parts, ends of rows and of D, two
// rows of tiles, k shared, on atoms of each kind. Exit 1 at the first that is.
#include "common/gated_trial.hpp"
#include "common/gemm_check.hpp"
#include <cstdio>

namespace {

int failed(const std::string& wrong) {
    if (!wrong.empty()) std::printf("%s\n", wrong.substr(0, 200).c_str());
    return !wrong.empty();
}

template <class Arch, class In, fade::operand_access Access = fade::operand_access::nt>
int wrong_of(std::uint64_t seed) {
    static constexpr fade::gemm_kernels kernels = fade::only(Access);
    constexpr fade::tile_shape tile =
        fade::tune::row_of<Arch, In>().few_rows(Access == fade::operand_access::nn).block_tile;
    constexpr int run = 16 / int(sizeof(In));
    std::mt19937_64 random(seed);
    const auto of = [&](int low, int high) { return low + int(random() % std::uint64_t(high - low + 1)); };
    for (int i = 0; i < 12; ++i) {
        fade::test::gemm_case c;
        c.problem = {
            .m = of(1, 2 * tile.m), .n = of(1, 80), .k = of(tile.k / 2 / run, 3 * tile.k / run) * run};
        c.problem.layout = fade::gemm_layout(int(Access)), c.problem.batch = 1 + i % 2;
        if (Access == fade::operand_access::nn) c.problem.n = (c.problem.n + run - 1) / run * run;
        fade::test::lay_out(c.problem, run, run);
        c.split_k = i % 3 + 1, c.seed = random();
        if (failed(fade::test::check_gemm<Arch, In, float, kernels>(c))) return 1;
    }
    return 0;
}

int wrong_gate() {
    fade::test::gated_case c{};
    c.problem = {.m = 19, .n = 78, .k = 1088, .layout = fade::gemm_layout::nt};
    c.problem.ldd = 41, c.problem.stride_d = 19 * 41, c.split_k = 1, c.seed = 7;
    return failed(fade::test::gated_trial<fade::f16, fade::f16>(c).run<fade::arch::gfx942>(fade::swiglu()));
}

}  // namespace

int main() {
    using namespace fade;
    return wrong_of<arch::gfx942, f16>(1) || wrong_of<arch::gfx1100, bf16>(2) ||
           wrong_of<arch::gfx1030, f16>(3) || wrong_of<arch::sm_90a, f16>(4) ||
           wrong_of<arch::gfx942, bf16, operand_access::nn>(5) ||
           wrong_of<arch::gfx1030, float, operand_access::nn>(6) || wrong_gate();
}

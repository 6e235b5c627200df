// Fails when a product of few rows is wrong: depths around steps and their parts, ends of rows and of D, two
// rows of tiles, k shared, on atoms of each kind. Exit 1 at the first that is.
#include "common/gated_trial.hpp"
#include "common/gemm_check.hpp"
#include "common/skinny_case.hpp"
#include <cstdio>

namespace {

using fade::test::few;

int failed(const std::string& wrong) {
    if (!wrong.empty()) std::printf("%s\n", wrong.substr(0, 200).c_str());
    return !wrong.empty();
}

template <class Arch, class In, fade::operand_access Access = fade::operand_access::nt, few Which = few::rows,
          class Out = float>
int wrong_of(std::uint64_t seed) {
    static constexpr fade::gemm_kernels kernels = fade::only(Access);
    constexpr auto layout = fade::gemm_layout(int(Access));
    constexpr fade::tile_shape tile = fade::test::skinny_tile<Arch, In, Access, Which>;
    constexpr int run = 16 / int(sizeof(In));
    std::mt19937_64 random(seed);
    const auto of = [&](fade::index low, fade::index high) {
        return low + fade::index(random() % std::uint64_t(high - low + 1));
    };
    for (int i = 0; i < 12; ++i) {
        const fade::index others = fade::test::more_than_few(tile, Which) + of(1, 80);
        fade::test::gemm_case c = fade::test::skinny_case(layout, Which, of(1, 2 * tile.m), others,
                                                          of(tile.k / 2, 3 * tile.k), run);
        c.problem.batch = 1 + i % 2;
        fade::test::lay_out(c.problem, run, run);
        c.split_k = i % 3 + 1, c.seed = random();
        if (i % 4 == 3) c.stages.push_back({fade::stage_kind::bias});
        if (failed(fade::test::check_gemm<Arch, In, Out, kernels>(c))) return 1;
    }
    return 0;
}

int wrong_gate(fade::index m, fade::index n) {
    fade::test::gated_case c{};
    c.problem = {.m = m, .n = n, .k = 1088, .layout = fade::gemm_layout::nt};
    c.problem.ldd = n / 2 + 2, c.problem.stride_d = m * c.problem.ldd, c.split_k = 1, c.seed = 7;
    return failed(fade::test::gated_trial<fade::f16, fade::f16>(c).run<fade::arch::gfx942>(fade::swiglu()));
}

}  // namespace

int main() {
    using namespace fade;
    using enum operand_access;
    return wrong_of<arch::gfx942, f16>(1) || wrong_of<arch::gfx1100, bf16>(2) ||
           wrong_of<arch::gfx1030, f16>(3) || wrong_of<arch::sm_90a, f16>(4) ||
           wrong_of<arch::gfx942, bf16, nn>(5) || wrong_of<arch::gfx1030, float, nn>(6) ||
           wrong_of<arch::gfx942, f16, nt, few::columns>(7) || wrong_of<arch::gfx942, bf16, tn>(8) ||
           wrong_of<arch::gfx942, i8, nn, few::columns, i32>(9) || wrong_gate(19, 78) || wrong_gate(78, 26);
}

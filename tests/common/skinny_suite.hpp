// What every architecture must do with few rows: all edges of the tiles whose waves share k, then random
// problems.
#pragma once
#include "common/gemm_check.hpp"
#include "common/gemm_random.hpp"
#include "common/skinny_case.hpp"

namespace fade::test {

/// `tile`: of the kernel, whose rows are the few.
inline gemm_case random_skinny_case(gemm_layout layout, few which, const tile_shape& tile, index run) {
    gemm_case c = skinny_case(layout, which, *rc::gen::inRange(1, 2 * tile.m + 1),
                              more_than_few(tile, which) + *rc::gen::inRange(1, 150),
                              *rc::gen::inRange((tile.k + 1) / 2, 3 * tile.k), run);
    gemm_problem& p = c.problem;
    p.batch = *rc::gen::element<index>(1, 1, 2), c.split_k = *rc::gen::element(1, 1, 0, 2, 3);
    const index pad = run * *rc::gen::inRange<index>(0, 3);
    lay_out(p, pad, run * *rc::gen::inRange<index>(0, 3));
    p.alpha = *rc::gen::element(1.0, -2.0), p.beta = *rc::gen::element(0.0, 0.0, 3.0);
    c.shift_d = *rc::gen::inRange<index>(0, 9), c.compute_units = *rc::gen::element(1, 1000);
    if (!few_along_k(layout, which))
        (which == few::rows ? c.shift_a : c.shift_b) = *rc::gen::inRange<index>(0, run);
    c.threads = *rc::gen::inRange(1, 4);
    c.seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
    return c;
}

template <class Arch, class In, class Out = In, operand_access Access = operand_access::nt,
          few Which = few::rows>
void skinny_suite(int cases) {
    static constexpr gemm_kernels kernels = only(Access);
    static constexpr auto layout = gemm_layout(int(Access));
    static constexpr tile_shape tile = skinny_tile<Arch, In, Access, Which>;
    static constexpr gemm_policy flat =
        tune::policy_for(tune::row_of<Arch, In>(), tune::size_class::flat, Access);
    static_assert(tile.m > 0);
    constexpr index run = 16 / index(sizeof(In));
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    const auto check = [&](gemm_case c) {
        gemm_data<In, Out> data(c);
        auto device = device_of<Arch>(1, 64);
        INFO(c);
        // Boxes take over where rows are more than an instruction has, or do not lie along k.
        const bool boxes = Which == few::rows && flat.block_tile.m > 0 &&
                           (few_along_k(layout, Which) ? c.problem.m > tile.m : c.problem.m % run == 0);
        const std::string kernel = std::string("gemm_") + name(Access) +
                                   (boxes                ? "_flat"
                                    : Which == few::rows ? "_skinny "
                                                         : "_skinny_columns ");
        CHECK(plan_gemm<In, Out, kernels>(device, c.problem, data.operands()).report.chosen.find(kernel) ==
              0);
        CHECK(check_gemm<Arch, In, Out, kernels>(c) == "");
    };
    const index d = tile.k, count[] = {1, tile.m, tile.m + 1, 2 * tile.m},
                others[] = {tile.n, 8, tile.n + 1, 97};
    int i = 0;
    // Depths: less than a step, steps that begin in the middle of a wave's share, even and odd numbers.
    for (const index k : {d / 2, d - run, d, d + run, d + d / 2, 2 * d, 2 * d + run, 3 * d - 1, 4 * d}) {
        gemm_case c =
            skinny_case(layout, Which, count[i % 4], more_than_few(tile, Which) + others[i / 4 % 4], k, run);
        c.split_k = i % 3 == 2 ? 2 : 1, c.seed = random();
        check(c), ++i;
    }
    holds(std::string(Arch::traits.name) + (Which == few::rows ? " few rows of " : " few columns of ") +
              name(dtype_v<In>),
          cases, [] {
              auto c = random_skinny_case(layout, Which, tile, run);
              if (!std::is_integral_v<Out> && *rc::gen::arbitrary<bool>()) c.stages.push_back(random_stage());
              must_be_right(c, check_gemm<Arch, In, Out, kernels>(c));
          });
}

}  // namespace fade::test

// What every architecture must do with groups: random problems against sums in double precision.
#pragma once
#include "common/grouped_random.hpp"
#include "common/grouped_trial.hpp"

namespace fade::test {

/// Problems that reach every kernel, of which there are so many, and `cases` random ones.
template <class Arch, class In, class Out = In>
void grouped_suite(int cases, std::size_t kernels) {
    std::set<std::string> reached;
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    constexpr index run = 16 / index(sizeof(In));
    for (const auto layout : {gemm_layout::nn, gemm_layout::nt})
        for (const case_size& size : {case_size{.full = false, .units = true, .listed = false},
                                      {.full = true, .units = true, .listed = false},
                                      {.full = true, .units = false, .listed = false},
                                      {.full = true, .units = false, .listed = true}}) {
            auto c = case_of_size(layout, size, run, random());
            for (c.shift = 0; c.shift < 2; ++c.shift) {  // aligned, and read one by one
                INFO(c);
                CHECK(grouped_trial<In, Out>(c).template run<Arch>(reached) == "");
            }
        }
    std::string all;
    for (const std::string& kernel : reached) all += kernel + "\n";
    INFO(all);
    CHECK(reached.size() >= kernels);
    holds(std::string(Arch::traits.name) + " groups " + name(dtype_v<In>), cases, [&] {
        const auto c = random_grouped_case(run);
        must_be_right(c, grouped_trial<In, Out>(c).template run<Arch>(reached));
    });
}

}  // namespace fade::test

#define FADE_GROUPED_SUITE(ARCH, IN, OUT, CASES, KERNELS)                                                    \
    TEST_CASE(#ARCH " " #IN) {                                                                               \
        fade::test::grouped_suite<fade::arch::ARCH, fade::IN, fade::OUT>(CASES, KERNELS);                    \
    }

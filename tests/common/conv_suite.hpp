// What every architecture must do with convolutions: all passes of random problems, against direct loops.
#pragma once
#include "common/conv_trial.hpp"
#include <cstdlib>
#include <doctest/doctest.h>

namespace fade::test {

inline std::uint64_t conv_seed() {
    static const std::uint64_t seed = [] {
        const char* given = std::getenv("CONV_SEED");
        const std::uint64_t s = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
        MESSAGE("CONV_SEED=" << s);
        return s;
    }();
    return seed;
}

/// `cases` random problems; between them they reach at least so many kinds of kernels.
template <class Arch, class In, class Out>
void conv_suite(int cases, std::size_t kinds) {
    conv_draw draw(conv_seed());
    reached_kernels reached;
    for (int i = 0; i < cases; ++i) {
        conv_case c = i < 4 ? draw.of_many_pixels() : draw();
        if (sizeof(In) == 1 && c.algorithm == conv_algorithm::direct) c.algorithm = conv_algorithm::automatic;
        const std::string wrong = conv_trial<Arch, In, Out>(c, reached).run();
        INFO(c);
        CHECK(wrong == "");
    }
    std::string all;
    for (const std::string& kernel : reached) all += kernel + "\n";
    INFO(all);
    CHECK(reached.size() >= kinds);
}

}  // namespace fade::test

#define FADE_CONV_SUITE(ARCH, T, CASES, KINDS)                                                               \
    TEST_CASE(#ARCH " " #T) { fade::test::conv_suite<fade::arch::ARCH, fade::T, fade::T>(CASES, KINDS); }

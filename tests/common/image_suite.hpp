// Operators over images on every machine: random problems against loops in double precision.
#pragma once
#include "common/batch_norm_trial.hpp"
#include "common/conv_suite.hpp"
#include "common/pool_trial.hpp"
#include "common/sample_trial.hpp"

namespace fade::test {

template <class Arch, class T>
void pool_suite(int cases) {
    std::mt19937_64 random(conv_seed());
    for (int i = 0; i < cases; ++i) {
        const pool_case c = random_pool_case(random);
        const std::string wrong = pool_trial<Arch, T>(c).run();
        INFO(c);
        CHECK(wrong == "");
    }
}

template <class Arch, class T>
void batch_norm_suite(int cases) {
    std::mt19937_64 random(conv_seed());
    CHECK(fold_trial<Arch>(random()) == "");
    for (int i = 0; i < cases; ++i) {
        const batch_norm_case c = random_batch_norm_case(random);
        const std::string wrong = batch_norm_trial<Arch, T>(c).run();
        INFO(c);
        CHECK(wrong == "");
    }
}

template <class Arch, class T>
void sample_suite(int cases) {
    std::mt19937_64 random(conv_seed());
    for (int i = 0; i < cases; ++i) {
        const sample_case c = random_sample_case(random);
        const std::string wrong = sample_trial<Arch, T>(c).run();
        INFO(c);
        CHECK(wrong == "");
    }
}

}  // namespace fade::test

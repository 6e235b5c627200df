// The softmax of the host, row by row: weights, running maxima and running sums, with every instruction set.
#include "common/each_isa.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <doctest/doctest.h>
#include <fade/atom/cpu/soften.hpp>
#include <limits>
#include <random>
#include <vector>

using namespace fade;

namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
constexpr float unseen = atom::unseen_score;
using row = std::vector<float>;

row scores_of(int count, float deviation) {
    static std::mt19937 random(std::random_device{}());
    std::normal_distribution<float> normal(0, deviation);
    row out;
    for (int i = 0; i < count; ++i) out.push_back(random() % 8 ? normal(random) : minus_infinity);
    return out;
}

/// By how much weights of the scores that a row had are off, relative to what they should be and to the size
/// of the exponents that roundings leave.
double worst_weight(const row& scores, const row& probabilities, float scale, float maximum) {
    double worst = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const double scaled = double(scores[i]) * scale, want = std::exp2(scaled - double(maximum) * scale);
        if (want < std::exp2(-120))
            worst = std::max(worst, probabilities[i] < std::exp2(-119) ? 0.0 : 1.0);
        else
            worst = std::max(worst, std::fabs(probabilities[i] - want) / want /
                                        (1 + std::fabs(scaled) + std::fabs(scaled - maximum * scale)));
    }
    return worst;
}

}  // namespace

TEST_CASE("scores become weights relative to the largest so far, and sums follow") {
    test::each_isa([] {
        for (const int count : {32, 64, 96, 256})
            for (const float deviation : {0.1f, 3.0f, 100.0f}) {
                atom::row_state state{unseen, 0};
                double sum = 0, largest = minus_infinity;
                for (int turn = 0; turn < 5; ++turn) {
                    const float scale = 0.7f;
                    const row scores = scores_of(count, deviation);
                    row probabilities = scores;
                    float factor;
                    const double before = largest;
                    atom::soften(probabilities.data(), count, scale, &state, &factor);
                    for (const float s : scores) largest = std::max(largest, double(s));
                    CHECK(state.maximum == largest);
                    CHECK(
                        factor ==
                        doctest::Approx(turn ? std::exp2((before - largest) * scale) : factor).epsilon(1e-4));
                    CHECK(worst_weight(scores, probabilities, scale, state.maximum) < 2e-7);
                    sum *= std::exp2((before - largest) * scale);
                    for (const float s : scores) sum += std::exp2((double(s) - largest) * scale);
                    CHECK(state.sum == doctest::Approx(sum).epsilon(1e-4 * (1 + deviation / 10)));
                }
            }
    });
}

TEST_CASE("rows without a visible score weigh nothing, and leave what was summed as it was") {
    test::each_isa([] {
        row scores(64, minus_infinity);
        float factor;
        atom::row_state fresh{unseen, 0}, used{2.5f, 7};
        for (atom::row_state* state : {&fresh, &used}) {
            const atom::row_state before = *state;
            for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = i % 2 ? unseen : minus_infinity;
            atom::soften(scores.data(), 64, 0.5f, state, &factor);
            CHECK(scores == row(64, 0.0f));
            CHECK(state->maximum == before.maximum);
            CHECK(state->sum == before.sum);
            CHECK(factor == 1);
        }
    });
}

TEST_CASE("a NaN is no largest score, but its weight and the sum are") {
    test::each_isa([] {
        for (const int at : {0, 5, 31, 40}) {
            row scores(64, 1.0f);
            scores[std::size_t(at)] = std::nanf("");
            atom::row_state state{unseen, 0};
            float factor;
            atom::soften(scores.data(), 64, 2, &state, &factor);
            CHECK(state.maximum == 1);
            CHECK(std::isnan(scores[std::size_t(at)]));
            CHECK(scores[std::size_t(at ^ 1)] == 1);
            CHECK(std::isnan(state.sum));
        }
    });
}

TEST_CASE("the largest scores that there are weigh 1, and what is less than they are nothing") {
    test::each_isa([] {
        for (const float large : {3e7f, -3e7f, 1e30f, -1e30f, 3.4e38f, -3.3e38f})
            for (const float scale : {0.1f, 1.44269504f, 1e4f}) {
                row scores(64, large - std::fabs(large) / 64);
                scores[3] = scores[40] = large, scores[41] = unseen, scores[42] = minus_infinity;
                atom::row_state state{-3.4e38f, 1e3f};
                float factor;
                atom::soften(scores.data(), 64, scale, &state, &factor);
                CHECK(state.maximum == large);
                CHECK(factor == 0);
                CHECK(state.sum == 2);
                CHECK((scores[3] == 1 && scores[40] == 1));
                CHECK(std::count(scores.begin(), scores.end(), 0.0f) == 62);
            }
    });
}

#if defined(__x86_64__)
TEST_CASE("weights in packs are those in f32, rounded once, and may take the place of their scores") {
    if (atom::used_isa < atom::cpu_isa::avx512_bf16)
        return test::skipped("weights in packs", "this CPU has no AVX512_BF16");
    for (const int count : {32, 96, 256}) {
        const row scores = scores_of(count, 3);
        row probabilities = scores, packs = scores, narrowed(scores.size());
        float factor;
        atom::row_state one{1, 0.5f}, other = one;
        atom::soften(probabilities.data(), count, 1, &one, &factor);
        atom::soften_wide(reinterpret_cast<atom::packed<bf16>*>(packs.data()), packs.data(), count, 1, &other,
                          &factor);
        atom::narrow_probabilities(reinterpret_cast<atom::packed<bf16>*>(narrowed.data()),
                                   probabilities.data(), count);
        int wrong = 0;
        for (int i = 0; i < count; ++i) {
            bf16 packed, alone;
            std::memcpy(&packed, reinterpret_cast<const char*>(packs.data()) + 2 * i, 2),
                std::memcpy(&alone, reinterpret_cast<const char*>(narrowed.data()) + 2 * i, 2);
            wrong += convert<float>(packed) != convert<float>(convert<bf16>(probabilities[std::size_t(i)])) ||
                     convert<float>(alone) != convert<float>(packed);
        }
        CHECK(wrong == 0);
        CHECK(one.sum == other.sum);
        CHECK(one.maximum == other.maximum);
    }
}
#endif

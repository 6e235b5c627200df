// Operands of a product that is only timed: fresh random numbers.
#pragma once
#include <fade/kernel/gemm/problem.hpp>
#include <random>
#include <vector>

namespace fade::tools {

/// A, B and D of a product in f32. A and B are of -1 to 1.
class random_product {
public:
    explicit random_product(const gemm_problem& p)
        : a_(numbers(p.m * p.k * p.batch)), b_(numbers(p.k * p.n * p.batch)),
          d_(static_cast<std::size_t>(p.m * p.n * p.batch)) {}

    gemm_operands<float> operands() { return {.a = a_.data(), .b = b_.data(), .d = d_.data()}; }

private:
    static std::vector<float> numbers(fade::index count) {
        std::mt19937 random(std::random_device{}());
        std::uniform_real_distribution<float> number(-1, 1);
        std::vector<float> out(static_cast<std::size_t>(count));
        for (float& x : out) x = number(random);
        return out;
    }
    std::vector<float> a_, b_, d_;
};

}  // namespace fade::tools

// x logistic(x), and the logistic function itself.
#pragma once
#include <fade/atom/cpu/activation.hpp>
#include <fade/epilogue/chain.hpp>
#include <fade/epilogue/math.hpp>

namespace FADE_NAMESPACE {
namespace epilogue {

struct silu_stage : stage {
    static constexpr const char* name = "silu";
    static constexpr bool of_value_alone = true;
    static constexpr bool floating = true;
    static constexpr bool transcendental = true;
    template <class Value>
    FADE_FN Value operator()(Value x, const position&) const {
        return x * logistic(x);
    }
    static void on_row(float* row, int columns, const position&) {
        atom::with_vectors<atom::each_vector<atom::silu_lanes>>(row, columns);
    }
};

struct sigmoid_stage : stage {
    static constexpr const char* name = "sigmoid";
    static constexpr bool of_value_alone = true;
    static constexpr bool floating = true;
    static constexpr bool transcendental = true;
    template <class Value>
    FADE_FN Value operator()(Value x, const position&) const {
        return logistic(x);
    }
    static void on_row(float* row, int columns, const position&) {
        atom::with_vectors<atom::each_vector<atom::logistic_lanes>>(row, columns);
    }
};

}  // namespace epilogue

inline epilogue::silu_stage silu() { return {}; }
inline epilogue::sigmoid_stage sigmoid() { return {}; }

}  // namespace FADE_NAMESPACE

// What maxima that stay ask for: probabilities and outputs that their types hold.
#pragma once
#include <fade/kernel/attention/softmax.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::kernel {

/// Was some probability of a lane's queries too large, or some maximum too far from zero for single
/// multiply-adds? A query that saw nothing so far has no maximum yet, which is as far.
template <class LaneStates>
FADE_FN bool passed_bounds(const LaneStates& states, float max, float scale_log2) {
    bool passed = false;
    FADE_UNROLL
    for (const auto& column : states.of) FADE_UNROLL
    for (const softmax_state& state : column)
        passed |= !(state.sum <= max) || is_far(state.maximum * scale_log2);
    return passed;
}

/// The largest sum of probabilities that T holds one by one.
template <class T>
inline constexpr float max_probability = std::is_same_v<T, f16> ? 65000 : 1e30f;

/// Is some output of a lane not finite?
template <class Outputs>
FADE_FN bool passed_bounds(Outputs& out, lane_coord p) {
    float zero = 0;  // times what is finite
    FADE_UNROLL
    for (int i = 0; i < Outputs::rows; ++i) FADE_UNROLL
    for (int j = 0; j < Outputs::columns; ++j) FADE_UNROLL
    for (int g = 0; g < Outputs::atom::d_size; ++g) zero += 0 * out.at(p, i, j)[g];
    return zero != 0;
}

}  // namespace FADE_NAMESPACE::kernel

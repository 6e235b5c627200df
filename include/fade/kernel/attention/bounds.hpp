// What maxima that stay ask for: weights and outputs that their types hold.
#pragma once
#include <type_traits>
#include <fade/kernel/attention/softmax.hpp>

namespace fade::kernel {

/// Was some weight of a lane's queries too large for T? A sum that T holds has no weight that it does not. A query that saw nothing so far has no maximum yet.
template <class T, class LaneStates>
FADE_FN bool passed_bounds(const LaneStates& states) {
    constexpr float most = std::is_same_v<T, f16> ? 65000 : 1e30f;
    bool passed = false;
    FADE_UNROLL
    for (const auto& column : states.of) FADE_UNROLL
        for (const softmax_state& state : column) passed |= !(state.sum <= most) || state.maximum == minus_infinity;
    return passed;
}

/// Is some output of a lane not finite?
template <class Outputs>
FADE_FN bool passed_bounds(Outputs& out, place p) {
    float zero = 0;   // times what is finite
    FADE_UNROLL
    for (int i = 0; i < Outputs::rows; ++i) FADE_UNROLL
        for (int j = 0; j < Outputs::columns; ++j) FADE_UNROLL
            for (int g = 0; g < Outputs::atom::d_size; ++g) zero += 0 * out.at(p, i, j)[g];
    return zero != 0;
}

}  // namespace fade::kernel

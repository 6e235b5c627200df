// What maxima that stay ask for: probabilities and outputs that their types hold.
#pragma once
#include <fade/block/any_lane.hpp>
#include <fade/block/online_softmax.hpp>
#include <fade/core/half.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::block {

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

/// The largest sum of probabilities that a tile may have before maxima follow it: what f16 holds one by one;
/// elsewhere half of f32's exponents, so that a tile that passes it finds as much room again for the factor.
template <class T>
inline constexpr float max_probability = std::is_same_v<T, f16> ? 65000 : 0x1p60f;

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

/// Was some maximum of a workgroup too far from zero, or made no numbers of probabilities? All waves call it;
/// as any_lane.
template <class Block, class States>
FADE_FN bool states_passed(Block& block, std::uint32_t base, const States& states, float scale_log2) {
    return any_lane(block, base,
                    [&](lane_coord p) { return passed_bounds(states.lanes[p], max_sum, scale_log2); });
}
/// The same, or is some output not finite?
template <class Block, class States, class Outputs>
FADE_FN bool states_passed(Block& block, std::uint32_t base, const States& states, Outputs& out,
                           float scale_log2) {
    return any_lane(block, base, [&](lane_coord p) {
        return passed_bounds(states.lanes[p], max_sum, scale_log2) || passed_bounds(out, p);
    });
}

/// Which lanes had passed bounds at a moment, to be asked for later.
template <class Block>
class remembered_bounds {
    per_lane<Block, bool> passed_{};

public:
    template <class States>
    FADE_FN void keep(Block& block, const States& states, float scale_log2) {
        block.each_lane(
            [&](lane_coord p) { passed_[p] = passed_bounds(states.lanes[p], max_sum, scale_log2); });
    }
    /// Had some lane of the workgroup passed them, or has it an output that is not finite? All waves call it;
    /// those that are not `busy` count as no.
    template <class Outputs>
    FADE_FN bool any(Block& block, std::uint32_t base, Outputs& out, bool busy) {
        return any_lane(block, base,
                        [&](lane_coord p) { return busy && (passed_[p] || passed_bounds(out, p)); });
    }
};

}  // namespace FADE_NAMESPACE::block

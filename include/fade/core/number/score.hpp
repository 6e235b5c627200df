// What scores of a softmax are made of.
#pragma once
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

/// log2(e): exponentials are computed as powers of two.
inline constexpr double exact_log2_e = 1.4426950408889634;
inline constexpr float log2_e = float(exact_log2_e), ln_2 = 0.69314718f;

/// A score that is not seen. It is finite, so that differences of scores are no NaN whatever a compiler makes
/// of infinities; a row whose largest score it is has seen nothing. Lower scores, minus infinity among them,
/// have no weight either.
inline constexpr float hidden_score = -3.40282347e+38f;

}  // namespace FADE_NAMESPACE

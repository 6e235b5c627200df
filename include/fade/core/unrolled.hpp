// Loops that vanish, for code that speaks of neither lanes nor registers.
#pragma once
#include <fade/core/config.hpp>
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

/// Calls f(0) to f(N - 1), one after the other, without a loop.
template <int N, class F>
FADE_FN constexpr void unrolled(F f) {
    FADE_UNROLL
    for (int i = 0; i < N; ++i) f(i);
}

}  // namespace FADE_NAMESPACE

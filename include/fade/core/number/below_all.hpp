// Where a search for the largest number begins.
#pragma once
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

/// Minus infinity; the least number where the compiler was told that there are no infinities (-ffast-math).
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
inline constexpr float below_all = -3.40282347e+38f;
#else
inline constexpr float below_all = -__builtin_inff();
#endif

}  // namespace FADE_NAMESPACE

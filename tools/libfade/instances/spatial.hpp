// Sizes along the dimensions of an image, as C++ has them.
#pragma once
#include <fade.h>
#include <fade/kernel/conv/problem.hpp>

namespace fade::c {

constexpr spatial sizes_of(const fade_spatial& s) { return {s.d, s.h, s.w}; }
constexpr margins margins_of(const fade_spatial& s) { return {s.d, s.h, s.w}; }

}  // namespace fade::c

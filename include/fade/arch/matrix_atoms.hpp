// Which atom multiplies a type: an architecture names its family's table here.
#pragma once
#include <type_traits>
#include <fade/atom/mfma.hpp>
#include <fade/atom/outer.hpp>
#include <fade/atom/wmma_gfx11.hpp>
#include <fade/atom/wmma_gfx12.hpp>

namespace fade::arch {

/// f16 by dot2 over pairs of k; everything else by multiply-add after widening to f32.
template <class T, int Lanes>
using vector_atom = std::conditional_t<std::is_same_v<T, f16>, atom::outer<f16, float, Lanes, 2>, atom::outer<float, float, Lanes, 1>>;

/// 32-row MFMA with K of the architecture: gfx908 has bf16 at half depth, gfx950 doubles 16-bit depth.
template <class T, int Bf16Depth, int F16Depth>
using mfma_atom = std::conditional_t<std::is_same_v<T, float>, atom::mfma<float, float, 32, 2>,
                                     std::conditional_t<std::is_same_v<T, f16>, atom::mfma<f16, float, 32, F16Depth>, atom::mfma<bf16, float, 32, Bf16Depth>>>;

/// 16-bit types by WMMA, f32 by multiply-add.
template <class T, template <class> class Wmma>
using wmma_atom = std::conditional_t<std::is_same_v<T, float>, atom::outer<float, float, 32, 1>, Wmma<std::conditional_t<std::is_same_v<T, float>, f16, T>>>;

}  // namespace fade::arch

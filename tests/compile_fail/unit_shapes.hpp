// Operand A where the matrix unit of four waves reads it, on sm_90a.
#pragma once
#include <fade/tile.hpp>

using gpu = fade::arch::sm_90a;
using workgroup = fade::backend::emulated::block<gpu, 4>;
using fade::f16;
namespace tile = fade::tile;

using a = tile::warpgroup_tile<gpu, f16, 64, 64, 4>;
template <class A, class B>
using sums = tile::accumulator<workgroup, A, B>;

// Tiles for a workgroup of four waves on gfx942, whose atoms of f16 are 32 x 32.
#pragma once
#include <fade/tile.hpp>

using gpu = fade::arch::gfx942;
using workgroup = fade::backend::emulated::block<gpu, 4>;
using fade::f16;
namespace tile = fade::tile;

template <class A, class B>
using sums = tile::accumulator<workgroup, A, B>;

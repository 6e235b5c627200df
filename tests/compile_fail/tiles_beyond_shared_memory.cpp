// expect: the tiles of this kernel do not fit the shared memory that a workgroup of this
#include "tile_shapes.hpp"

using a = tile::a_tile<gpu, f16, 128, 256>;
using b = tile::b_tile<gpu, f16, 128, 256>;
constexpr auto shape = tile::shape_of<gpu, tile::tile_set<a, b>>(4);

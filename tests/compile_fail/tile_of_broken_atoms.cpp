// expect: an a_tile is whole atoms: let its rows be a multiple of atom_rows
#include "tile_shapes.hpp"

static_assert(sizeof(tile::a_tile<gpu, f16, 48, 64>) > 0);

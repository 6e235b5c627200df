// expect: a b_tile is whole atoms: let its columns be a multiple of atom_columns
#include "tile_shapes.hpp"

static_assert(sizeof(tile::b_tile<gpu, f16, 48, 64>) > 0);

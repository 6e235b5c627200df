// expect: the waves of a workgroup share the rows of A evenly, in whole atoms
#include "tile_shapes.hpp"

static_assert(sizeof(sums<tile::a_tile<gpu, f16, 64, 64>, tile::b_tile<gpu, f16, 64, 64>>) > 0);

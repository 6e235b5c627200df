// expect: a matrix unit that reads A from shared memory reads B there: let B be a b_tile_of<A, ...>
#include "unit_shapes.hpp"

using b = tile::b_tile<gpu, f16, 64, 64>;
void call(workgroup& block, sums<a, b>& acc, tile::operand_a<workgroup, a>& x,
          tile::operand_b<workgroup, b>& y) {
    tile::mma(block, acc, x, y);
}

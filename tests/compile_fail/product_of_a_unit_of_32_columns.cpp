// expect: a matrix unit that four waves share makes 64 or 96 columns, or multiples of 128
#include "unit_shapes.hpp"

using b = tile::b_tile_of<a, 32, 64>;
void call(workgroup& block, sums<a, b>& acc, tile::operand_a<workgroup, a>& x,
          tile::operand_b<workgroup, b>& y) {
    tile::mma(block, acc, x, y);
}

// expect: a product is added to accumulator<Block, A, B> of its own tiles
#include "tile_shapes.hpp"

using a = tile::a_tile<gpu, f16, 128, 64>;
using b = tile::b_tile<gpu, f16, 64, 64>;
using other = tile::b_tile<gpu, f16, 128, 64>;
void call(workgroup& block, sums<a, other>& acc, tile::operand_a<workgroup, a>& x,
          tile::operand_b<workgroup, b>& y) {
    tile::mma(block, acc, x, y);
}

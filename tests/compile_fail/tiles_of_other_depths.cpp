// expect: the operands of a product have the same depth
#include "tile_shapes.hpp"

using a = tile::a_tile<gpu, f16, 128, 64>;
using b = tile::b_tile<gpu, f16, 64, 32>;
void call(workgroup& block, sums<a, b>& acc, tile::operand_a<workgroup, a>& x,
          tile::operand_b<workgroup, b>& y) {
    tile::mma(block, acc, x, y);
}

// expect: the matrix unit that four waves share reads B along k: let B's order be k_contiguous
#include "unit_shapes.hpp"

using b = tile::b_tile_of<a, 64, 64, tile::memory_order::row_contiguous>;
void call(workgroup& block, sums<a, b>& acc, tile::operand_a<workgroup, a>& x,
          tile::operand_b<workgroup, b>& y) {
    tile::mm(block, acc, x, y);
}

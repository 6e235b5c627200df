// expect: the wave tiles of a grid cover its shared tiles
#include "product_shapes.hpp"

void call() { multiply<64, 2, 2, 64, 4>(); }

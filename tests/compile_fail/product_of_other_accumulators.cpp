// expect: an accumulator is the wave tile of its grid in whole atoms
#include "product_shapes.hpp"

void call() { multiply<32, 1, 2, 64, 4>(); }

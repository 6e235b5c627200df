// expect: an accumulator is the wave tile of its grid in whole atoms
#include "product_shapes.hpp"

void call() { multiply<48, 1, 1, 96, 4>(); }

// expect: a wave grid has as many waves as the workgroup
#include "product_shapes.hpp"

void call() { multiply<32, 1, 1, 64, 2>(); }

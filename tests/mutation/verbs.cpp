// Fails when a verb that only kernels of one's own use is wrong: row reductions, deep tiles, operands from
// accumulators.
#include "../../examples/own_kernel.cpp"

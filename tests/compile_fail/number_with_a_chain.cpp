// expect: the epilogue is no stage
#include <fade/gemm.hpp>

auto chain() { return 3 | fade::relu(); }

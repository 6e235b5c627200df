// expect: the epilogue is no stage
#include <fade/gemm.hpp>

auto chain() { return fade::relu() | 3; }

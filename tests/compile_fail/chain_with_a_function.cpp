// expect: the epilogue is no stage
#include <fade/gemm.hpp>

auto chain() {
    return fade::relu() | [](float v) { return v * v; };
}

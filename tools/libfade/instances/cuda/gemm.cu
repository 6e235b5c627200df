#include "../gemm.cpp"

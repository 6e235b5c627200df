// The same kernel text as example-own_rms_norm_gemm, on GPU 0.
#include "own_rms_norm_gemm.cpp"

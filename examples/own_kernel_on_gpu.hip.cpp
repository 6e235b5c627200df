// The same kernel text as example-own_kernel, on GPU 0.
#include "own_kernel.cpp"

// Fails when a refusal of GEMM is missing or another.
#include "../unit/refusals/sizes.cpp"
#include "refusals.hpp"

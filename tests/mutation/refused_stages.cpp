// Fails when a refusal of GEMM is missing or another.
#include "../unit/refusals/stages.cpp"
#include "refusals.hpp"

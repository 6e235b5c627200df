// Sums of rows and columns of each type (FADE_C_TYPES) alone, for products of it on emulated devices, which
// hold no other row operators of that type.
#define FADE_C_SUMS
#include "rows.cpp"

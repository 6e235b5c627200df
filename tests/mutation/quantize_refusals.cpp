// Fails when a quantisation refuses too little, too much or with another sentence, as the tests of it say.
#include "../unit/attention/quantize_refusals.cpp"
#include "refusals.hpp"

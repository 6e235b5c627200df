// Fails when an append refuses too little, too much or with another sentence, as the tests of it say.
#include "../unit/attention/append_refusals.cpp"
#include "refusals.hpp"

// The same policy as example-own_policy's, on GPU 0.
#include "own_policy.cpp"

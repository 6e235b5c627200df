#include "../norms.cpp"

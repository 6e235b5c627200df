#include "../primitives.cpp"

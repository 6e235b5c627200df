#include "../weights.cpp"

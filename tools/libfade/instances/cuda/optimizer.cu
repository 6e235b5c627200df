#include "../optimizer.cpp"

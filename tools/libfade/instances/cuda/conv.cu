#include "../conv.cpp"

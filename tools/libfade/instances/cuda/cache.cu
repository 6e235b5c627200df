#include "../cache.cpp"

#include "../moe.cpp"

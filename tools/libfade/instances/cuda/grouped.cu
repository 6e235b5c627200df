#include "../grouped.cpp"

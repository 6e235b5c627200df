#include "../open.cpp"

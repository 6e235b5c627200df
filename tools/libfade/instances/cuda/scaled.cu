#include "../scaled.cpp"

#include "../attention.cpp"

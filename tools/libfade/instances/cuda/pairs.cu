#include "../pairs.cpp"

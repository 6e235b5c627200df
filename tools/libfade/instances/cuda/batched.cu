#include "../batched.cpp"

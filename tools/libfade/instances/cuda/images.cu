#include "../images.cpp"

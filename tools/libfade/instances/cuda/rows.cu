#include "../rows.cpp"

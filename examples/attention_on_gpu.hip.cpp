// The same program as example-attention, which then knows `--device hip:0`.
#include "attention.cpp"

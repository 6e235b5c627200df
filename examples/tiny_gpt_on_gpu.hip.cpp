// The same program as example-tiny_gpt, which then knows `--device hip:0`.
#include "tiny_gpt.cpp"

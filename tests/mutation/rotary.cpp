// Fails when rotary embedding of tensors is wrong: its own tests, on this CPU and on emulated GPUs.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "../unit/rows/rotary.cpp"

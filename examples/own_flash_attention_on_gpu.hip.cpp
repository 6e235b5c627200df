// The same kernel text as example-own_flash_attention, on GPU 0.
#include "own_flash_attention.cpp"

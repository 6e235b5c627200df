// expect: append_kv takes tables of cosines and sines in f32, f16 and bf16
#include <fade/kv_cache.hpp>

void call(fade::host_device& device) { fade::append_kv<float, float, fade::i8>(device, {}, {}); }

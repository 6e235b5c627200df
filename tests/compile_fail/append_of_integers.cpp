// expect: append_kv takes f32, f16, bf16 and the f8 types
#include <fade/kv_cache.hpp>

void call(fade::host_device& device) { fade::append_kv<float, fade::i8>(device, {}, {}); }

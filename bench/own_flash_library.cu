// The flash attention of examples/own_flash_attention.cpp on tensors of another program, as a library:
// bench/own_flash_h200.py builds it and calls it.
#include "device_of_stream.hpp"
#define main own_flash_attention_main
#include "../examples/own_flash_attention.cpp"
#undef main

/// Causal attention of [batch, position, head, 128] in f16; as many keys as queries. 0, or -1 where it was
/// refused.
extern "C" int own_flash(cudaStream_t stream, int batch, int heads, int kv_heads, int positions, const f16* q,
                         const f16* k, const f16* v, f16* o) {
    try {
        const float scale = 1 / std::sqrt(float(flash_attention::head_dim));
        device_of(stream).launch<flash_attention>(
            {fade::ceil_div(positions, flash_attention::queries), heads, batch},
            {q, k, v, o, positions, positions, heads, kv_heads, scale});
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return -1;
    }
}

/// What the example's own program returns: 0 where its random case is what double precision makes of it.
extern "C" int own_flash_check() { return own_flash_attention_main(); }

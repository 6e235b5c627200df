// The functions of fade.h that open devices and prepare structs.
#include "device.hpp"
#include "structs.hpp"
#include <fade/core/version.hpp>

using namespace fade::c;

const char* fade_version(void) { return FADE_VERSION; }

int32_t fade_kind_count(void) { return int32_t(backends().size()); }
const char* fade_kind(int32_t index) {
    return index >= 0 && index < fade_kind_count() ? backends()[std::size_t(index)]->kind.c_str() : nullptr;
}
int32_t fade_device_count(const char* kind) {
    for (const auto& b : backends())
        if (kind && b->kind == kind) return b->count();
    return 0;
}

fade_status fade_device_open(const char* name, const fade_device_config* config, fade_device** out) {
    return guarded([&] {
        if (!out) throw fade::error("out", "null", "it gets the device");
        *out = nullptr;
        if (!name) throw fade::error("name", "null", "a device has a name, as \"host\" or \"hip:0\"");
        const fade_device_config c = config ? read(config, "config") : defaults<fade_device_config>;
        if (c.threads < 0 || c.threads > 4096)
            throw fade::error("threads", std::to_string(c.threads),
                              "it must be between 1 and 4096, or 0 for all cores");
        if (c.compute_units < 0 || c.compute_units > 65536)
            throw fade::error("compute_units", std::to_string(c.compute_units),
                              "it must be between 1 and 65536, or 0 for the device's own number");
        *out = open_device(name, {c.threads, c.compute_units}).release();
    });
}
void fade_device_close(fade_device* d) { delete d; }
const char* fade_device_name(const fade_device* d) { return d ? d->name.c_str() : nullptr; }

FADE_C_INIT(fade_device_config_init, fade_device_config)
FADE_C_INIT(fade_options_init, fade_options)
FADE_C_INIT(fade_stage_init, fade_stage)
FADE_C_INIT(fade_gemm_init, fade_gemm_args)
FADE_C_INIT(fade_conv_init, fade_conv_args)
FADE_C_INIT(fade_attention_init, fade_attention_args)
FADE_C_INIT(fade_append_init, fade_append_args)
FADE_C_INIT(fade_quantize_init, fade_quantize_args)
FADE_C_INIT(fade_norm_init, fade_norm_args)
FADE_C_INIT(fade_norm_gradient_init, fade_norm_gradient_args)
FADE_C_INIT(fade_softmax_init, fade_softmax_args)
FADE_C_INIT(fade_softmax_gradient_init, fade_softmax_gradient_args)
FADE_C_INIT(fade_cross_entropy_init, fade_cross_entropy_args)
FADE_C_INIT(fade_cross_entropy_gradient_init, fade_cross_entropy_gradient_args)
FADE_C_INIT(fade_reduce_init, fade_reduce_args)
FADE_C_INIT(fade_top_k_init, fade_top_k_args)
FADE_C_INIT(fade_rotary_init, fade_rotary_args)
FADE_C_INIT(fade_sort_init, fade_sort_args)
FADE_C_INIT(fade_scan_init, fade_scan_args)
FADE_C_INIT(fade_select_init, fade_select_args)
FADE_C_INIT(fade_reduce_list_init, fade_reduce_list_args)
FADE_C_INIT(fade_histogram_init, fade_histogram_args)
FADE_C_INIT(fade_list_top_k_init, fade_list_top_k_args)

// What a product, a driver mode or a partition makes of an architecture: the run-time counterpart of
// arch_traits.
#pragma once
#include <fade/device/truth/field.hpp>

namespace FADE_NAMESPACE {

/// Every field with its provenance. Names are those of the recorded machines; absent hardware is unknown with
/// a reason.
struct device_traits {
    truth::text gfx;
    truth::count cu_count, wgp_count, usable_cu_count;  ///< what exists; what a mask leaves
    truth::count simd_per_cu, max_waves_per_simd, wavefront_native;
    truth::list wavefront_supported;
    truth::count lds_per_cu_bytes, lds_per_wgp_bytes, lds_per_workgroup_bytes, vgpr_bytes_per_simd;
    truth::count xcc_count, shader_engines, shader_arrays_per_engine;
    truth::text partition;
    truth::count l2_bytes_total, l3_bytes, l3_bytes_shared_by_package;
    truth::count package_cu_count, package_xcc_count, devices_per_package;
    truth::count memory_total_bytes, memory_usable_bytes, memory_bus_bits, memory_clock_mhz, engine_clock_mhz;
    truth::rate memory_bandwidth_gb_s, peak_fp32_tflops, peak_fp16_tflops, peak_fp16_matrix_tflops,
        peak_bf16_matrix_tflops, peak_fp8_matrix_tflops, peak_int8_matrix_tops, peak_fp64_tflops;
};

namespace truth {

/// Calls f(name, field) for each trait, in the order in which people read them.
template <class Traits, class F>
void each_trait(Traits& t, F&& f) {
    f("gfx", t.gfx), f("cu_count", t.cu_count), f("wgp_count", t.wgp_count),
        f("usable_cu_count", t.usable_cu_count);
    f("simd_per_cu", t.simd_per_cu), f("max_waves_per_simd", t.max_waves_per_simd);
    f("wavefront_native", t.wavefront_native), f("wavefront_supported", t.wavefront_supported);
    f("lds_per_cu_bytes", t.lds_per_cu_bytes), f("lds_per_wgp_bytes", t.lds_per_wgp_bytes),
        f("lds_per_workgroup_bytes", t.lds_per_workgroup_bytes);
    f("vgpr_bytes_per_simd", t.vgpr_bytes_per_simd), f("xcc_count", t.xcc_count), f("partition", t.partition);
    f("shader_engines", t.shader_engines), f("shader_arrays_per_engine", t.shader_arrays_per_engine);
    f("l2_bytes_total", t.l2_bytes_total), f("l3_bytes", t.l3_bytes),
        f("l3_bytes_shared_by_package", t.l3_bytes_shared_by_package);
    f("package_cu_count", t.package_cu_count), f("package_xcc_count", t.package_xcc_count),
        f("devices_per_package", t.devices_per_package);
    f("memory_total_bytes", t.memory_total_bytes), f("memory_usable_bytes", t.memory_usable_bytes),
        f("memory_bus_bits", t.memory_bus_bits);
    f("memory_clock_mhz", t.memory_clock_mhz), f("engine_clock_mhz", t.engine_clock_mhz),
        f("memory_bandwidth_gb_s", t.memory_bandwidth_gb_s);
    f("peak_fp32_tflops", t.peak_fp32_tflops), f("peak_fp16_tflops", t.peak_fp16_tflops),
        f("peak_fp16_matrix_tflops", t.peak_fp16_matrix_tflops);
    f("peak_bf16_matrix_tflops", t.peak_bf16_matrix_tflops),
        f("peak_fp8_matrix_tflops", t.peak_fp8_matrix_tflops);
    f("peak_int8_matrix_tops", t.peak_int8_matrix_tops), f("peak_fp64_tflops", t.peak_fp64_tflops);
}

}  // namespace truth
}  // namespace FADE_NAMESPACE

// What a product, a driver mode or a partition makes of an architecture: the run-time counterpart of
// arch_traits.
#pragma once
#include <fade/device/truth/field.hpp>

namespace FADE_NAMESPACE {

/// Every field with its provenance. Names are those of the recorded machines; absent hardware is unknown with
/// a reason.
struct device_traits {
    truth::text gfx;                          ///< the architecture
    truth::count cu_count;                    ///< compute units that exist
    truth::count wgp_count;                   ///< work-group processors of two compute units; RDNA
    truth::count usable_cu_count;             ///< compute units that a mask leaves
    truth::count simd_per_cu;                 ///< vector units of a compute unit
    truth::count max_waves_per_simd;          ///< waves that a vector unit can hold
    truth::count wavefront_native;            ///< lanes of a wave, unless a kernel is compiled otherwise
    truth::list wavefront_supported;          ///< lanes that a wave may have
    truth::count lds_per_cu_bytes;            ///< shared memory of a compute unit
    truth::count lds_per_wgp_bytes;           ///< shared memory of a work-group processor
    truth::count lds_per_workgroup_bytes;     ///< shared memory that one workgroup may own
    truth::count vgpr_bytes_per_simd;         ///< vector registers of a vector unit
    truth::count xcc_count;                   ///< compute dies of the device
    truth::count shader_engines;              ///< of the device
    truth::count shader_arrays_per_engine;    ///< of each of them
    truth::text partition;                    ///< SPX, DPX, TPX, QPX or CPX; CDNA3 and later
    truth::count l2_bytes_total;              ///< of all compute dies together
    truth::count l3_bytes;                    ///< of the device alone
    truth::count l3_bytes_shared_by_package;  ///< of the package, which partitions share
    truth::count package_cu_count;            ///< compute units of the whole package
    truth::count package_xcc_count;           ///< compute dies of the whole package
    truth::count devices_per_package;         ///< into which the package is cut
    truth::count memory_total_bytes;          ///< what the device has
    truth::count memory_usable_bytes;         ///< what programs may allocate
    truth::count memory_bus_bits;             ///< width of the bus
    truth::count memory_clock_mhz;            ///< at most
    truth::count engine_clock_mhz;            ///< at most
    truth::rate memory_bandwidth_gb_s;        ///< at those clocks, 10^9 bytes a second
    truth::rate peak_fp32_tflops;             ///< by the vector units, at the highest clock
    truth::rate peak_fp16_tflops;             ///< likewise
    truth::rate peak_fp16_matrix_tflops;      ///< by the matrix units, dense
    truth::rate peak_bf16_matrix_tflops;      ///< likewise
    truth::rate peak_fp8_matrix_tflops;       ///< likewise
    truth::rate peak_int8_matrix_tops;        ///< likewise
    truth::rate peak_fp64_tflops;             ///< by the vector units
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

// Peak rates and bandwidth, computed: neither sysfs nor the runtime holds them. The formula is in `why`.
#pragma once
#include <cstdio>
#include <fade/device/truth/memory.hpp>
#include <fade/device/truth/traits.hpp>
#include <string>

namespace FADE_NAMESPACE::truth {

namespace detail {

inline std::string shown(double v) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", v);
    return text;
}

inline rate peak(std::uint32_t per_clock, const char* type, const device_traits& t) {
    if (!t.gfx || !find_architecture(*t.gfx)) return unknown<double>("the architecture is unknown");
    if (per_clock == 0)
        return unknown<double>(std::string(*t.gfx) + ": no settled rate per clock for " + type);
    if (!t.cu_count) return unknown<double>("the number of CUs is unknown");
    if (!t.engine_clock_mhz) return unknown<double>("the engine clock is unknown");
    const double value = double(*t.cu_count) * per_clock * double(*t.engine_clock_mhz) * 1e-6;
    return known(value, "derived",
                 std::to_string(*t.cu_count) + " CUs x " + std::to_string(per_clock) + " " + type +
                     " per CU and clock x " + std::to_string(*t.engine_clock_mhz) + " MHz");
}

/// Transfers per clock as reported: HBM2 2, HBM3 4, GDDR5 4, GDDR6 16. Others are not derived but measured.
inline std::uint32_t transfers(memory_kind kind) {
    switch (kind) {
    case memory_kind::hbm2:
        return 2;
    case memory_kind::hbm3:
    case memory_kind::gddr5:
        return 4;
    case memory_kind::gddr6:
        return 16;
    default:
        return 0;
    }
}

inline rate bandwidth(const readings& r, const identity& id, const device_traits& t) {
    if (r.management.bandwidth_gb_s)
        return known(*r.management.bandwidth_gb_s, "smi", "stated by the profiler's table",
                     r.management.bandwidth_gb_s);
    const std::uint32_t n = transfers(id.products.agreed([](const candidate& c) { return c.chip->memory; }));
    if (n == 0)
        return unknown<double>("the transfers per reported clock of this memory are not known: measure it");
    if (!t.memory_bus_bits || !t.memory_clock_mhz)
        return unknown<double>("bus width or memory clock is unknown");
    const double value = double(*t.memory_bus_bits) / 8 * double(*t.memory_clock_mhz) * n * 1e-3;
    return known(value, "derived",
                 std::to_string(*t.memory_bus_bits) + " bits / 8 x " + std::to_string(*t.memory_clock_mhz) +
                     " MHz x " + std::to_string(n) + " transfers");
}

}  // namespace detail

inline void add_rates(device_traits& t, const readings& r, const identity& id) {
    const architecture none{}, *found = id.arch(), &a = found ? *found : none;
    t.peak_fp32_tflops = detail::peak(a.fp32, "fp32 FLOP (packed or dual issue)", t);
    t.peak_fp16_tflops = detail::peak(a.fp16, "packed fp16 FLOP", t);
    t.peak_fp16_matrix_tflops = detail::peak(a.fp16_matrix, "fp16 matrix FLOP", t);
    t.peak_bf16_matrix_tflops = detail::peak(a.bf16_matrix, "bf16 matrix FLOP", t);
    t.peak_fp8_matrix_tflops = detail::peak(a.fp8_matrix, "fp8 matrix FLOP", t);
    t.peak_int8_matrix_tops = detail::peak(a.int8_matrix, "int8 matrix OP", t);
    t.peak_fp64_tflops = detail::peak(a.fp64, "fp64 FLOP", t);
    t.memory_bandwidth_gb_s = detail::bandwidth(r, id, t);
}

}  // namespace FADE_NAMESPACE::truth

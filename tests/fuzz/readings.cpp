// Any numbers as the answers of a kernel, a driver and a runtime: no overflow, no division by zero, sound
// provenance.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fade/device.hpp>

namespace {

/// Takes numbers off the input: absent, small, or of any size.
struct source {
    const std::uint8_t* data;
    std::size_t left;
    std::uint8_t byte() { return left ? (--left, *data++) : 0; }
    fade::truth::number number() {
        const std::uint8_t kind = byte() & 3;
        if (kind == 0) return {};
        if (kind == 1) return byte();
        if (kind == 2) return byte() << 8 | byte();
        std::uint64_t v = 0;
        for (int i = 0; i < 8; ++i) v = v << 8 | byte();
        return v;
    }
};

fade::truth::readings take(source s) {
    fade::truth::readings r;
    fade::truth::kernel_reading& k = r.kernel;
    for (auto* n : {&k.simd_count,
                    &k.simd_per_cu,
                    &k.array_count,
                    &k.arrays_per_engine,
                    &k.cu_per_array,
                    &k.gfx_target_version,
                    &k.device_id,
                    &k.num_xcc,
                    &k.wave_front_size,
                    &k.bank_bytes,
                    &k.bank_width,
                    &k.bank_clock_mhz,
                    &k.max_engine_mhz,
                    &r.runtime.multiprocessors,
                    &r.runtime.threads_per_multiprocessor,
                    &r.runtime.warp_size,
                    &r.runtime.l2_bytes,
                    &r.runtime.clock_khz,
                    &r.runtime.total_memory,
                    &r.agent.compute_units,
                    &r.agent.l2_kib,
                    &r.agent.l3_kib,
                    &r.agent.chip_id,
                    &r.agent.shader_engines,
                    &r.agent.max_waves_per_cu,
                    &r.pci.device,
                    &r.pci.revision,
                    &r.driver.active_cus,
                    &r.driver.bus_bits,
                    &r.sysfs.vram_total,
                    &r.sysfs.gtt_total,
                    &r.user.cu_count})
        *n = s.number();
    constexpr const char* names[] = {"", "gfx1030", "gfx942:xnack-", "gfx90c", "gfx999", "gfx"};
    if (const char* name = names[s.byte() % 6]; *name) r.runtime.target = name;
    if (s.byte() & 1) r.environment["HSA_OVERRIDE_GFX_VERSION"] = "10.3.0";
    if (s.byte() & 1) r.environment["GPU_ENABLE_WGP_MODE"] = "0";
    if (s.byte() & 1)
        k.caches.push_back({s.number().value_or(0), s.number().value_or(0), s.number().value_or(0)});
    return r;
}

template <class T>
void sound(const fade::truth::field<T>& f) {
    if (f.value ? f.source.empty() : f.why.empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto d = fade::describe(take({data, size}));
    fade::truth::each_trait(d.traits, [](const char*, const auto& f) { sound(f); });
    try {
        const auto unit = fade::unit_of(d.traits);
        fade::plan_grid(
            unit,
            fade::occupancy_of(
                unit, {.threads = 256, .wave_size = 64, .vgprs = 128, .agprs = 0, .lds_bytes = 32768}),
            size);
    } catch (const fade::error&) {
    }
    return 0;
}

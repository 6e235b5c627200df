// Devices of other vendors: what their runtime says stands, for it counts what there is.
#pragma once
#include <fade/device/truth/readings.hpp>
#include <fade/device/truth/traits.hpp>
#include <string>

namespace FADE_NAMESPACE::truth {

/// Traits of a device whose runtime counts its own scheduling units, with limits of that unit (CUDA's
/// multiprocessors).
inline void add_foreign(device_traits& t, const backend::device_reading& said) {
    const auto take = [](count& to, const number& value, const char* why) {
        if (value && *value) to = known<std::uint64_t>(*value, "cuda", why, value);
    };
    take(t.cu_count, said.multiprocessors, "multiprocessors, the unit that workgroups are scheduled to"),
        take(t.usable_cu_count, said.multiprocessors, "multiprocessors");
    take(t.wavefront_native, said.warp_size, "lanes of a warp"),
        take(t.l2_bytes_total, said.l2_bytes, "as the runtime reports it");
    take(t.lds_per_cu_bytes, said.shared_per_multiprocessor, "shared memory of a multiprocessor"),
        take(t.memory_total_bytes, said.total_memory, "as the runtime reports it");
    take(t.lds_per_workgroup_bytes,
         said.shared_per_block_optin ? said.shared_per_block_optin : said.shared_per_block,
         "the most that one workgroup may own, where it asks for it");
    if (said.warp_size && *said.warp_size)
        t.wavefront_supported =
            known<std::vector<std::uint64_t>>({*said.warp_size}, "cuda", "lanes of a warp");
    each_trait(t, [](const char*, auto& f) {
        if (!f) f.why = "not an AMD device, and its own runtime does not say";
        if (f.source == "hip") f.source = "cuda";
    });
}

/// sm_90 from 9 and 0.
inline std::string foreign_arch(const backend::device_reading& said) {
    return said.major && said.minor && *said.major < 100 && *said.minor < 10
               ? "sm_" + std::to_string(*said.major) + std::to_string(*said.minor)
               : "";
}

}  // namespace FADE_NAMESPACE::truth

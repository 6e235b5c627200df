// What the shim answers instead of the runtime: one consistent set per device, in the unit that the mode asks
// for.
#pragma once
#include <cstdint>
#include <fade/backend/device_reading.hpp>
#include <optional>
#include <string>

namespace fade::shim {

/// `wgp`: counts stay in work-group processors, limits are a WGP's. `cu`: the count is of CUs, and so are the
/// limits.
enum class mode { off, wgp, cu };

/// FADE_TRUTH; a word that is none of off, wgp and cu is off, for a guess would be worse.
mode wanted_mode();

/// Absent: the runtime's answer stands.
struct answers {
    std::optional<std::int64_t> multiprocessors, threads, shared, registers, l2;
    bool any() const { return multiprocessors || threads || shared || registers || l2; }
};

/// The corrections of a device that answered so. Never the wave size, and nothing that is not known. Throws
/// fade::error where the user set something that cannot be.
answers correct(const backend::device_reading& said, mode m);

/// "multiProcessorCount 36 -> 72, l2CacheSize 0 -> 4194304"
std::string words(const backend::device_reading& said, const answers& a);

}  // namespace fade::shim

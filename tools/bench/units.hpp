// What this program must know of a device beside what it runs: compute units, and caches.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace fade::bench {

/// Of a GPU, by all that the machine says of it; 0 where that is not known, which devices take for their
/// runtime's count.
int units_of_gpu(int device);

/// Of an architecture without a device: those of the largest one that is sold, or what emulations take where
/// none is known.
int units_of_arch(std::string_view arch);

/// Bytes of the last cache before memory: of host, hip or cuda; 0 where that is not known, and where times
/// are none of a device's.
std::uint64_t last_cache_of(const std::string& kind, int device);

}  // namespace fade::bench

// The __global__ function that carries an entry: each architecture's pass compiles its own shape of it, under one symbol.
#pragma once
#include <type_traits>
#include <fade/arch/current.hpp>
#include <fade/backend/hip/block.hpp>
#include <fade/core/launch.hpp>

namespace fade::backend::hip {

/// The host pass has no use for a shape, and a kernel of one's own need not exist for the host.
template <class Entry>
constexpr launch_shape shape_of_pass() {
    if constexpr (std::is_same_v<arch::current, arch::host>) return {.waves = 1, .shared_bytes = 16};
    else return Entry::template shape<arch::current>();
}

template <class Entry>
inline constexpr launch_shape current_shape = shape_of_pass<Entry>();

template <class Entry>
inline constexpr int current_threads = current_shape<Entry>.waves * arch::current::traits.wave_size;

/// Exact launch bounds decide how many registers the compiler may use.
template <class Entry>
__attribute__((global)) __attribute__((amdgpu_flat_work_group_size(current_threads<Entry>, current_threads<Entry>), amdgpu_waves_per_eu(current_shape<Entry>.waves_per_simd)))
void kernel(const typename Entry::arguments args) {
#if defined(__HIP_DEVICE_COMPILE__)
    // Only a C cast leads from the generic address space to that of shared memory.
    alignas(16) __attribute__((shared)) static std::byte memory[current_shape<Entry>.shared_bytes];
    block<arch::current, current_shape<Entry>.waves> here{(shared_pointer)memory};
    Entry::run(here, args);
#endif
}

}  // namespace fade::backend::hip

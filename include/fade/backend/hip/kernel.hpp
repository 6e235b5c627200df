// The __global__ function that carries an entry: each architecture's pass compiles its own shape of it, under one symbol.
#pragma once
#include <fade/arch/current.hpp>
#include <fade/backend/hip/block.hpp>
#include <fade/core/launch.hpp>

namespace fade::backend::hip {

template <class Entry>
inline constexpr launch_shape current_shape = Entry::template shape<arch::current>();

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

// The __global__ function that carries an entry: each architecture's pass compiles its own shape of it, under
// one symbol.
#pragma once
#include <fade/arch/launch_limits.hpp>
#include <fade/backend/hip/block.hpp>
#include <fade/backend/shape_of_pass.hpp>
#include <fade/core/workgroup.hpp>

namespace FADE_NAMESPACE::backend::hip {

/// One sentence before the compiler's own, which name the symbol alone.
template <class Entry, class Arch>
constexpr launch_shape fitting_shape() {
    constexpr launch_shape shape = shape_of_pass<Entry>();
    if constexpr (arch::is_device_pass<Arch>)
        static_assert(arch::fits(Arch::traits, shape),
                      "this kernel asks for more than a workgroup of this architecture has (lanes, shared "
                      "memory or waves_per_simd): take smaller tiles or fewer stages there");
    return shape;
}

template <class Entry>
inline constexpr launch_shape current_shape = fitting_shape<Entry, arch::current>();

/// What a kernel does.
template <class Entry>
FADE_DEVICE void run_kernel([[maybe_unused]] const typename Entry::arguments& args) {
#if defined(__HIP_DEVICE_COMPILE__)
    // Only a C cast leads from the generic address space to that of shared memory.
    alignas(16) __attribute__((shared)) static std::byte memory[current_shape<Entry>.shared_bytes];
    block<arch::current, current_shape<Entry>.waves> here{(shared_pointer)memory};
    static_assert(workgroup<decltype(here)>);
    Entry::run(here, args);
#endif
}

/// Exact launch bounds decide how many registers the compiler may use.
template <class Entry>
__attribute__((global))
__attribute__((amdgpu_flat_work_group_size(lanes_of_pass<Entry>(), lanes_of_pass<Entry>()),
               amdgpu_waves_per_eu(current_shape<Entry>.waves_per_simd))) void
kernel([[maybe_unused]] const typename Entry::arguments args) {
    run_kernel<Entry>(args);
}

}  // namespace FADE_NAMESPACE::backend::hip

// The __global__ function that carries an entry.
#pragma once
#include <fade/backend/cuda/block.hpp>
#include <fade/backend/shape_of_pass.hpp>
#include <fade/core/shape.hpp>
#include <fade/core/workgroup.hpp>

namespace FADE_NAMESPACE::backend::cuda {

template <class Entry>
inline constexpr launch_shape current_shape = shape_of_pass<Entry>();

/// Workgroups a multiprocessor must hold, from the waves that the policy wants on each of its four
/// schedulers.
template <class Entry>
inline constexpr int resident =
    max_of(current_shape<Entry>.waves_per_simd * 4 / current_shape<Entry>.all_waves(), 1);

/// What a kernel does.
template <class Entry>
FADE_DEVICE void run_kernel([[maybe_unused]] const typename Entry::arguments& args) {
#if defined(__CUDA_ARCH__)
    extern __shared__ __align__(1024) std::byte memory[];
    block<arch::current, current_shape<Entry>.waves, current_shape<Entry>.producers> here{memory};
    static_assert(async_workgroup<decltype(here)>);
    if constexpr (!current_shape<Entry>.awaits) here.await_inputs();
    Entry::run(here, args);
    if constexpr (current_shape<Entry>.awaits)
        here.await_inputs();  // a workgroup without work: this kernel must not end before the one before it
#endif
}

template <class Entry>
__global__ void __launch_bounds__(lanes_of_pass<Entry>(), resident<Entry>)
    kernel([[maybe_unused]] const __grid_constant__ typename Entry::arguments args) {
    run_kernel<Entry>(args);
}

}  // namespace FADE_NAMESPACE::backend::cuda

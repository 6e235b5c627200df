// Copies of boxes by Hopper's copy unit, and the barriers in shared memory at which they arrive. PTX ISA 8.0,
// "cp.async.bulk.tensor" and "mbarrier".
#pragma once
#include <cstdint>
#include <fade/core/tensor_map.hpp>

namespace FADE_NAMESPACE::backend::cuda {

/// Makes barriers that one arrival and its bytes complete, for the copy unit too. They are 8 bytes apart.
__device__ __forceinline__ void begin_arrivals(std::uint32_t first, int count) {
    for (int i = 0; i < count; ++i)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(first + std::uint32_t(i) * 8) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void expect(std::uint32_t barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

/// Has the copy unit read a map before it needs it.
__device__ __forceinline__ void prefetch(const tensor_map& map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

__device__ __forceinline__ void copy_box(std::uint32_t to, const tensor_map& map, const box_place& at,
                                         std::uint32_t barrier) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
                 "{%3, %4, %5, %6}], [%2];" ::"r"(to),
                 "l"(&map), "r"(barrier), "r"(at.column), "r"(at.position), "r"(at.head), "r"(at.batch)
                 : "memory");
}

/// Waits until a barrier was completed once more than `phase` times.
__device__ __forceinline__ void await_arrival(std::uint32_t barrier, int phase) {
    asm volatile("{\n\t.reg .pred p;\n\tagain%=:\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%0], "
                 "%1;\n\t@!p bra again%=;\n\t}" ::"r"(barrier),
                 "r"(phase & 1)
                 : "memory");
}

}  // namespace FADE_NAMESPACE::backend::cuda

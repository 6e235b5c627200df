// Copies of boxes by Hopper's copy unit, and the barriers in shared memory at which they arrive. PTX ISA 8.0,
// "cp.async.bulk.tensor" and "mbarrier".
#pragma once
#include <cstdint>
#include <fade/core/tensor_map.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::backend::cuda {

/// Makes barriers that so many arrivals and their bytes complete, for the copy unit too. They are 8 bytes
/// apart.
__device__ __forceinline__ void begin_arrivals(std::uint32_t first, int count, int arrivals) {
    for (int i = 0; i < count; ++i)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(first + std::uint32_t(i) * 8),
                     "r"(arrivals)
                     : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// Four matrices of 8 x 8 16-bit numbers, of which lane 8 * i + r says where row r of matrix i lies and lane
/// 4 * r + c has columns 2 * c and 2 * c + 1. PTX ISA 7.8, "stmatrix".
__device__ __forceinline__ void store_matrices(std::uint32_t to, const vec<std::uint32_t, 4>& of) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(of[0]),
                 "r"(of[1]), "r"(of[2]), "r"(of[3])
                 : "memory");
}

__device__ __forceinline__ void expect(std::uint32_t barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

__device__ __forceinline__ void arrive(std::uint32_t barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/// At the same barrier of another workgroup of the cluster. Products alone read what is released, so no fence
/// is needed, for which a wave would wait at every step.
__device__ __forceinline__ void arrive_at(std::uint32_t barrier, int rank) {
    asm volatile("{\n\t.reg .b32 there;\n\tmapa.shared::cluster.u32 there, %0, %1;\n\t"
                 "mbarrier.arrive.shared::cluster.b64 _, [there];\n\t}" ::"r"(barrier),
                 "r"(rank)
                 : "memory");
}

/// A barrier of all waves of a cluster.
__device__ __forceinline__ void meet_cluster() {
    asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
}

/// The same in two halves where nothing that was written is to be seen, but for barriers, which have a fence
/// of their own. What a lane has read is there: it was stored. To show what was written such an arrival does
/// not do: on an H200 sums were read that were not there yet.
__device__ __forceinline__ void arrive_quietly() {
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
__device__ __forceinline__ void await_cluster() {
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

/// 16 bytes from the same place in the shared memory of a workgroup of the cluster.
__device__ __forceinline__ uint4 load_of_cluster(std::uint32_t from, int rank) {
    uint4 out;
    asm volatile("{\n\t.reg .b32 there;\n\tmapa.shared::cluster.u32 there, %4, %5;\n\t"
                 "ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [there];\n\t}"
                 : "=r"(out.x), "=r"(out.y), "=r"(out.z), "=r"(out.w)
                 : "r"(from), "r"(rank)
                 : "memory");
    return out;
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

/// Of windows. The offsets of a tap are 16-bit operands.
__device__ __forceinline__ void copy_box(std::uint32_t to, const tensor_map& map, const im2col_place& at,
                                         std::uint32_t barrier) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], "
                 "[%1, {%3, %4, %5, %6}], [%2], {%7, %8};" ::"r"(to),
                 "l"(&map), "r"(barrier), "r"(at.channel), "r"(at.w), "r"(at.h), "r"(at.image),
                 "h"(std::uint16_t(at.tap_w)), "h"(std::uint16_t(at.tap_h))
                 : "memory");
}

/// A box to all workgroups of a cluster whose bits are set, at the same places there.
__device__ __forceinline__ void copy_box_to_all(std::uint32_t to, const tensor_map& map, const box_place& at,
                                                std::uint32_t barrier, int ranks) {
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1, {%3, %4, %5, %6}], [%2], %7;" ::"r"(to),
        "l"(&map), "r"(barrier), "r"(at.column), "r"(at.position), "r"(at.head), "r"(at.batch),
        "h"(std::uint16_t(ranks))
        : "memory");
}

/// Shared memory as lanes left it is what the copy unit sees.
__device__ __forceinline__ void publish() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

__device__ __forceinline__ void store_box(std::uint32_t from, const tensor_map& map, const box_place& at) {
    asm volatile(
        "cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%2, %3, %4, %5}], [%1];" ::"l"(&map),
        "r"(from), "r"(at.column), "r"(at.position), "r"(at.head), "r"(at.batch)
        : "memory");
}
/// To pixels as windows of one tap walk over them.
__device__ __forceinline__ void store_box(std::uint32_t from, const tensor_map& map, const im2col_place& at) {
    asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group [%0, {%2, %3, %4, "
                 "%5}], [%1];" ::"l"(&map),
                 "r"(from), "r"(at.channel), "r"(at.w), "r"(at.h), "r"(at.image)
                 : "memory");
}
__device__ __forceinline__ void commit_boxes() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
/// Waits until shared memory of all but the last Pending groups was read.
template <int Pending>
__device__ __forceinline__ void await_boxes() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}

/// Waits until a barrier was completed once more than `phase` times.
__device__ __forceinline__ void await_arrival(std::uint32_t barrier, int phase) {
    asm volatile("{\n\t.reg .pred p;\n\tagain%=:\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%0], "
                 "%1;\n\t@!p bra again%=;\n\t}" ::"r"(barrier),
                 "r"(phase & 1)
                 : "memory");
}

}  // namespace FADE_NAMESPACE::backend::cuda

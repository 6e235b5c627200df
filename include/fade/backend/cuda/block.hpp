// A workgroup (thread block) on an NVIDIA GPU: this object is one lane of it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <fade/backend/buffer.hpp>
#include <fade/backend/bytes.hpp>
#include <fade/backend/cuda/memory.hpp>
#include <fade/backend/cuda/numbers.hpp>
#include <fade/backend/cuda/tile_copy.hpp>
#include <fade/core/instruction_mix.hpp>
#include <fade/core/lane_coord.hpp>
#include <fade/core/number/narrow_loss.hpp>
#include <fade/core/number/ordered.hpp>

#define FADE_DEVICE __device__ __forceinline__

namespace FADE_NAMESPACE::backend::cuda {

/// Memory from `base` on; the caller keeps offsets inside it, or `outside`.
struct buffer {
    const std::byte* base;
    template <class V>
    FADE_DEVICE V load(std::uint32_t offset, std::uint32_t further = 0) const {
        V v{};
        if (offset < outside) v = *reinterpret_cast<const V*>(base + offset + further);
        return v;
    }
    /// The same without a branch, over which loads could not be moved ahead of each other's uses.
    template <class V>
    FADE_DEVICE V load_predicated(std::uint32_t offset) const {
        return load_if<V>(offset < outside, base + offset);
    }
    /// Brings what lies there into the last cache.
    FADE_DEVICE void prefetch(std::uint32_t offset) const {
        asm volatile("prefetch.global.L2 [%0];" ::"l"(base + offset));
    }
    template <class V>
    FADE_DEVICE void store(std::uint32_t offset, const V& v) const {
        if (offset < outside) *reinterpret_cast<V*>(const_cast<std::byte*>(base) + offset) = v;
    }
    /// The same for 16 bytes that the kernel reads no more.
    template <class V>
    FADE_DEVICE void stream(std::uint32_t offset, const V& v, std::uint32_t further) const {
        stream_if(offset < outside, const_cast<std::byte*>(base) + offset + further, v);
    }
};

/// Memory of which only the first `bytes` exist. Accesses are aligned runs, so that where one begins decides.
struct bounded_buffer : buffer {
    std::uint32_t bytes;
    template <class V>
    FADE_DEVICE V load(std::uint32_t offset, std::uint32_t further = 0) const {
        asm volatile(
            ""
            : "+r"(offset));  // else the sums of a lane's offsets would be kept in registers over a loop
        const std::uint32_t at = offset + further;
        return load_if<V>(at < bytes, base + at);
    }
};

/// Producers: waves beside those that the kernel counts, which bring what those read.
template <class Arch, int Waves, int Producers = 0>
struct block {
    using arch = Arch;
    static constexpr int waves = Waves, wave_size = Arch::traits.wave_size, threads = waves * wave_size;
    static constexpr int held = 1, wave_held = 1;
    static constexpr bool emulated = false;
    using buffer = cuda::buffer;

    std::byte* shared;
    int own_wave = __shfl_sync(0xffffffffu, int(threadIdx.x / unsigned(wave_size)),
                               0);  ///< the same for all its lanes, which the compiler is to know

    FADE_DEVICE int id_x() const { return int(blockIdx.x); }
    FADE_DEVICE int id_y() const { return int(blockIdx.y); }
    FADE_DEVICE int id_z() const { return int(blockIdx.z); }

    /// Waits for the kernel before it on the stream, beside whose end this one may have begun; the next may
    /// begin now. Before that it may use nothing but its arguments; again it costs nothing.
    FADE_DEVICE void await_inputs() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
        asm volatile("griddepcontrol.wait;" ::: "memory");
        asm volatile("griddepcontrol.launch_dependents;");
#endif
    }

    template <class F>
    FADE_DEVICE void each_wave(F f) const {
        f(wave_coord{own_wave, 0});
    }
    template <class F>
    FADE_DEVICE void each_lane(F f) const {
        f(lane_coord{own_wave, lane(), 0});
    }
    template <class F>
    FADE_DEVICE void each_lane_of(wave_coord w, F f) const {
        f(lane_coord{w.wave, lane(), 0});
    }

    FADE_DEVICE static void keep(std::uint32_t&) {}
    FADE_DEVICE static void keep(float&) {}
    /// A word whose value the compiler is to know nothing of: what was made of it before is made again.
    FADE_DEVICE static void opaque(std::uint32_t& word) { asm volatile("" : "+r"(word)); }
    template <std::uint32_t Which>
    FADE_DEVICE static std::uint32_t pick_bytes(std::uint32_t a, std::uint32_t b) {
        return __byte_perm(a, b, Which);
    }
    template <class T, bool Neighbours>
    FADE_DEVICE static std::uint32_t widen(std::uint32_t a, std::uint32_t b, int at) {
        return backend::widen<T, Neighbours>(a, b, at);
    }
    FADE_DEVICE static std::uint32_t round_halves(float a, float b) { return cuda::round_halves(a, b); }
    FADE_DEVICE static vec<float, 2> widen_halves(std::uint32_t x) { return cuda::widen_halves(x); }
    FADE_DEVICE static std::uint32_t scale_halves(std::uint32_t x, std::uint32_t zero, std::uint32_t scale) {
        return cuda::scale_halves(x, zero, scale);
    }
    template <class T>
    FADE_DEVICE static std::uint32_t difference(std::uint32_t x, std::uint32_t zero) {
        return cuda::difference<T>(x, zero);
    }
    FADE_DEVICE static std::uint32_t and_or(std::uint32_t x, std::uint32_t mask, std::uint32_t bits) {
        return cuda::and_or(x, mask, bits);
    }
    FADE_DEVICE static std::uint32_t scale_bfloats(std::uint32_t x, std::uint32_t zero, std::uint32_t scale,
                                                   std::uint32_t rest) {
        return cuda::scale_bfloats(x, zero, scale, rest);
    }
    template <int, instruction_mix...>
    FADE_DEVICE static void schedule() {}
    template <int, vector_mix>
    FADE_DEVICE static void spread() {}
    /// All shared-memory accesses before it are visible to all waves after it, and to the matrix unit of
    /// sm_90a, which reads by another path.
    FADE_DEVICE void sync() const {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
        publish();
#endif
        meet();
    }

    /// A barrier without the matrix unit, which reads nothing that these waves wrote, and without producers.
    FADE_DEVICE void meet() const {
        if constexpr (Producers == 0)
            __syncthreads();
        else
            asm volatile("bar.sync 1, %0;" ::"n"(threads) : "memory");
    }
    /// What lanes of a wave wrote to shared memory can be read by its other lanes.
    FADE_DEVICE static void meet_wave() { __syncwarp(); }
    /// A barrier of all waves, producers too; and where roles call it from places of their own.
    FADE_DEVICE void meet_producers() const { __syncthreads(); }
    FADE_DEVICE void meet_roles() const {
        asm volatile("barrier.sync 15, %0;" ::"n"(threads + Producers * wave_size) : "memory");
    }
    /// A barrier of the four waves that multiply together.
    FADE_DEVICE void meet_group() const {
        asm volatile("bar.sync %0, 128;" ::"r"(own_wave / 4 + 2) : "memory");
    }
    /// Is this a wave that produces?
    FADE_DEVICE bool produces() const { return own_wave >= waves; }
    /// From here on a lane has so many registers: four waves, which all call it, leave the others some, or
    /// take what those left.
    template <int Registers>
    FADE_DEVICE static void leave_registers() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
#endif
    }
    template <int Registers>
    FADE_DEVICE static void take_registers() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
#endif
    }

    /// Memory that ends at `end`: beyond it loads give zero.
    FADE_DEVICE bounded_buffer global_bounded(const void* base, const void* end) const {
        const std::ptrdiff_t left = static_cast<const char*>(end) - static_cast<const char*>(base);
        return {{static_cast<const std::byte*>(base)},
                left <= 0                        ? 0u
                : left < std::ptrdiff_t(outside) ? std::uint32_t(left)
                                                 : outside};
    }
    template <class T>
    FADE_DEVICE static vec<T, 2> narrow(float a, float b) {
        return cuda::narrow<T>(a, b);
    }
    /// Two numbers in a narrower type, to nearest with ties to even, in one instruction.
    template <class T>
    FADE_DEVICE static vec<T, 2> round_pair(float a, float b) {
        return cuda::narrow<T>(a, b);
    }
    template <class T>
    static constexpr narrow_loss lost{};
    FADE_DEVICE static vec<float, 2> multiply_add(const vec<float, 2>& x, float a, float b) {
        return {__builtin_fmaf(x[0], a, b), __builtin_fmaf(x[1], a, b)};
    }
    FADE_DEVICE static void pack2(vec<float, 2>&) {}
    FADE_DEVICE static float exp2(float x) { return cuda::exp2(x); }
    FADE_DEVICE static float log2(float x) { return cuda::log2(x); }
    FADE_DEVICE static float reciprocal(float x) { return cuda::reciprocal(x); }
    FADE_DEVICE static float maximum(float a, float b) { return __builtin_fmaxf(a, b); }
    /// The same, or NaN where one is; and of two pairs of 16-bit floats, each in a word.
    FADE_DEVICE static float maximum_or_nan(float a, float b) { return cuda::maximum_or_nan(a, b); }
    template <class T>
    FADE_DEVICE static std::uint32_t maximum_or_nan(std::uint32_t a, std::uint32_t b) {
        return cuda::maximum_or_nan<T>(a, b);
    }
    /// 0xffff in each half of a word where a 16-bit float of `a` is not below that of `b`.
    template <class T>
    FADE_DEVICE static std::uint32_t at_least(std::uint32_t a, std::uint32_t b) {
        return cuda::at_least<T>(a, b);
    }
    /// Does it hold in any lane of the wave?
    FADE_DEVICE static int uniform(int x) { return x; }
    FADE_DEVICE static bool any_lane(bool holds) { return __any_sync(0xffffffffu, holds); }
    /// Does it hold in any lane of the workgroup? A barrier, though not for the matrix unit of sm_90a.
    FADE_DEVICE bool vote(bool holds) const { return __syncthreads_or(holds) != 0; }
    /// What f gives for another lane of the wave, an address; all lanes call it.
    template <class F>
    FADE_DEVICE static auto from_lane(lane_coord p, int lane, F f) {
        const auto mine = f(p);
        return reinterpret_cast<decltype(f(p))>(
            __shfl_sync(0xffffffffu, reinterpret_cast<unsigned long long>(mine), lane));
    }
    /// What the lane whose number differs in the bits of `mask` holds, and what lane `i` does.
    FADE_DEVICE static float shuffle_xor(lane_coord, const float* lanes, int mask) {
        return __shfl_xor_sync(0xffffffffu, lanes[0], mask);
    }
    FADE_DEVICE static float shuffle_from(lane_coord, const float* x, int i) {
        return __shfl_sync(~0u, x[0], i);
    }

    /// A word of each lane of the wave folded by one instruction.
    FADE_DEVICE static std::uint32_t fold_wave(std::uint32_t x, larger_word) {
        return __reduce_max_sync(0xffffffffu, x);
    }
    FADE_DEVICE static std::uint32_t fold_wave(std::uint32_t x, lower_word) {
        return __reduce_min_sync(0xffffffffu, x);
    }

    FADE_DEVICE buffer global(const void* base, const void*, const void*) const {
        return {static_cast<const std::byte*>(base)};
    }
    /// What lies at an address of this lane's own, aligned as V is long, where `there` holds; else zeros.
    template <class V>
    FADE_DEVICE V load_anywhere(bool there, const void* from) const {
        return load_if<V>(there, static_cast<const std::byte*>(from));
    }
    /// The arguments of the launch, which take no registers here.
    template <class Args>
    FADE_DEVICE static const Args& reload_arguments(const Args& args) {
        return args;
    }
    template <class Args>
    FADE_DEVICE static Args copy_arguments(const Args& args) {
        return args;
    }
    FADE_DEVICE static std::uint32_t reload_address(std::uint32_t x) {
        asm volatile("" : "+r"(x));
        return x;
    }
    template <class V>
    FADE_DEVICE V load_shared(lane_coord, std::uint32_t offset) const {
        return *reinterpret_cast<const V*>(shared + offset);
    }
    template <class V>
    FADE_DEVICE void store_shared(lane_coord, std::uint32_t offset, const V& v) const {
        *reinterpret_cast<V*>(shared + offset) = v;
    }
    template <class F>
    FADE_DEVICE void store_matrices(lane_coord p, F offset_of, const vec<std::uint32_t, 4>& words) const {
        cuda::store_matrices(shared_address(offset_of(p.lane)), words);
    }

    /// Starts copying 16, 8 or 4 bytes to shared memory; an offset `outside` writes zeros.
    template <int Bytes = 16>
    FADE_DEVICE void copy_async(lane_coord, std::uint32_t to, const buffer& from,
                                std::uint32_t offset) const {
        const bool there = offset < outside;
        cuda::copy_async<Bytes>(shared_address(to), from.base + (there ? offset : 0), there ? Bytes : 0);
    }
    /// The same from an address of this lane's own, or zeros.
    FADE_DEVICE void copy_async(lane_coord, std::uint32_t to, const void* from, bool there) const {
        cuda::copy_async<16>(shared_address(to), from, there ? 16 : 0);
    }
    /// Closes a group of copies.
    FADE_DEVICE void commit_async() const { asm volatile("cp.async.commit_group;"); }
    /// Waits until at most Pending groups of this lane are still under way.
    template <int Pending>
    FADE_DEVICE void wait_async() const {
        asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
    }

    /// Boxes of a tensor: one lane asks for them, all waves wait, at barriers of 8 bytes in shared memory.
    template <class F>
    FADE_DEVICE static void one_lane(F f) {
        if (threadIdx.x == 0) f();
    }
    /// The first lane of those that produce. Where shared memory begins is asked for once, not at every step.
    template <class F>
    FADE_DEVICE void one_producer(F f) {
        asm volatile("" : "+l"(shared));
        if (threadIdx.x == threads) f();
    }
    /// A lane of each four waves that multiply together, whose number f is given.
    template <class F>
    FADE_DEVICE void one_lane_of_group(F f) const {
        if (threadIdx.x % 128 == 0) f(own_wave / 4);
    }
    /// Boxes of these maps will be copied: the copy unit reads the maps now, while lanes compute addresses.
    template <class... Maps>
    FADE_DEVICE static void prefetch_maps(const Maps&... maps) {
        one_lane([&] { (cuda::prefetch(maps), ...); });
    }
    FADE_DEVICE void begin_arrivals(std::uint32_t first, int count, int arrivals = 1) const {
        cuda::begin_arrivals(shared_address(first), count, arrivals);
    }
    FADE_DEVICE void arrive(std::uint32_t barrier) const { cuda::arrive(shared_address(barrier)); }
    /// Workgroups of a cluster arrive at each other's barriers, meet, leave, read and bring boxes for all.
    FADE_DEVICE void arrive_at(std::uint32_t barrier, int rank) const {
        cuda::arrive_at(shared_address(barrier), rank);
    }
    FADE_DEVICE static void meet_cluster() { cuda::meet_cluster(); }
    FADE_DEVICE static void arrive_quietly() { cuda::arrive_quietly(); }
    FADE_DEVICE static void await_cluster() { cuda::await_cluster(); }
    FADE_DEVICE static void leave_cluster() { arrive_quietly(), await_cluster(); }
    template <class V>
    FADE_DEVICE V load_of_cluster(lane_coord, int rank, std::uint32_t offset) const {
        return __builtin_bit_cast(V, cuda::load_of_cluster(shared_address(offset), rank));
    }
    FADE_DEVICE void copy_box_to_all(std::uint32_t to, const tensor_map& map, const tile_source&,
                                     const box_place& at, std::uint32_t barrier, int ranks) const {
        cuda::copy_box_to_all(shared_address(to), map, at, shared_address(barrier), ranks);
    }
    /// So many bytes will arrive, and then the barrier's turn is over.
    FADE_DEVICE void expect(std::uint32_t barrier, int bytes) const {
        cuda::expect(shared_address(barrier), bytes);
    }
    /// Starts copying a box to rows of 128 bytes from byte `to` on, a multiple of 1024.
    FADE_DEVICE void copy_box(std::uint32_t to, const tensor_map& map, const tile_source&,
                              const box_place& at, std::uint32_t barrier) const {
        cuda::copy_box(shared_address(to), map, at, shared_address(barrier));
    }
    /// The same of what a tap of windows sees.
    FADE_DEVICE void copy_box(std::uint32_t to, const tensor_map& map, const im2col_source&,
                              const im2col_place& at, std::uint32_t barrier) const {
        cuda::copy_box(shared_address(to), map, at, shared_address(barrier));
    }
    /// Waits for the end of a turn, counted from 0.
    FADE_DEVICE void await_arrival(std::uint32_t barrier, int phase) const {
        cuda::await_arrival(shared_address(barrier), phase);
    }
    FADE_DEVICE static void publish() { cuda::publish(); }
    /// Starts storing a box from rows of 128 bytes, which were published, in the order of copy_box.
    FADE_DEVICE void store_box(std::uint32_t from, const tensor_map& map, const tile_source&,
                               const box_place& at) const {
        cuda::store_box(shared_address(from), map, at);
    }
    /// The same to pixels that windows of one tap see.
    FADE_DEVICE void store_box(std::uint32_t from, const tensor_map& map, const im2col_source&,
                               const im2col_place& at) const {
        cuda::store_box(shared_address(from), map, at);
    }
    /// Closes a group of this lane's stores. The group's number is emulation's.
    FADE_DEVICE static void commit_boxes(int) { cuda::commit_boxes(); }
    /// Waits until the memory of all but the last Pending groups of this lane's may be written.
    template <int Pending>
    FADE_DEVICE static void await_boxes(int) {
        cuda::await_boxes<Pending>();
    }

    /// The byte of `offset` in the shared window, as matrix descriptors name it.
    FADE_DEVICE std::uint32_t shared_address(std::uint32_t offset) const {
        return std::uint32_t(__cvta_generic_to_shared(shared)) + offset;
    }
    /// Brackets of a batch of warpgroup products: registers are the matrix unit's between begin and wait.
    FADE_DEVICE void begin_matrix() const { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
    FADE_DEVICE void commit_matrix() const { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
    /// Waits until at most Pending batches are under way.
    template <int Pending>
    FADE_DEVICE void wait_matrix() const {
        asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
    }

    /// x, of which nothing is computed before this stands: not before a loop that rarely comes here.
    FADE_DEVICE static int fresh(int x) {
        asm volatile("" : "+r"(x));
        return x;
    }
    /// Takes a value by itself, after all that was waited for.
    FADE_DEVICE static void fence_registers(float& x) { asm volatile("" : "+f"(x)::"memory"); }
    /// x has no value from here on, so that no register holds one before.
    FADE_DEVICE static void discard(float& x) { asm volatile("" : "=f"(x)); }

private:
    FADE_DEVICE static int lane() { return int(threadIdx.x % unsigned(wave_size)); }
};

}  // namespace FADE_NAMESPACE::backend::cuda

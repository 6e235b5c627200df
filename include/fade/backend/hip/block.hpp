// A workgroup on an AMD GPU: this object is one lane of it.
#pragma once
#include <fade/backend/bytes.hpp>
#include <fade/backend/hip/exchange.hpp>
#include <fade/backend/hip/memory.hpp>
#include <fade/backend/hip/narrow.hpp>
#include <fade/backend/hip/schedule.hpp>
#include <fade/backend/hip/widen.hpp>
#include <fade/core/lane_coord.hpp>

#define FADE_DEVICE __device__ inline __attribute__((always_inline))

namespace FADE_NAMESPACE::backend::hip {

template <class Arch, int Waves>
struct block {
    using arch = Arch;
    static constexpr int waves = Waves, wave_size = Arch::traits.wave_size, threads = waves * wave_size;
    static constexpr int held = 1, wave_held = 1;
    static constexpr bool emulated = false;
    using buffer = hip::buffer<Arch::traits.buffer_word>;

    shared_pointer shared;

    FADE_DEVICE int id_x() const { return int(__builtin_amdgcn_workgroup_id_x()); }
    FADE_DEVICE int id_y() const { return int(__builtin_amdgcn_workgroup_id_y()); }
    FADE_DEVICE int id_z() const { return int(__builtin_amdgcn_workgroup_id_z()); }

    /// Kernels of a stream follow each other.
    FADE_DEVICE void await_inputs() const {}

    template <class F>
    FADE_DEVICE void each_wave(F f) const {
        f(wave_coord{wave(), 0});
    }
    template <class F>
    FADE_DEVICE void each_lane(F f) const {
        f(lane_coord{wave(), lane(), 0});
    }
    template <class F>
    FADE_DEVICE void each_lane_of(wave_coord w, F f) const {
        f(lane_coord{w.wave, lane(), 0});
    }

    /// Pins a per-lane value that was computed before a loop, so that the compiler does not compute it again
    /// inside.
    FADE_DEVICE static void keep(std::uint32_t& value) { asm volatile("" : "+v"(value)); }
    FADE_DEVICE static void keep(float& value) { asm volatile("" : "+v"(value)); }
    /// A word whose value the compiler is to know nothing of: what was made of it before is made again.
    FADE_DEVICE static void opaque(std::uint32_t& word) { asm volatile("" : "+v"(word)); }

    /// A number of a lane that the compiler is to know nothing of: what is made of it is made here, and waits
    /// in no register.
    FADE_DEVICE static int fresh(int x) {
        asm volatile("" : "+v"(x));
        return x;
    }

    /// The bytes that the four hexadecimal digits of Which name, the last digit the lowest byte: 0 to 3 are
    /// those of a, 4 to 7 those of b.
    template <std::uint32_t Which>
    FADE_DEVICE static std::uint32_t pick_bytes(std::uint32_t a, std::uint32_t b) {
        constexpr std::uint32_t wide =
            (Which & 0xfu) | (Which & 0xf0u) << 4 | (Which & 0xf00u) << 8 | (Which & 0xf000u) << 12;
        return __builtin_amdgcn_perm(b, a, wide);
    }
    /// Two 8-bit floats T as two f16: elements `at` and at + 1 of register a if Neighbours (at is even), else
    /// elements `at` of a and of b.
    template <class T, bool Neighbours>
    FADE_DEVICE static std::uint32_t widen(std::uint32_t a, std::uint32_t b, int at) {
        return hip::widen<T, Neighbours>(a, b, at);
    }
    FADE_DEVICE static std::uint32_t round_halves(float a, float b) { return backend::round_halves(a, b); }
    FADE_DEVICE static vec<float, 2> widen_halves(std::uint32_t x) { return backend::widen_halves(x); }
    FADE_DEVICE static std::uint32_t scale_halves(std::uint32_t x, std::uint32_t zero, std::uint32_t scale) {
        return hip::scale_halves(x, zero, scale);
    }

    /// Issues what stands since the last call of it in this order: the memory instructions of each mix in
    /// turn, Products among them.
    template <int Products, instruction_mix... Mix>
    FADE_DEVICE static void schedule() {
        hip::schedule<Products, Mix...>();
    }

    /// Issues what stands since the last call in this order: each of the products, then what Mix puts behind
    /// it.
    template <int Products, vector_mix Mix>
    FADE_DEVICE static void spread() {
        hip::spread<Products, Mix>();
    }

    /// All shared-memory accesses before it are visible to all waves after it. Global loads stay in flight.
    FADE_DEVICE void sync() const {
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
#if defined(__gfx908__)
        // LLVM drains vmcnt(0) before an s_barrier of gfx908, which cannot back off where an access faults.
        // Written as text, the barrier waits for LDS alone. No build of FADE asks for xnack+.
        asm volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" ::: "memory");
#else
        __builtin_amdgcn_s_barrier();
#endif
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
        // LLVM 22 sinks what was read from shared memory behind fences and barriers into a later block. An
        // instruction that might store holds it in this one; before the barrier it would part reads, too.
        asm volatile("" ::: "memory");
    }

    /// Memory that ends at `end`: beyond it loads give zero and stores are dropped.
    FADE_DEVICE hip::bounded_buffer<Arch::traits.buffer_word> global_bounded(const void* base,
                                                                             const void* end) const {
        const std::ptrdiff_t left = static_cast<const char*>(end) - static_cast<const char*>(base);
        const std::uint32_t low = std::uint32_t(left),
                            high = std::uint32_t(left >> 32);  // scalar units do not order numbers of 64 bits
        return hip::bounded_buffer<Arch::traits.buffer_word>(base, high == 0 ? low < outside ? low : outside
                                                                             : ~high & outside);
    }
    /// Two numbers in a narrower type; see narrow.hpp for the rounding.
    template <class T>
    FADE_DEVICE static vec<T, 2> narrow(float a, float b) {
        return hip::narrow<T>(a, b);
    }
    template <class T>
    static constexpr narrow_loss lost = hip::lost<T>;
    /// a x + b for two numbers at once.
    FADE_DEVICE static vec<float, 2> multiply_add(const vec<float, 2>& x, float a, float b) {
        using pair = float __attribute__((ext_vector_type(2)));
        return __builtin_bit_cast(vec<float, 2>,
                                  __builtin_elementwise_fma(__builtin_bit_cast(pair, x), pair(a), pair(b)));
    }
    /// Puts two numbers into neighbouring registers, whose banks differ, where an instruction can do two
    /// operations at once.
    FADE_DEVICE static void pack2(vec<float, 2>& x) { hip::pack2(x); }
    FADE_DEVICE static float exp2(float x) { return __builtin_amdgcn_exp2f(x); }
    /// To one unit in the last place.
    FADE_DEVICE static float reciprocal(float x) { return __builtin_amdgcn_rcpf(x); }
    FADE_DEVICE static float log2(float x) { return __builtin_amdgcn_logf(x); }
    FADE_DEVICE static float maximum(float a, float b) { return __builtin_fmaxf(a, b); }
    /// Does it hold in any lane of the wave?
    /// x, which is the same in all lanes, in a scalar register: compilers leave there what came from vector
    /// instructions (as quotients do) only where it costs little, and no loop's addresses.
    FADE_DEVICE static int uniform(int x) { return __builtin_amdgcn_readfirstlane(x); }
    FADE_DEVICE static bool any_lane(bool holds) {
        if constexpr (wave_size == 32)
            return __builtin_amdgcn_ballot_w32(holds) != 0;
        else
            return __builtin_amdgcn_ballot_w64(holds) != 0;
    }
    /// What the lane whose number differs in the bits of `mask` holds.
    FADE_DEVICE static float shuffle_xor(lane_coord p, const float* lanes, int mask) {
        return exchange<wave_size>(lanes[0], p.lane, mask);
    }

    /// The word that f gives for another lane of the wave; all lanes call it.
    template <class F>
    FADE_DEVICE static std::uint32_t word_of_lane(lane_coord p, int lane, F f) {
        return std::uint32_t(__builtin_amdgcn_ds_bpermute(lane * 4, int(f(p))));
    }

    /// The number that f gives for lane 0 of the wave; all lanes call it.
    template <class F>
    FADE_DEVICE static int first_of_wave(lane_coord p, F f) {
        return __builtin_amdgcn_readfirstlane(f(p));
    }

    FADE_DEVICE buffer global(const void* base, const void*, const void*) const { return buffer(base); }
    /// What lies at an address of this lane's own, aligned as V is long, where `there` holds; else zeros.
    template <class V>
    FADE_DEVICE V load_anywhere(bool there, const void* from) const {
        using w = typename word<sizeof(V)>::type;
        w v{};
        if (there) v = *static_cast<const w*>(from);
        return __builtin_bit_cast(V, v);
    }
    /// The arguments of the launch, loaded anew: until then no register need hold them.
    template <class Args>
    FADE_DEVICE static const Args& reload_arguments(const Args&) {
        auto* from = __builtin_amdgcn_kernarg_segment_ptr();
        asm volatile("" : "+s"(from));
        return *(const Args*)from;  // only a C cast leads from constant memory to the generic address space
    }
    /// A copy of them, loaded anew. Through pointers of the generic address space the loads of a loop that
    /// stores would be vector loads, and what they give no scalars.
    template <class Args>
    FADE_DEVICE static Args copy_arguments(const Args&) {
        using word = __attribute__((address_space(4))) const std::uint32_t;
        static_assert(sizeof(Args) % sizeof(std::uint32_t) == 0);
        auto* from = __builtin_amdgcn_kernarg_segment_ptr();
        asm volatile("" : "+s"(from));
        vec<std::uint32_t, int(sizeof(Args) / sizeof(std::uint32_t))> words;
        FADE_UNROLL
        for (int i = 0; i < words.size; ++i) words[i] = ((word*)from)[i];
        return __builtin_bit_cast(Args, words);
    }
    template <class V>
    FADE_DEVICE V load_shared(lane_coord, std::uint32_t offset) const {
        return shared_load<V>(shared + offset);
    }
    /// This lane's column of the four rows of sixteen elements that sixteen lanes read together, each four
    /// elements where at(place) says.
    template <class V, class At>
    FADE_DEVICE V load_shared_transposed(lane_coord p, At at) const {
        return shared_load_transposed<V>(shared + at(p));
    }
    template <class V>
    FADE_DEVICE void store_shared(lane_coord, std::uint32_t offset, const V& v) const {
        shared_store(shared + offset, v);
    }

private:
    FADE_DEVICE static int lane() { return int(__builtin_amdgcn_workitem_id_x()) % wave_size; }
    FADE_DEVICE static int wave() {
        if constexpr (waves == 1) return 0;
        const int w = __builtin_amdgcn_readfirstlane(int(__builtin_amdgcn_workitem_id_x()) / wave_size);
        __builtin_assume(w >= 0 && w < waves);
        return w;
    }
};

}  // namespace FADE_NAMESPACE::backend::hip

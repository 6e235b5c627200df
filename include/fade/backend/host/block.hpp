// A workgroup that is one CPU thread: one wave of one lane, shared memory is its cache.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fade/backend/bounded_memory.hpp>
#include <fade/backend/buffer.hpp>
#include <fade/backend/bytes.hpp>
#include <fade/backend/host/numbers.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/instruction_mix.hpp>
#include <fade/core/lane_coord.hpp>
#include <fade/core/number/narrow_loss.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::backend::host {

/// Memory from `base` on; the caller keeps offsets inside it, or `outside`.
struct buffer {
    const std::byte* base;
    template <class V>
    V load(std::uint32_t offset, std::uint32_t further = 0) const {
        V v{};
        if (offset < outside) std::memcpy(&v, base + offset + further, sizeof v);
        return v;
    }
    template <class V>
    void store(std::uint32_t offset, const V& v) const {
        if (offset < outside) std::memcpy(const_cast<std::byte*>(base) + offset, &v, sizeof v);
    }
};

template <class Arch, int Waves>
struct block {
    using arch = Arch;
    static_assert(Waves == 1, "a workgroup of the host is one thread");
    static constexpr int waves = 1, wave_size = 1, threads = 1, held = 1, wave_held = 1;
    static constexpr bool emulated = false;
    using buffer = host::buffer;

    int group[3];
    std::byte* shared;

    int id_x() const { return group[0]; }
    int id_y() const { return group[1]; }
    int id_z() const { return group[2]; }

    /// Launches follow each other.
    void await_inputs() const {}

    template <class F>
    FADE_FN void each_wave(F f) const {
        f(wave_coord{0, 0});
    }
    template <class F>
    FADE_FN void each_lane(F f) const {
        f(lane_coord{0, 0, 0});
    }
    template <class F>
    FADE_FN void each_lane_of(wave_coord, F f) const {
        f(lane_coord{0, 0, 0});
    }
    static void keep(std::uint32_t&) {}
    static void keep(float&) {}
    template <std::uint32_t Which>
    static std::uint32_t pick_bytes(std::uint32_t a, std::uint32_t b) {
        return backend::pick_bytes<Which>(a, b);
    }
    template <class T, bool Neighbours>
    static std::uint32_t widen(std::uint32_t a, std::uint32_t b, int at) {
        return backend::widen<T, Neighbours>(a, b, at);
    }
    static std::uint32_t round_halves(float a, float b) { return backend::round_halves(a, b); }
    static vec<float, 2> widen_halves(std::uint32_t x) { return backend::widen_halves(x); }
    static std::uint32_t scale_halves(std::uint32_t x, std::uint32_t zero, std::uint32_t scale) {
        return backend::scale_halves(x, zero, scale);
    }
    template <int, instruction_mix...>
    static void schedule() {}
    void sync() const {}
    FADE_FN static float exp2(float x) { return host::exp2(x); }
    FADE_FN static float exp2_below(float x) { return host::exp2_below(x); }
    FADE_FN static float log2(float x) { return host::log2(x); }
    FADE_FN static float reciprocal(float x) { return host::reciprocal(x); }

    static float maximum(float a, float b) { return a < b ? b : a; }
    static vec<float, 2> multiply_add(const vec<float, 2>& x, float a, float b) {
        return {x[0] * a + b, x[1] * a + b};
    }
    static void pack2(vec<float, 2>&) {}
    template <class T>
    static vec<T, 2> narrow(float a, float b) {
        return {convert<T>(a), convert<T>(b)};
    }
    template <class T>
    static constexpr narrow_loss lost{};
    static int uniform(int x) { return x; }
    static bool any_lane(bool holds) { return holds; }
    /// A lane alone has no other to read from.
    static float shuffle_xor(lane_coord, const float* lanes, int) { return lanes[0]; }

    /// Memory up to `end`; what lies beyond reads as zero.
    bounded_memory global_bounded(const void* base, const void* end) const {
        return {static_cast<const std::byte*>(base), static_cast<const std::byte*>(end)};
    }
    buffer global(const void* base, const void*, const void*) const {
        return {static_cast<const std::byte*>(base)};
    }
    /// The arguments of the launch: no register holds them.
    template <class Args>
    static const Args& reload_arguments(const Args& args) {
        return args;
    }
    template <class V>
    V load_shared(lane_coord, std::uint32_t offset) const {
        V v;
        std::memcpy(&v, shared + offset, sizeof v);
        return v;
    }
    template <class V>
    void store_shared(lane_coord, std::uint32_t offset, const V& v) const {
        std::memcpy(shared + offset, &v, sizeof v);
    }
};

}  // namespace FADE_NAMESPACE::backend::host

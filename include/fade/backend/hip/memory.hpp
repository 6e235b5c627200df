// Loads and stores as the AMD compiler's builtins, of 1 to 16 bytes each.
#pragma once
#include <cstddef>
#include <cstdint>
#include <fade/backend/buffer.hpp>
#include <fade/core/config.hpp>

namespace FADE_NAMESPACE::backend::hip {

template <int Bytes>
struct word;
template <>
struct word<1> {
    using type = std::uint8_t;
};
template <>
struct word<2> {
    using type = std::uint16_t;
};
template <>
struct word<4> {
    using type = std::uint32_t;
};
template <>
struct word<8> {
    using type = std::uint32_t __attribute__((ext_vector_type(2)));
};
template <>
struct word<16> {
    using type = std::uint32_t __attribute__((ext_vector_type(4)));
};

using shared_pointer = __attribute__((address_space(3))) std::byte*;

/// What moves in several accesses: runs of f32 beside those of 16 bits.
template <class V>
struct quads {
    static_assert(sizeof(V) % 16 == 0, "an access has 1, 2, 4, 8 or 16 bytes, and more are several of 16");
    static constexpr int count = int(sizeof(V)) / 16;
    word<16>::type of[count];
};

template <class V>
__device__ inline __attribute__((always_inline)) V shared_load(shared_pointer p) {
    if constexpr (sizeof(V) > 16) {
        quads<V> all;
        FADE_UNROLL
        for (int i = 0; i < all.count; ++i) all.of[i] = shared_load<word<16>::type>(p + 16 * i);
        return __builtin_bit_cast(V, all);
    } else {
        using w = typename word<sizeof(V)>::type;
        return __builtin_bit_cast(V, *reinterpret_cast<__attribute__((address_space(3))) w*>(p));
    }
}

/// gfx950: sixteen lanes read four rows of sixteen 16-bit elements together, and each is given a column.
template <class V>
__device__ inline __attribute__((always_inline)) V shared_load_transposed([[maybe_unused]] shared_pointer p) {
#if defined(__gfx950__)
    using w = short __attribute__((ext_vector_type(4)));
    return __builtin_bit_cast(V, __builtin_amdgcn_ds_read_tr16_b64_v4i16(
                                     reinterpret_cast<__attribute__((address_space(3))) w*>(p)));
#else
    static_assert(sizeof(V) == 0, "of the architectures here only gfx950 has transposing reads");
#endif
}

template <class V>
__device__ inline __attribute__((always_inline)) void shared_store(shared_pointer p, const V& v) {
    if constexpr (sizeof(V) > 16) {
        const auto all = __builtin_bit_cast(quads<V>, v);
        FADE_UNROLL
        for (int i = 0; i < all.count; ++i) shared_store(p + 16 * i, all.of[i]);
    } else {
        using w = typename word<sizeof(V)>::type;
        *reinterpret_cast<__attribute__((address_space(3))) w*>(p) = __builtin_bit_cast(w, v);
    }
}

/// A raw buffer of 2 GiB from `base` (uniform over the wave); the caller keeps offsets inside what is
/// allocated, or `outside`.
template <std::uint32_t Word3>
struct buffer {
    __amdgpu_buffer_rsrc_t resource;

    __device__ inline
        __attribute__((always_inline)) explicit buffer(const void* base, std::uint32_t bytes = outside)
        : resource(__builtin_amdgcn_make_buffer_rsrc(const_cast<void*>(base), 0, int(bytes), int(Word3))) {}

    /// `further` is the same for all lanes of a wave.
    template <class V>
    __device__ inline __attribute__((always_inline)) V load(std::uint32_t offset,
                                                            std::uint32_t further = 0) const {
        using w = typename word<sizeof(V)>::type;
        if constexpr (sizeof(V) == 16)
            return __builtin_bit_cast(
                V, w(__builtin_amdgcn_raw_buffer_load_b128(resource, int(offset), int(further), 0)));
        else if constexpr (sizeof(V) == 8)
            return __builtin_bit_cast(
                V, w(__builtin_amdgcn_raw_buffer_load_b64(resource, int(offset), int(further), 0)));
        else if constexpr (sizeof(V) == 4)
            return __builtin_bit_cast(
                V, w(__builtin_amdgcn_raw_buffer_load_b32(resource, int(offset), int(further), 0)));
        else if constexpr (sizeof(V) == 2)
            return __builtin_bit_cast(
                V, w(__builtin_amdgcn_raw_buffer_load_b16(resource, int(offset), int(further), 0)));
        else
            return __builtin_bit_cast(
                V, w(__builtin_amdgcn_raw_buffer_load_b8(resource, int(offset), int(further), 0)));
    }

    template <class V>
    __device__ inline __attribute__((always_inline)) void store(std::uint32_t offset, const V& v) const {
        const auto w = __builtin_bit_cast(typename word<sizeof(V)>::type, v);
        if constexpr (sizeof(V) == 16)
            __builtin_amdgcn_raw_buffer_store_b128(w, resource, int(offset), 0, 0);
        else if constexpr (sizeof(V) == 8)
            __builtin_amdgcn_raw_buffer_store_b64(w, resource, int(offset), 0, 0);
        else if constexpr (sizeof(V) == 4)
            __builtin_amdgcn_raw_buffer_store_b32(w, resource, int(offset), 0, 0);
        else if constexpr (sizeof(V) == 2)
            __builtin_amdgcn_raw_buffer_store_b16(w, resource, int(offset), 0, 0);
        else
            __builtin_amdgcn_raw_buffer_store_b8(w, resource, int(offset), 0, 0);
    }
};

/// A buffer that ends after `bytes`. The range check may leave out what all lanes share, so here it is part
/// of each lane's offset.
template <std::uint32_t Word3>
struct bounded_buffer : buffer<Word3> {
    using buffer<Word3>::buffer;
    template <class V>
    __device__ inline __attribute__((always_inline)) V load(std::uint32_t offset,
                                                            std::uint32_t further = 0) const {
        return buffer<Word3>::template load<V>(offset + further);
    }
};

}  // namespace FADE_NAMESPACE::backend::hip

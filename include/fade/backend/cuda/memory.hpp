// Loads, stores and copies that may be left out, without branches: a branch each would keep the compiler from
// moving them past each other.
#pragma once
#include <cstddef>
#include <cstdint>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::backend::cuda {

/// What lies at `from` where `there` holds, else zeros.
template <class V>
__device__ __forceinline__ V load_if(bool there, const std::byte* from) {
    if constexpr (sizeof(V) == 16) {
        vec<std::uint32_t, 4> v;
        asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %5, 0;\n\tmov.b32 %0, 0;\n\tmov.b32 %1, "
                     "0;\n\tmov.b32 %2, 0;\n\tmov.b32 %3, 0;\n\t@p ld.global.v4.b32 {%0,%1,%2,%3}, [%4];\n\t}"
                     : "=&r"(v[0]), "=&r"(v[1]), "=&r"(v[2]), "=&r"(v[3])
                     : "l"(from), "r"(std::uint32_t(there)));
        return __builtin_bit_cast(V, v);
    } else if constexpr (sizeof(V) == 8) {
        vec<std::uint32_t, 2> v;
        asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %3, 0;\n\tmov.b32 %0, 0;\n\tmov.b32 %1, 0;\n\t@p "
                     "ld.global.v2.b32 {%0,%1}, [%2];\n\t}"
                     : "=&r"(v[0]), "=&r"(v[1])
                     : "l"(from), "r"(std::uint32_t(there)));
        return __builtin_bit_cast(V, v);
    } else if constexpr (sizeof(V) == 4) {
        std::uint32_t v;
        asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %2, 0;\n\tmov.b32 %0, 0;\n\t@p ld.global.b32 "
                     "%0, [%1];\n\t}"
                     : "=&r"(v)
                     : "l"(from), "r"(std::uint32_t(there)));
        return __builtin_bit_cast(V, v);
    } else if constexpr (sizeof(V) == 2) {
        std::uint16_t v;
        asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %2, 0;\n\tmov.b16 %0, 0;\n\t@p ld.global.b16 "
                     "%0, [%1];\n\t}"
                     : "=&h"(v)
                     : "l"(from), "r"(std::uint32_t(there)));
        return __builtin_bit_cast(V, v);
    } else {
        V v{};
        if (there) v = *reinterpret_cast<const V*>(from);
        return v;
    }
}

/// Writes 16 bytes where `there` holds; caches give them up first, since the kernel reads them no more.
template <class V>
__device__ __forceinline__ void stream_if(bool there, std::byte* to, const V& v) {
    const auto w = __builtin_bit_cast(vec<std::uint32_t, 4>, v);
    asm volatile(
        "{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %5, 0;\n\t@p st.global.cs.v4.b32 [%4], {%0,%1,%2,%3};\n\t}" ::
            "r"(w[0]),
        "r"(w[1]), "r"(w[2]), "r"(w[3]), "l"(to), "r"(std::uint32_t(there))
        : "memory");
}

/// Starts copying Bytes, 16, 8 or 4, to shared memory, of which all but the first `bytes` are zeros.
template <int Bytes>
__device__ __forceinline__ void copy_async(std::uint32_t to, const void* from, int bytes) {
    if constexpr (Bytes < 16)
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(Bytes),
                     "r"(bytes));
    else
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes));
}

}  // namespace FADE_NAMESPACE::backend::cuda

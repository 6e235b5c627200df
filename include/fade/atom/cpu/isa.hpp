// Which vector instructions this CPU has, and how one text is compiled for each of them and chosen when the
// program runs.
#pragma once
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE::atom {

/// Each has what those before it have; the last two add products of 8-bit and of bf16 packs.
enum class cpu_isa { portable, avx2, avx512, avx512_vnni, avx512_bf16 };

#if defined(__x86_64__) && !defined(__HIP_DEVICE_COMPILE__) && !defined(__CUDA_ARCH__)
/// Does the CPU widen and narrow f16? (Not every compiler's __builtin_cpu_supports knows it.)
inline bool converts_f16() {
    unsigned leaf = 1, b, features, d;
    __asm__("cpuid" : "+a"(leaf), "=b"(b), "=c"(features), "=d"(d));
    return (features >> 29 & 1) != 0;
}
#endif

/// The most that the CPU and the operating system offer.
inline cpu_isa widest_isa() {
#if defined(__x86_64__) && !defined(__HIP_DEVICE_COMPILE__) && !defined(__CUDA_ARCH__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
        if (!__builtin_cpu_supports("avx512vnni")) return cpu_isa::avx512;
        return __builtin_cpu_supports("avx512bf16") ? cpu_isa::avx512_bf16 : cpu_isa::avx512_vnni;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && converts_f16())
        return cpu_isa::avx2;
#endif
    return cpu_isa::portable;
}

/// What is used. A test may lower it; before static initialisation it is portable, which is right everywhere.
#if defined(__CUDACC_RTC__)  // which has no CPU
inline cpu_isa used_isa = cpu_isa::portable;
#else
inline cpu_isa used_isa = widest_isa();
#endif

#if defined(__x86_64__)
template <class Leaf, class... Args>
__attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma"))) void run_avx512(Args... args) {
    Leaf::template apply<64>(args...);
}
template <class Leaf, class... Args>
__attribute__((target("avx2,fma"))) void run_avx2(Args... args) {
    Leaf::template apply<32>(args...);
}
#endif
template <class Leaf, class... Args>
void run_portable(Args... args) {
    Leaf::template apply<16>(args...);
}

/// Leaf::apply<Bytes>(args...), an always_inline function, with vectors of as many bytes as this CPU has.
/// nvcc reads it for GPUs too, which never call it, and 13.0 crashes where it translates such vectors.
template <class Leaf, class... Args>
inline void with_vectors([[maybe_unused]] Args... args) {
#if !defined(__CUDA_ARCH__)
#if defined(__x86_64__)
    if (used_isa >= cpu_isa::avx512) return run_avx512<Leaf>(args...);
    if (used_isa >= cpu_isa::avx2) return run_avx2<Leaf>(args...);
#endif
    run_portable<Leaf>(args...);
#endif
}

}  // namespace FADE_NAMESPACE::atom

// Whether operands can be read in runs of 16 bytes.
#pragma once
#include <cstdint>
#include <fade/kernel/gemm/problem.hpp>
#include <string>

namespace FADE_NAMESPACE::tune {

/// What runs of 16 bytes ask of memory whose elements have so many bytes: to begin at multiples of
/// `alignment`.
struct run_rule {
    int bytes, alignment;
    constexpr run_rule(int b, int a = 16) : bytes(b), alignment(a) {}
};

inline bool aligned_run(const void* p, index contiguous, index ld, index stride, run_rule rule) {
    const auto fits = [&](index elements) { return elements * rule.bytes % rule.alignment == 0; };
    return reinterpret_cast<std::uintptr_t>(p) % std::uintptr_t(rule.alignment) == 0 &&
           contiguous * rule.bytes % 16 == 0 && fits(ld) && fits(stride);
}

/// Why 16-byte reads are impossible for this problem; empty where they are possible.
inline std::string access_obstacle(const gemm_problem& p, const void* a, const void* b, run_rule rule) {
    if (p.k == 0) return "k is 0";
    if (!aligned_run(a, a_transposed(p.layout) ? p.m : p.k, p.lda, p.stride_a, rule))
        return "rows of A are no whole number of aligned 16-byte runs";
    if (!aligned_run(b, b_transposed(p.layout) ? p.k : p.n, p.ldb, p.stride_b, rule))
        return "rows of B are no whole number of aligned 16-byte runs";
    return "";
}

}  // namespace FADE_NAMESPACE::tune

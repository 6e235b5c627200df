// Is it worth a launch to copy the few rows or columns of a product along k, before what streams past them is
// read?
#pragma once
#include <fade/core/launch.hpp>
#include <fade/kernel/gemm/transpose_few.hpp>
#include <fade/tune/gemm/select.hpp>

namespace FADE_NAMESPACE::tune {

/// The operand that a launch before the product copies.
enum class transposed_operand { none, a, b };

/// The same problem where B, or A, is a vector without gaps, which lies along k however its layout is called;
/// if the kernel that reads it so is there.
inline gemm_problem with_vector_along_k(gemm_problem p, const void* a, const void* b, run_rule rule,
                                        gemm_kernels kernels) {
    const auto access = operand_access(int(p.layout));
    const auto takes = [&](operand_access along) {
        return along != access && kernels.has(along) && runs_of_a(p, a, rule, along) &&
               runs_of_b(p, b, rule, along);
    };
    if (const auto along = with_b_along_k(access); p.n == 1 && p.ldb == 1 && takes(along))
        p.layout = gemm_layout(int(along)), p.ldb = p.k;
    else if (const auto rows = with_a_along_k(access); p.m == 1 && p.lda == 1 && takes(rows))
        p.layout = gemm_layout(int(rows)), p.lda = p.k;
    return p;
}

/// Few columns that lie along n, or few rows that lie along m, beside an operand so large that its reading
/// outweighs a launch. Whole runs of both must be there, and the kernel that reads them so.
inline transposed_operand transposed_of(const gemm_problem& p, const void* a, const void* b, run_rule rule,
                                        int compute_units, gemm_kernels kernels) {
    const auto access = operand_access(int(p.layout));
    // Boxes of lines that begin between multiples of 32 bytes take half as long again.
    const auto worth = [&](index count, index max, index ld, index others, operand_access along, bool runs) {
        const bool between = ld * rule.bytes % 32 != 0;
        const index each = between ? 16 : max_of<index>(count, 16);
        constexpr index streamed = 12 << 10;  // bytes of the others for each of the few and compute unit
        return count > 0 && count <= (between ? 64 : max) && p.k % (16 / rule.bytes) == 0 &&
               kernels.has(along) && runs && others * p.k * rule.bytes >= streamed * each * compute_units;
    };
    // A vector without gaps lies along k already.
    const bool vector_b = p.n == 1 && p.ldb == 1, vector_a = p.m == 1 && p.lda == 1;
    if (!b_along_k(access) && !vector_b &&
        worth(p.n, 32, p.ldb, p.m, with_b_along_k(access), runs_of_a(p, a, rule, access)))
        return transposed_operand::b;
    if (!a_along_k(access) && !vector_a &&
        worth(p.m, 16, p.lda, p.n, with_a_along_k(access), runs_of_b(p, b, rule, access)))
        return transposed_operand::a;
    return transposed_operand::none;
}

/// The problem whose operand was copied.
inline gemm_problem with_transposed(gemm_problem p, transposed_operand transposed) {
    if (transposed == transposed_operand::b) {
        p.layout = a_transposed(p.layout) ? gemm_layout::tt : gemm_layout::nt;
        p.ldb = p.k, p.stride_b = p.stride_b == 0 ? 0 : p.n * p.k;
    } else if (transposed == transposed_operand::a) {
        p.layout = b_transposed(p.layout) ? gemm_layout::nt : gemm_layout::nn;
        p.lda = p.k, p.stride_a = p.stride_a == 0 ? 0 : p.m * p.k;
    }
    return p;
}

/// "; 8 columns of B lie along n, so a launch before the product copies them along k"
inline std::string transposed_words(const gemm_problem& p, transposed_operand transposed) {
    if (transposed == transposed_operand::none) return "";
    const bool of_b = transposed == transposed_operand::b;
    const index count = of_b ? p.n : p.m;
    return "; " + std::to_string(count) + (of_b ? " column" : " row") + (count == 1 ? "" : "s") + " of " +
           (of_b ? "B" : "A") + (count == 1 ? " lies" : " lie") + " along " + (of_b ? "n" : "m") +
           ", so a launch before the product copies " + (count == 1 ? "it" : "them") + " along k";
}

template <class T>
struct transpose_few_entry {
    using arguments = kernel::transpose_few_arguments<T>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves =
                    Arch::traits.wave_size == 1 ? 1 : kernel::transposed_positions / Arch::traits.wave_size,
                .shared_bytes = 16};
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::transpose_few(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune

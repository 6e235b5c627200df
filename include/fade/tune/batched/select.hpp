// Which kernel products by tables of pointers get, and why.
#pragma once
#include <cstdint>
#include <fade/core/dtype.hpp>
#include <fade/tune/gemm/select.hpp>
#include <string>
#include <string_view>

namespace FADE_NAMESPACE::tune {

/// Tiles that are expected to end first, or large ones where there are enough of them. Nobody sees the
/// pointers before the launch, but all are multiples of `alignment` bytes.
inline gemm_choice select_batched(const gemm_row& row, const gemm_problem& p, int alignment, int bytes,
                                  int compute_units, const tile_model& model = {}) {
    const auto* aligned = reinterpret_cast<const void*>(std::uintptr_t(16));
    const std::string obstacle =
        p.k > 0 && alignment % 16
            ? "pointers are said to be multiples of " + std::to_string(alignment) + " bytes, not of 16"
            : access_obstacle(p, aligned, aligned, bytes);
    if (!obstacle.empty())
        return {operand_access::strided, size_class::small, obstacle + ", so elements are read one by one",
                p.k != 0};
    const auto access = operand_access(int(p.layout));
    if (const auto all = expected_of(row, p, access, 1, compute_units, model); !all.empty()) {
        const expected_tiles& best = best_of(all);
        return {access, best.size,
                "operands are read in 16-byte runs; " + expected_words(all, best, p, compute_units), false};
    }
    const index tiles = tiles_of(row.large, p);
    return {access, enough(tiles, compute_units) ? size_class::large : size_class::small,
            "operands are read in 16-byte runs; " + occupancy_words(tiles, 1, compute_units), false};
}

/// What the choice rests on, in words. No row speaks for another type, layout, size or architecture.
inline std::string batched_evidence(std::string_view arch, dtype in, const gemm_choice& choice) {
    if (arch == "sm_90a" && in == dtype::bf16 && choice.access == operand_access::nt &&
        choice.size == size_class::large)
        return "measured on an NVIDIA H200, 2026-11-27: 8 products of 2048 x 2048 x 2048 at 0.66 of the "
               "speed of gemm, which has boxes there";
    return "none: nobody audited or measured such products by tables of pointers on " + std::string(arch);
}

}  // namespace FADE_NAMESPACE::tune

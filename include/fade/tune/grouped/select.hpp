// Which kernel a grouped product gets, and why.
#pragma once
#include <fade/block/schedule/grouped.hpp>
#include <fade/core/dtype_names.hpp>
#include <fade/kernel/grouped/check.hpp>
#include <fade/tune/gemm/select.hpp>
#include <string_view>

namespace FADE_NAMESPACE::tune {

/// A product of the rows that a group has on average: nobody knows more before the launch.
inline gemm_problem average_group(const grouped_gemm_problem& p) {
    gemm_problem out = kernel::as_batch(p);
    out.m = ceil_div<index>(p.rows, max_of(p.groups, 1));
    return out;
}

/// Tiles that are expected to end first if all groups have as many rows; where no figure is known, large ones
/// where there are enough of them, and a group fills half of one.
inline gemm_choice select_grouped(const gemm_row& row, const grouped_gemm_problem& p, const void* a,
                                  const void* b, int bytes, int compute_units, const tile_model& model = {}) {
    const std::string obstacle = access_obstacle(kernel::as_batch(p), a, b, bytes);
    if (!obstacle.empty())
        return {operand_access::strided, size_class::small, obstacle + ", so elements are read one by one",
                p.k != 0};
    const gemm_problem average = average_group(p);
    const auto access = operand_access(int(p.layout));
    const std::string words =
        "operands are read in 16-byte runs; groups of " + std::to_string(average.m) + " rows on average: ";
    if (const auto all = expected_of(row, average, access, 1, compute_units, model); !all.empty()) {
        const expected_tiles& best = best_of(all);
        return {access, best.size, words + expected_words(all, best, average, compute_units), false};
    }
    const index tiles = tiles_of(row.large, average);
    const bool filled = 2 * average.m >= row.large.block_tile.m;
    return {access, filled && enough(tiles, compute_units) ? size_class::large : size_class::small,
            words + (filled ? occupancy_words(tiles, 1, compute_units)
                            : "fewer than half of a large tile's " + std::to_string(row.large.block_tile.m)),
            false};
}

/// The same of tiles whose boxes the copy unit brings; without `why` lanes copy them, as for groups of which
/// a tile would be less than half full.
inline gemm_choice select_grouped_boxes(const gemm_policy& large, const gemm_policy& small,
                                        const grouped_gemm_problem& p, operand_access access,
                                        int compute_units) {
    const gemm_problem average = average_group(p);
    gemm_choice out{access, size_class::small, "", false};
    if (access == operand_access::strided || 2 * average.m < small.block_tile.m) return out;
    const index tiles = tiles_of(large, average);
    if (enough(tiles, compute_units)) out.size = size_class::large;
    out.why = "boxes of operands are copied by hardware; groups of " + std::to_string(average.m) +
              " rows on average: " + occupancy_words(tiles, 1, compute_units);
    return out;
}

/// What the choice rests on, in words. No row speaks for another type, layout, policy or architecture.
inline std::string grouped_evidence(std::string_view arch, dtype in, const gemm_choice& choice,
                                    const gemm_policy& policy) {
    const bool timed = arch == "sm_90a" && in == dtype::bf16 && choice.size == size_class::large &&
                       policy.pipeline == block::pipeline_kind::tma_ring;
    if (!timed) return "none: nobody audited or measured grouped products on " + std::string(arch);
    return std::string("measured on an NVIDIA H200, 2026-11-27, 64 groups of 32768 rows: ") +
           (choice.access == operand_access::nt
                ? "0.93 to 0.98 of a dense product's speed where all have 512, 0.76 to 0.84 where not"
                : "0.97 to 0.99 of a dense product's speed where all have 512, 0.74 to 0.83 where not");
}

}  // namespace FADE_NAMESPACE::tune

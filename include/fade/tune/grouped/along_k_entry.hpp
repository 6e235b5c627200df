// The product of groups along k as something a device can launch, and which kernel it gets.
#pragma once
#include <fade/kernel/grouped/along_k.hpp>
#include <fade/kernel/grouped/along_k_boxes.hpp>
#include <fade/kernel/grouped/along_k_check.hpp>
#include <fade/tune/batched/entry.hpp>
#include <fade/tune/gemm/select.hpp>
#include <fade/tune/grouped/rows.hpp>

namespace FADE_NAMESPACE::tune {

/// As many rows as groups have on average: nobody knows more before the launch.
inline gemm_problem average_group(const grouped_k_gemm_problem& p) {
    gemm_problem out = kernel::as_batch(p);
    out.k = ceil_div<index>(p.k, max_of(p.groups, 1));
    return out;
}

/// Tiles that are expected to end first if all groups have as many rows; where no figure is known, large ones
/// where there are enough of them. No group begins where a run of 16 bytes would end: runs lie along rows.
inline gemm_choice select_grouped_k(const gemm_row& row, const grouped_k_gemm_problem& p, const void* a,
                                    const void* b, int bytes, int compute_units,
                                    const tile_model& model = {}) {
    const gemm_problem average = average_group(p);
    const std::string obstacle = access_obstacle(average, a, b, bytes);
    if (!obstacle.empty())
        return {operand_access::strided, size_class::small, obstacle + ", so elements are read one by one",
                p.k != 0};
    const std::string words =
        "operands are read in 16-byte runs; groups of " + std::to_string(average.k) + " k on average: ";
    if (const auto all = expected_of(row, average, operand_access::tn, 1, compute_units, model);
        !all.empty()) {
        const expected_tiles& best = best_of(all);
        return {operand_access::tn, best.size, words + expected_words(all, best, average, compute_units),
                false};
    }
    const index tiles = tiles_of(row.large, average);
    return {operand_access::tn, enough(tiles, compute_units) ? size_class::large : size_class::small,
            words + occupancy_words(tiles, 1, compute_units), false};
}

/// The same of tiles whose boxes the copy unit brings: large ones where there are enough of them, and their
/// columns are used.
inline gemm_choice select_grouped_k_boxes(const gemm_policy& large, const gemm_policy& small,
                                          const grouped_k_gemm_problem& p, int compute_units) {
    const gemm_problem average = average_group(p);
    const index tiles = tiles_of(large, average);
    const auto made = [&](const gemm_policy& by) {
        return tiles_of(by, average) * by.block_tile.m * by.block_tile.n;
    };
    const bool many = enough(tiles, compute_units), spares = 4 * made(small) < 3 * made(large);
    return {operand_access::tn, many && !spares ? size_class::large : size_class::small,
            "boxes of operands are copied by hardware; groups of " + std::to_string(average.k) +
                " k on average: " +
                (many && spares ? "of large tiles more than a quarter would lie beyond D"
                                : occupancy_words(tiles, 1, compute_units)),
            false};
}

/// The policies and shapes of products by tables of pointers, which share no k either. What boxes bring has
/// another entry.
template <class Arguments, operand_access Access, size_class Size>
struct grouped_k_entry : batched_entry<Arguments, Access, Size> {
    using base = batched_entry<Arguments, Access, Size>;
    template <workgroup Block>
    FADE_FN static void run(Block& block, const Arguments& args) {
        using arch = typename Block::arch;
        constexpr gemm_policy policy = base::template policy<arch>;
        if constexpr (Access != operand_access::strided &&
                      groups_by_boxes<arch, typename Arguments::element>())
            return;
        else if constexpr (kernel::gemm_traits<arch, typename Arguments::element, policy>::panels)
            kernel::grouped_k_panels<policy>(block, args);
        else
            kernel::grouped_k_tiles<policy, access_of(Access)>(block, args);
    }
};

template <class In, class Out, size_class Size, class Epilogue>
struct grouped_k_boxes_entry : boxes_of_groups<In, operand_access::tn, Size> {
    using arguments = kernel::with_maps<kernel::grouped_k_arguments<In, Out, Epilogue>>;
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        using arch = typename Block::arch;
        if constexpr (groups_by_boxes<arch, In>())
            kernel::grouped_k_by_boxes<grouped_boxes_policy<arch, In>(Size), access_of(operand_access::tn)>(
                block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune

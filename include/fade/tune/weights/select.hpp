// Which kernel a product with quantised weights gets, and why.
#pragma once
#include <fade/kernel/weights/check.hpp>
#include <fade/tune/gemm/select.hpp>

namespace FADE_NAMESPACE::tune {

struct weight_choice {
    size_class size;
    std::string why;
};

/// As a product of 16-bit operands is: its tiles and steps are the same. `flat` has more rows than `skinny`,
/// or no tiles.
inline weight_choice select_weights(const gemm_policy& large, const gemm_policy& skinny,
                                    const gemm_policy& flat, const gemm_problem& p, int split_k,
                                    int compute_units) {
    const std::string in_registers = "weights become numbers on their way to the operands; ";
    if (is_skinny(skinny, p)) return {size_class::skinny, in_registers + skinny_words(skinny, p)};
    if (flat.block_tile.m > 0 && p.m <= flat.block_tile.m && 2 * p.k >= flat.block_tile.k)
        return {size_class::flat,
                in_registers + flat_words(flat, p, splits_for(flat, p, split_k, compute_units))};
    const index tiles = tiles_of(large, p);
    const int parts = deep_parts(large, p, split_k, compute_units);
    return {enough(tiles * parts, compute_units) ? size_class::large : size_class::small,
            "weights become numbers on their way to shared memory; " +
                occupancy_words(tiles, parts, compute_units)};
}

}  // namespace FADE_NAMESPACE::tune

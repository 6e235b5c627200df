// The part of a tile of weights that a lane takes at once.
#pragma once
#include <bit>
#include <fade/block/shared_layout.hpp>
#include <fade/core/vec.hpp>
#include <fade/core/weights/number.hpp>

namespace FADE_NAMESPACE::block {

/// `Rows` columns of D x `K` as a lane loads them: in `loads` vectors of `width` words. Each of its rows has
/// one scale: groups are 16 k or more.
template <weight_format Format, class Target, int Rows, int K>
struct packed_patch {
    static constexpr bool in_rows = Format.order == weight_order::rows,
                          awq = Format.order == weight_order::awq;
    using target = Target;
    static constexpr int rows = Rows, k = K, per_word = Format.per_word();
    static constexpr int words = max_of(k / per_word, 1),  ///< along k
        width = awq       ? 1
                : in_rows ? words
                          : rows,
                         loads = awq       ? k
                                 : in_rows ? 1
                                           : words;
    static constexpr int size = int(sizeof(target));

    /// By how many bits the elements of a patch lie higher in its words than place() says.
    FADE_FN static constexpr int shift(int row, int depth) {
        if (awq) return rows < 8 ? row % 8 / 2 * 4 : 0;
        return k < per_word ? depth % per_word * Format.bits() : 0;
    }
    /// Likewise of packed zero points.
    FADE_FN static constexpr int zero_shift(int row) {
        if (awq) return shift(row, 0);
        return rows % per_word == 0 ? 0 : row % per_word * Format.bits();
    }

    /// Where an element is: the load, its word, and the bit there.
    struct element_place {
        int load, word, bit;
    };
    FADE_FN static constexpr element_place place(int r, int depth) {
        if (awq) return {depth, 0, bit_of<Format>(r)};
        if (in_rows) return {0, depth / per_word, bit_of<Format>(depth % per_word)};
        return {depth / per_word, r, bit_of<Format>(depth % per_word)};
    }
};

/// How large the patches of a lane are where Threads lanes share a tile.
template <weight_format Format, class Layout, int Threads>
struct weight_patch_size {
    static constexpr bool in_rows = Format.order == weight_order::rows,
                          awq = Format.order == weight_order::awq;
    static constexpr int share = int(std::bit_floor(unsigned(Layout::rows * Layout::depth / Threads)));
    // Where there is little to do, lanes take parts of the same words.
    static constexpr int whole = share < 8 && Layout::k_run == 1        ? 2
                                 : share < 8 * max_of(Layout::k_run, 2) ? 4
                                                                        : 8;
    static constexpr int k = min_of(max_of(awq ? share / whole : share, max_of(Layout::k_run, 2)),
                                    min_of(Layout::depth, in_rows ? 16 : 8));
    static constexpr int rows = awq ? whole : in_rows ? 1 : min_of(max_of(share / k, 1), 4);
};

/// The patches of a tile, and which lane takes which.
template <weight_format Format, class Layout, int Threads>
struct weight_patch
    : packed_patch<Format, typename Layout::element, weight_patch_size<Format, Layout, Threads>::rows,
                   weight_patch_size<Format, Layout, Threads>::k> {
    using packed =
        packed_patch<Format, typename Layout::element, weight_patch_size<Format, Layout, Threads>::rows,
                     weight_patch_size<Format, Layout, Threads>::k>;
    using packed::in_rows, packed::k, packed::rows, packed::size;
    static constexpr int per_tile = Layout::rows / rows * (Layout::depth / k);
    static_assert(k % Layout::k_run == 0 && Layout::depth % k == 0 && Layout::rows % rows == 0);

    // Neighbouring lanes take neighbouring memory; where that is columns also some k, so that they write to
    // different banks.
    static constexpr int k_lanes = [] {
        if constexpr (in_rows)
            return Layout::depth / k;
        else if constexpr (Layout::order == operand_order::k_contiguous)
            return max_of(Layout::k_span / k, 1);
        else
            return 1;
    }();
    static constexpr int row_lanes = Layout::rows / rows;
    FADE_FN static constexpr int row(int patch) { return patch / k_lanes % row_lanes * rows; }
    FADE_FN static constexpr int depth(int patch) {
        return (patch / (k_lanes * row_lanes) * k_lanes + patch % k_lanes) * k;
    }

    // What lies together in the patch and in the shared tile is a piece.
    static constexpr bool along_k = Layout::order == operand_order::k_contiguous;
    static constexpr int piece_k = along_k ? min_of(k, 16 / size) : Layout::k_run,
                         piece_rows = along_k ? 1 : min_of(rows, max_of(16 / size / piece_k, 1)),
                         pieces_k = k / piece_k, pieces_rows = rows / piece_rows,
                         piece_words = piece_rows * piece_k * size / 4;
};

}  // namespace FADE_NAMESPACE::block

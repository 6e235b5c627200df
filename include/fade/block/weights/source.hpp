// Quantised weights of a workgroup's columns: where their words, scales and zero points lie.
#pragma once
#include <cstddef>
#include <fade/block/shared_layout.hpp>
#include <fade/core/weights/number.hpp>

namespace FADE_NAMESPACE::block {

/// All of W, k x n, in memory.
struct weight_memory {
    const std::byte *words, *scales, *zeros;
    index n, k;
    // Of formats that leave groups to the problem: how many there are, and k >> shift is one's number.
    int groups = 1, shift = 31;
};

template <weight_format Format>
FADE_FN constexpr index groups_of(const weight_memory& w) {
    if (Format.leaves_group()) return w.groups;
    return Format.group == 0 ? 1 : w.k / max_of(Format.group, 1);
}
/// The group that holds a k below 2^31.
template <weight_format Format, class K>
FADE_FN constexpr K group_of(const weight_memory& w, K k) {
    if (Format.leaves_group()) return k >> w.shift;
    return Format.group == 0 ? 0 : k / max_of(Format.group, 1);
}
/// From one line of words to the next: a column of `rows`, one or several k of the others.
template <weight_format Format>
FADE_FN constexpr index weight_pitch(const weight_memory& w) {
    if (Format.order == weight_order::rows) return w.k * Format.bits() / 8;
    return Format.order == weight_order::gptq ? w.n * 4 : w.n / 8 * 4;
}
template <weight_format Format>
FADE_FN constexpr index bytes_of_words(const weight_memory& w) {
    return w.n * w.k * Format.bits() / 8;
}
template <weight_format Format>
FADE_FN constexpr index bytes_of_scales(const weight_memory& w) {
    return groups_of<Format>(w) * w.n * Format.scale_bytes();
}
template <weight_format Format>
FADE_FN constexpr index bytes_of_zeros(const weight_memory& w) {
    const index numbers = groups_of<Format>(w) * w.n;
    if (Format.packs_zeros()) return numbers * Format.bits() / 8;
    return Format.zero == weight_zero::none
               ? 0
               : numbers * (Format.zero == weight_zero::bytes ? 1 : Format.scale_bytes());
}

template <class Block, class Layout, weight_format Format, class In>
class weight_loader;
template <class Block, class Atom, weight_format Format, class In, int Tiles, int Slices>
class sliced_weights;

/// Columns `column` on, from a k on. Offsets are bytes from `tile`, which alone moves along k.
template <weight_format Format, class In>
struct weight_source {
    using element = In;  ///< what weights become
    template <class Block, class Layout>
    using loader = weight_loader<Block, Layout, Format, In>;
    template <class Block, class Atom, int Tiles, int Slices>
    using sliced = sliced_weights<Block, Atom, Format, In, Tiles, Slices>;
    static constexpr weight_format format = Format;
    static constexpr bool in_rows = Format.order == weight_order::rows;

    weight_memory all;
    const std::byte *tile, *scales, *zeros;  ///< of the first column
    int k;                                   ///< of the tile
    int rows;                                ///< columns of D that exist

    FADE_FN static weight_source of(const weight_memory& w, index column, index k, int rows) {
        const index groups = groups_of<Format>(w), places = in_rows ? column * groups : column;
        const index zero_bytes = Format.packs_zeros()                ? column / Format.per_word() * 4
                                 : Format.zero == weight_zero::bytes ? places
                                                                     : places * Format.scale_bytes();
        weight_source out{w, w.words, w.scales + places * Format.scale_bytes(), w.zeros, 0, rows};
        if constexpr (Format.zero != weight_zero::none) out.zeros += zero_bytes;
        out.tile += in_rows ? column * weight_pitch<Format>(w) : column * 4 / out.columns_per_word;
        out.advance(k);
        return out;
    }

    FADE_FN void advance(index steps) {
        if constexpr (in_rows)
            tile += steps * Format.bits() / 8;
        else
            tile += steps / lines_per_word * weight_pitch<Format>(all);
        k += int(steps);
    }
    FADE_FN std::uint32_t offset(int row, int depth) const {
        if constexpr (in_rows)
            return std::uint32_t(row * weight_pitch<Format>(all) + depth / Format.per_word() * 4);
        else
            return std::uint32_t(depth / lines_per_word * weight_pitch<Format>(all) +
                                 row / columns_per_word * 4);
    }
    /// Of a row's scale, in scales.
    FADE_FN std::uint32_t place(int row, int depth) const {
        const int group = group_at(depth);
        if constexpr (in_rows)
            return std::uint32_t(row * int(groups_of<Format>(all)) + group);
        else
            return std::uint32_t(group * int(all.n) + row);
    }
    /// Of the word that holds the packed zero of a row, in words.
    FADE_FN std::uint32_t zero_word(int row, int depth) const {
        return std::uint32_t((group_at(depth) * int(all.n) + row) / Format.per_word());
    }

    template <class Block>
    FADE_FN auto words_in(const Block& block) const {
        return block.global(tile, all.words, all.words + bytes_of_words<Format>(all));
    }
    template <class Block>
    FADE_FN auto scales_in(const Block& block) const {
        return block.global(scales, all.scales, all.scales + bytes_of_scales<Format>(all));
    }
    template <class Block>
    FADE_FN auto zeros_in(const Block& block) const {
        return block.global(zeros, all.zeros, all.zeros + bytes_of_zeros<Format>(all));
    }

private:
    static constexpr int columns_per_word = Format.order == weight_order::awq ? Format.per_word() : 1,
                         lines_per_word = Format.order == weight_order::gptq ? Format.per_word() : 1;
    FADE_FN int group_at(int depth) const { return group_of<Format>(all, k + depth); }
};

}  // namespace FADE_NAMESPACE::block

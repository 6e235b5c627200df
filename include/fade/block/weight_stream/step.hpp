// Where packed words, scales, zero points and rows of A wait in a ring of shared memory, which copies of
// waves fill: whole lines of 128 bytes or more, however lanes read them afterwards.
#pragma once
#include <fade/block/weights/numbers.hpp>

namespace FADE_NAMESPACE::block {

/// What a wave brings of W in a step of 32 k: `Columns` columns. A lane multiplies 8 k of `together`
/// neighbours in each patch.
template <weight_format Format, class In, int Columns>
struct weight_stream {
    static constexpr bool in_lines = Format.order == weight_order::awq;
    static constexpr int depth = 32, lane_k = 8, together = in_lines && Columns >= 64 ? 8 : 4,
                         patches = Columns / (8 * together);
    using patch = packed_patch<Format, In, together, lane_k>;
    using packed = weight_words<Format, patch>;
    static constexpr bool has_zeros = Format.zero != weight_zero::none;

    // A line of words is 4 or 8 k of all columns, or one k (AWQ); copies bring pieces of 16 bytes.
    static constexpr int of_line = in_lines ? 1 : Format.per_word(), lines = depth / of_line,
                         of_piece = in_lines ? 32 : 4, pieces = Columns / of_piece,
                         copies = lines * pieces / 32, of_copy = depth / copies;
    static_assert(copies * 32 == lines * pieces && copies * of_copy == depth);
    /// Of the piece that a lane copies first: its columns and k. The next ones are of_copy k further.
    FADE_FN static constexpr int copied_column(int lane) { return lane % pieces * of_piece; }
    FADE_FN static constexpr int copied_k(int lane) { return lane / pieces * of_line; }

    // Where the four lanes of a quarter read different lines, those begin in different banks.
    static constexpr int line_bytes = pieces * 16, lane_lines = lane_k / of_line, gap = 32,
                         word_bytes = lines * line_bytes + 4 * gap;
    FADE_FN static constexpr std::uint32_t line(int number) {
        return std::uint32_t(number * line_bytes + number / lane_lines * gap);
    }
    FADE_FN static constexpr std::uint32_t copied(int lane, int copy) {
        return line(lane / pieces + copy * (32 / pieces)) + std::uint32_t(lane % pieces * 16);
    }

    /// Of the first column of a patch, and of k, that a lane reads.
    FADE_FN static constexpr int column(int lane, int i) { return (i * 8 + lane / 4) * together; }
    FADE_FN static constexpr int k(int lane) { return lane % 4 * lane_k; }
    FADE_FN static constexpr std::uint32_t word(int lane, int i, int load) {
        return line(lane % 4 * lane_lines + load) +
               std::uint32_t(column(lane, i) / (in_lines ? Format.per_word() : 1) * 4);
    }

    // Scales come in pieces of 16 bytes, zero points that are packed in words.
    static constexpr int of_scales = 16 / Format.scale_bytes(), scale_pieces = Columns / of_scales,
                         scale_bytes = Columns * Format.scale_bytes(),
                         zero_words = Format.packs_zeros() ? Columns / Format.per_word() : 0,
                         zero_bytes = !has_zeros             ? 0
                                      : Format.packs_zeros() ? zero_words * 4
                                                             : scale_bytes,
                         bytes = word_bytes + scale_bytes + zero_bytes;
    FADE_FN static constexpr std::uint32_t scale(int column) {
        return std::uint32_t(word_bytes + column * Format.scale_bytes());
    }
    FADE_FN static constexpr std::uint32_t zero(int column) {
        return std::uint32_t(
            word_bytes + scale_bytes +
            (Format.packs_zeros() ? column / Format.per_word() * 4 : column * Format.scale_bytes()));
    }
};

/// A step of the ring: what `Groups` waves side by side bring for each of `Parts` parts of k, and rows of A
/// of these parts, 8 at once, as lanes read them.
template <class Stream, int Rows, int Groups, int Parts>
struct weight_stream_step {
    using stream = Stream;
    static constexpr int groups = Groups, parts = Parts, depth = Parts * Stream::depth,
                         row_bytes = Rows / 8 * 512,
                         bytes = Groups * Parts * Stream::bytes + Parts * row_bytes;
    FADE_FN static constexpr std::uint32_t words(int wave) { return std::uint32_t(wave * Stream::bytes); }
    FADE_FN static constexpr std::uint32_t rows(int part, int eight, int lane) {
        return std::uint32_t(Groups * Parts * Stream::bytes + part * row_bytes + eight * 512 + lane * 16);
    }
};

}  // namespace FADE_NAMESPACE::block

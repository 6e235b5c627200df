// Where packed words, scales, zero points and rows of A wait in a ring of shared memory, which copies of
// waves fill: whole lines of 128 bytes or more, however lanes read them afterwards.
#pragma once
#include <fade/block/weights/numbers.hpp>

namespace FADE_NAMESPACE::block {

/// What `Groups` waves side by side, each of `Columns` columns, bring of W in a step of `Depth` k. A lane
/// multiplies 8 k of `together` neighbours in each patch, of 32 k at once.
template <weight_format Format, class In, int Columns, int Groups, int Depth, int Copiers = Groups>
struct weight_stream {
    static constexpr bool in_lines = Format.order == weight_order::awq;
    static constexpr int slice = 32, lane_k = 8, depth = Depth, slices = Depth / slice, copiers = Copiers,
                         lanes = Copiers * 32, together = in_lines && Columns >= 64 ? 8 : 4,
                         patches = Columns / (8 * together), columns = Groups * Columns;
    using patch = packed_patch<Format, In, together, lane_k>;
    using packed = weight_words<Format, patch>;
    static constexpr bool has_zeros = Format.zero != weight_zero::none;
    static_assert(slices * slice == Depth && slices >= 1);

    // A line of words is 4 or 8 k of all columns, or one k (AWQ); copies bring pieces of 16 bytes.
    static constexpr int of_line = in_lines ? 1 : Format.per_word(), lines = depth / of_line,
                         of_piece = in_lines ? 32 : 4, pieces = columns / of_piece,
                         copies = lines * pieces / lanes, of_copy = depth / copies;
    static_assert(copies * lanes == lines * pieces && copies * of_copy == depth && lanes % pieces == 0);
    /// Of the piece that one of these waves' lanes copies first: its columns and k. The next ones are of_copy
    /// k further.
    FADE_FN static constexpr int copied_column(int lane) { return lane % pieces * of_piece; }
    FADE_FN static constexpr int copied_k(int lane) { return lane / pieces * of_line; }

    // Where the four lanes of a quarter read different lines, those begin in different banks.
    static constexpr int line_bytes = pieces * 16, lane_lines = lane_k / of_line, gap = 32,
                         word_bytes = lines * line_bytes + lines / lane_lines * gap;
    FADE_FN static constexpr std::uint32_t line(int number) {
        return std::uint32_t(number * line_bytes + number / lane_lines * gap);
    }
    FADE_FN static constexpr std::uint32_t copied(int lane, int copy) {
        return line(lane / pieces + copy * (lanes / pieces)) + std::uint32_t(lane % pieces * 16);
    }

    /// Of the first column of a patch of a wave, and of k, that a lane reads.
    FADE_FN static constexpr int column(int group, int lane, int i) {
        return group * Columns + (i * 8 + lane / 4) * together;
    }
    FADE_FN static constexpr int k(int lane) { return lane % 4 * lane_k; }
    FADE_FN static constexpr std::uint32_t word(int column, int lane, int s, int load) {
        return line((s * 4 + lane % 4) * lane_lines + load) +
               std::uint32_t(column / (in_lines ? Format.per_word() : 1) * 4);
    }

    // Scales come in pieces of 16 bytes, zero points that are packed in words.
    static constexpr int scale_sets = Format.group == 0 ? 1 : max_of(depth / max_of(Format.group, 1), 1),
                         of_scales = 16 / Format.scale_bytes(), scale_pieces = columns / of_scales,
                         scale_bytes = columns * Format.scale_bytes(),
                         zero_words = Format.packs_zeros() ? columns / Format.per_word() : 0,
                         zero_bytes = !has_zeros             ? 0
                                      : Format.packs_zeros() ? zero_words * 4
                                                             : scale_bytes,
                         set_bytes = scale_bytes + zero_bytes, bytes = word_bytes + scale_sets * set_bytes;
    static_assert(scale_pieces <= lanes && zero_words <= lanes);
    FADE_FN static constexpr std::uint32_t scale(int set, int column) {
        return std::uint32_t(word_bytes + set * set_bytes + column * Format.scale_bytes());
    }
    FADE_FN static constexpr std::uint32_t zero(int set, int column) {
        return std::uint32_t(
            word_bytes + set * set_bytes + scale_bytes +
            (Format.packs_zeros() ? column / Format.per_word() * 4 : column * Format.scale_bytes()));
    }
};

/// A step of the ring: what waves side by side bring for each of `Parts` parts of k, and rows of A of these
/// parts, 8 at once and 32 k, as lanes read them. The ring begins behind `Before` bytes of shared memory.
template <class Stream, int Rows, int Groups, int Parts, int Before = 0>
struct weight_stream_step {
    using stream = Stream;
    static constexpr int before = Before, groups = Groups, parts = Parts, depth = Parts * Stream::depth,
                         eights = Rows / 8,
                         pieces = eights * Stream::slices,  ///< of A for a part, each a copy of a wave
        row_bytes = pieces * 512, bytes = Parts * (Stream::bytes + row_bytes);
    FADE_FN static constexpr std::uint32_t words(int part) { return std::uint32_t(part * Stream::bytes); }
    FADE_FN static constexpr std::uint32_t rows(int part, int piece, int lane) {
        return std::uint32_t(Parts * Stream::bytes + part * row_bytes + piece * 512 + lane * 16);
    }
};

}  // namespace FADE_NAMESPACE::block

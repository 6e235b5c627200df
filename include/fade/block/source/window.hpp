// Rows of a convolution: pixels, of which each sees a window of an image.
#pragma once
#include <fade/block/source/tap_walk.hpp>
#include <fade/core/number/divisor.hpp>

namespace FADE_NAMESPACE::block {

/// Windows over images of [image, d, h, w, channel]; a row of them for each place of the grid, w fastest.
struct window_view {
    axis d, h, w;
    int channels = 0;  ///< that a tap has
    index pixel = 0;   ///< elements from one pixel of an image to the next

    FADE_FN constexpr spatial taps() const { return {d.taps, h.taps, w.taps}; }
    FADE_FN constexpr index rows_of_image() const { return index(d.grid) * h.grid * w.grid; }
    /// Does the window of each row hold one pixel, the row's own?
    FADE_FN constexpr bool is_plain() const { return d.is_plain() && h.is_plain() && w.is_plain(); }
    /// Do the channels of neighbouring taps follow each other in memory?
    FADE_FN constexpr bool joins_taps() const { return w.tap_step == 1 && pixel == channels; }
    FADE_FN constexpr index pixels_of_image() const { return index(d.image) * h.image * w.image; }
    /// A row's window may begin so many pixels before that of a row before it.
    FADE_FN constexpr index overhang() const {
        return (index(d.overhang()) * h.image + h.overhang()) * w.image;
    }
};

/// A row's place: its image, and where in the grid.
struct window_place {
    int image;
    spatial at;
};

/// Of rows below 2^31.
class window_rows {
public:
    FADE_FN explicit window_rows(const window_view& v)
        : d_(std::uint32_t(v.d.grid)), h_(std::uint32_t(v.h.grid)), w_(std::uint32_t(v.w.grid)) {}
    FADE_FN window_place of(std::uint32_t row) const {
        const std::uint32_t line = row / w_, plane = line / h_, image = plane / d_;
        return {int(image), {int(plane - image * d_), int(line - plane * h_), int(row - line * w_)}};
    }

private:
    std::uint32_t d_, h_, w_;
};

/// The same without divisions, of sizes that the host has prepared: for those who look up a place at each
/// step.
class window_lookup {
public:
    window_lookup() = default;
    explicit window_lookup(const window_view& v)
        : d_(std::uint32_t(v.d.grid)), h_(std::uint32_t(v.h.grid)), w_(std::uint32_t(v.w.grid)) {}
    FADE_FN window_place of(std::uint32_t row) const {
        const std::uint32_t line = w_.quotient(row), plane = h_.quotient(line), image = d_.quotient(plane);
        return {int(image),
                {int(plane - image * d_.by()), int(line - plane * h_.by()), int(row - line * w_.by())}};
    }

private:
    divisor d_, h_, w_;
};

/// The windows of a tile of rows, as an operand whose k are channels of one tap after another. A lane keeps
/// where its row's first tap lies and, in one word, which taps do not exist along each dimension; a step
/// moves the base. Whole: channels are a multiple of Depth.
template <class T, int Depth, bool Whole>
class window_source {
public:
    using element = T;
    static constexpr bool scattered = false, partial_steps = !Whole;
    static constexpr index k_stride = 1;
    static constexpr int scalars = 56;  ///< of a step of the walk, and of the base
    const int rows;

    /// `image` is channel 0 of the first pixel; `walk` stands at the first step.
    template <class Block>
    FADE_FN window_source(const Block&, const window_view& view, const T* image, const T* begin, const T* end,
                          index first_row, int rows_, const tap_walk<Depth>& walk)
        : rows(rows_), view_(view), rows_of_(view), first_row_(std::uint32_t(first_row)),
          tap_(walk.tap_bits()), depth_(walk.depth()), begin_(begin), end_(end) {
        const window_place p = rows_of_.of(first_row_);
        const spatial line{Block::uniform(p.at.d), Block::uniform(p.at.h), 0};
        // The begin of the line, so that rows of later lines lie behind it even where windows overlap.
        const index base = pixel_of({Block::uniform(p.image), line}) - view_.overhang();
        base_ = std::uint32_t(base);
        const spatial& tap = walk.first_tap();
        const index w = view_.w.tap_step, h = index(view_.h.tap_step) * view_.w.image,
                    d = index(view_.d.tap_step) * view_.h.image * view_.w.image;
        tile_ = image + (base + tap.d * d + tap.h * h + tap.w * w) * view_.pixel + walk.channel();
        moves_ = tap_moves::of(int(sizeof(T)), view_.taps(), ceil_div(max_of(view_.channels, 1), Depth),
                               Depth, 1, w * view_.pixel, h * view_.pixel, d * view_.pixel);
    }

    FADE_FN bool holds(int row, int) const { return row < rows; }
    FADE_FN static constexpr bool holds_depth(int) { return true; }
    FADE_FN std::uint32_t offset(int row, int k) const {
        const auto pixel = std::uint32_t(pixel_of(rows_of_.of(first_row_ + std::uint32_t(row)))) - base_;
        return (pixel * std::uint32_t(view_.pixel) + std::uint32_t(k)) * std::uint32_t(sizeof(T));
    }
    /// Bits of the taps that this row does not have: along w, then h, then d.
    FADE_FN std::uint32_t condition(int row) const {
        const spatial at = rows_of_.of(first_row_ + std::uint32_t(row)).at;
        return view_.w.missing(at.w) | view_.h.missing(at.h) << view_.w.taps |
               view_.d.missing(at.d) << (view_.w.taps + view_.h.taps);
    }
    FADE_FN bool holds_now(std::uint32_t missing) const { return (missing & tap_) == 0; }
    FADE_FN int depth_now(int depth) const {
        if constexpr (Whole)
            return depth;
        else
            return min_of(depth, depth_);
    }
    FADE_FN void follow(const tap_walk<Depth>& walk) {
        tile_ = walk.moved(tile_, moves_);
        tap_ = walk.tap_bits(), depth_ = walk.depth();
    }
    template <class Block>
    FADE_FN auto memory(const Block& block) const {
        return block.global(tile_, begin_, end_);
    }

private:
    FADE_FN index pixel_of(const window_place& p) const {
        const index d = view_.d.coordinate(p.at.d, 0), h = view_.h.coordinate(p.at.h, 0),
                    w = view_.w.coordinate(p.at.w, 0);
        return ((index(p.image) * view_.d.image + d) * view_.h.image + h) * view_.w.image + w;
    }

    window_view view_;
    window_rows rows_of_;
    tap_moves moves_;
    std::uint32_t first_row_, base_, tap_;
    int depth_;
    const T *tile_, *begin_, *end_;
};

}  // namespace FADE_NAMESPACE::block

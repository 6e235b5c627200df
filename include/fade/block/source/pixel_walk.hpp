// Columns of a filter's gradient where shared memory has no room for a table: each lane of a wave walks with
// one pixel of two steps, and tells the others where it lies.
#pragma once
#include <fade/backend/buffer.hpp>
#include <fade/block/source/window.hpp>
#include <fade/core/lane_coord.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::block {

/// A place in a grid, in coordinates of the image that it sees, that moves on by a fixed number of places:
/// compares and carries, no divisions.
struct grid_walk {
    int w, h, d;

    /// What it takes along each dimension: how far a move and a carry go, where the grid ends, how far back
    /// that carries.
    struct dimension {
        int move, carry, end, back;
        FADE_FN dimension(const axis& a, int places)
            : move(places * a.step), carry(a.step), end(a.coordinate(a.grid, 0)), back(a.grid * a.step) {}
    };
    struct rules {
        dimension w, h, d;
        int at_w, at_h, at_d;  ///< bytes that a carry along each dimension adds, beside those of a move
    };

    /// The bytes that carries add.
    FADE_FN int move(const rules& r) {
        w += r.w.move;
        const bool line = w >= r.w.end;
        w -= line ? +r.w.back : 0, h += r.h.move + (line ? +r.h.carry : 0);
        const bool plane = h >= r.h.end;
        h -= plane ? +r.h.back : 0, d += r.d.move + (plane ? +r.d.carry : 0);
        const bool image = d >= r.d.end;
        d -= image ? +r.d.back : 0;
        return (line ? +r.at_w : 0) + (plane ? +r.at_h : 0) + (image ? +r.at_d : 0);
    }
};

/// An operand as pixel_table's, of which all columns of a wave belong to one tap: lane l of each wave knows
/// where pixel l of two steps lies, for the wave's tap. The other lanes ask it while they load the step
/// before.
template <class T, int Depth, class Block>
class pixel_walk {
    static constexpr int pair = 2 * Depth;  ///< pixels of two steps
    static_assert(pair <= Block::wave_size, "a lane walks with one pixel");

public:
    using element = T;
    static constexpr bool scattered = false, tabled = true, by_lanes = true;
    static constexpr index k_stride = 0;                          ///< lanes know
    static constexpr int scalars_ahead = 20, vectors_ahead = 20;  ///< of looking two steps ahead

    /// `image` is channel 0 of the first pixel; k from `first` to `end`; columns from `first_column`, of
    /// which the tile has `columns`.
    FADE_FN pixel_walk(const window_view& v, const window_lookup& lookup, const T* image, const T* begin,
                       const T* end_of_image, index first, index end, index first_column, int columns)
        : view_(v), lookup_(lookup), columns_(columns), first_column_(int(first_column)), first_(int(first)),
          left_(int(end - first)), begin_(begin), past_(end_of_image), rules_(rules_of(v, lookup)) {
        const window_place p = lookup.of(std::uint32_t(first));
        // Lanes ahead of the first pixel lie behind the begin of its line, but for windows that overlap.
        slack_ = int((v.overhang() + index(v.w.grid) * v.w.step) * v.pixel * index(sizeof(T)));
        const index pixel = pixel_of(p);
        base_ = std::uint32_t(pixel);
        tile_ = reinterpret_cast<const char*>(image + pixel * v.pixel) - slack_;
        const window_place ahead = lookup.of(pair);
        ahead_ = ((((index(ahead.image) * v.d.image + index(ahead.at.d) * v.d.step) * v.h.image +
                    index(ahead.at.h) * v.h.step) *
                       v.w.image +
                   index(ahead.at.w) * v.w.step) *
                  v.pixel) *
                 index(sizeof(T));
    }

    FADE_FN static constexpr bool holds(int, int) { return true; }
    FADE_FN static constexpr bool holds_depth(int) { return true; }
    /// Of a row within the image, from its pixel's first tap on.
    FADE_FN std::uint32_t offset(int row, int) const {
        const int column = column_of(row), tap = column / view_.channels;
        const spatial at = tap_of(tap);
        const index pixels =
            (index(at.d) * view_.d.tap_step * view_.h.image + index(at.h) * view_.h.tap_step) *
                view_.w.image +
            index(at.w) * view_.w.tap_step;
        return std::uint32_t((pixels * view_.pixel + (column - tap * view_.channels)) * index(sizeof(T)));
    }
    /// The lane that knows a row's pixel k; places this one, of whose patch `row` is the first row.
    FADE_FN std::uint32_t begin_lane(lane_coord p, int row, int k) {
        auto& lane = lanes_[p];
        const window_place at = lookup_.of(std::uint32_t(first_ + p.lane % pair));
        const spatial tap = tap_of(column_of(row) / view_.channels);
        lane.at = walk_of(at);
        lane.tap = {tap.w * view_.w.tap_step, tap.h * view_.h.tap_step, tap.d * view_.d.tap_step};
        lane.offset = slack_ + int((std::uint32_t(pixel_of(at)) - base_) * std::uint32_t(view_.pixel) *
                                   std::uint32_t(sizeof(T)));
        lane.word = word_of(p);
        return std::uint32_t(k);
    }
    template <class Words, class Any>
    FADE_FN Words read(Any&, lane_coord p, std::uint32_t at, int further) const {
        Words out;
        FADE_UNROLL
        for (int j = 0; j < Words::size; ++j)
            out[j] = Block::word_of_lane(p, int(at) + position_ + further + j,
                                         [&](lane_coord q) { return lanes_[q].word; });
        return out;
    }
    /// Steps count by themselves, and past the last one there are no pixels.
    FADE_FN static constexpr void advance(index) {}
    template <class Any>
    FADE_FN void next_step(Any& block) {
        position_ ^= Depth;
        if (position_ != 0) return;
        left_ -= pair;
        block.each_lane([&](lane_coord p) { lanes_[p].moved = lanes_[p].at.move(rules_); });
        int by = 0;  // as lane 0 carries, whichever the wave
        block.each_lane([&](lane_coord p) {
            auto& lane = lanes_[p];
            by = Block::first_of_wave(p, [&](lane_coord q) { return lanes_[q].moved; });
            lane.offset += lane.moved - by;
            lane.word = word_of(p);
        });
        tile_ += ahead_ + by;
    }
    template <class Any>
    FADE_FN auto memory(const Any& block) const {
        return block.global(tile_, begin_, past_);
    }

private:
    struct lane_state {
        grid_walk at, tap;
        int moved, offset;   ///< bytes: by the last carries; from tile_, of the first tap
        std::uint32_t word;  ///< the same, or outside
    };

    FADE_FN int column_of(int row) const { return first_column_ + (row < columns_ ? row : 0); }
    FADE_FN spatial tap_of(int tap) const {
        const int line = tap / view_.w.taps;
        return {line / view_.h.taps, line % view_.h.taps, tap % view_.w.taps};
    }
    FADE_FN grid_walk walk_of(const window_place& p) const {
        return {view_.w.coordinate(p.at.w, 0), view_.h.coordinate(p.at.h, 0), view_.d.coordinate(p.at.d, 0)};
    }
    FADE_FN index pixel_of(const window_place& p) const {
        const grid_walk at = walk_of(p);
        return ((index(p.image) * view_.d.image + at.d) * view_.h.image + at.h) * view_.w.image + at.w;
    }
    FADE_FN static grid_walk::rules rules_of(const window_view& v, const window_lookup& lookup) {
        const spatial by = lookup.of(pair).at;
        const auto bytes = [&](index pixels) { return int(pixels * v.pixel * index(sizeof(T))); };
        const index line = v.w.image, plane = line * v.h.image;
        return {{v.w, by.w},
                {v.h, by.h},
                {v.d, by.d},
                bytes(v.h.step * line - index(v.w.grid) * v.w.step),
                bytes(v.d.step * plane - index(v.h.grid) * v.h.step * line),
                bytes((v.d.image - index(v.d.grid) * v.d.step) * plane)};
    }
    FADE_FN std::uint32_t word_of(lane_coord p) const {
        const auto& lane = lanes_[p];
        const bool seen = (p.lane % pair < left_) & view_.w.holds(lane.at.w + lane.tap.w) &
                          view_.h.holds(lane.at.h + lane.tap.h) & view_.d.holds(lane.at.d + lane.tap.d);
        return seen ? std::uint32_t(lane.offset) : backend::outside;
    }

    window_view view_;
    window_lookup lookup_;
    int columns_, first_column_, first_, left_;
    const T *begin_, *past_;
    grid_walk::rules rules_;
    int slack_, position_ = 0;
    std::uint32_t base_;
    index ahead_;
    const char* tile_;
    per_lane<Block, lane_state> lanes_;
};

}  // namespace FADE_NAMESPACE::block

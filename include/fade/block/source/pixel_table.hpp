// Columns of a filter's gradient by a table: where each pixel of a step lies, for each tap of a tile.
#pragma once
#include <bit>
#include <fade/backend/buffer.hpp>
#include <fade/block/source/window.hpp>
#include <fade/core/lane_coord.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::block {

/// How much shared memory the table of a tile takes: two pages, each of two steps or more of as many taps as
/// the tile's columns can belong to, whose channels are runs.
struct pixel_table_shape {
    int depth, columns, run;  ///< pixels of a step; columns of a tile; channels that a tap has at least

    FADE_FN constexpr int words() const { return max_of(1024, 2 * depth * (columns / run)); }  ///< of a page
    FADE_FN constexpr int bytes() const { return 2 * words() * 4; }
    /// Steps of a page where a tile's columns belong to so many taps: a power of two.
    FADE_FN constexpr int steps(int taps) const {
        return int(std::bit_floor(unsigned(words() / (depth * taps))));
    }
    /// Of a policy's tiles.
    template <class T>
    FADE_FN static constexpr pixel_table_shape of(const tile_shape& tile) {
        return {tile.k, tile.n, 16 / int(sizeof(T))};
    }
};

/// An operand whose rows are channels of one tap after another, and whose k are the rows of a window_view.
/// What a lane loads lies at a byte that its row fixes, plus a word that tap and pixel fix. Those words are a
/// table in shared memory: of each tap a ring of two pages of steps. While steps of one page are loaded the
/// next page is made, by all lanes together; a lane reads the words of a step while it loads the one before.
/// Pixels beyond the image, and from the end of k on, have a word that no load touches.
/// Places: view() is the window_view, lookup() the window_lookup; asked anew for each page, so that no
/// register holds them meanwhile.
template <class T, int Depth, int Columns, class Places>
class pixel_table {
    FADE_FN static constexpr pixel_table_shape shape() { return {Depth, Columns, 16 / int(sizeof(T))}; }

public:
    using element = T;
    static constexpr bool scattered = false, tabled = true, by_lanes = false;
    static constexpr index k_stride = 0;                        ///< lies in the table
    static constexpr int scalars_ahead = 4, vectors_ahead = 1;  ///< of looking a step ahead

    /// `image` is channel 0 of the first pixel; k from `first` to `end`; columns from `first_column`, of
    /// which the tile has `columns`. The table lies at byte `home` of shared memory. All lanes call it, and
    /// all see the first two pages behind it.
    template <class Block>
    FADE_FN pixel_table(Block& block, const Places& places, const T* image, const T* begin,
                        const T* end_of_image, index first, index end, index first_column, int columns,
                        std::uint32_t home)
        : places_(places), channels_(places.view().channels), columns_(columns), first_(std::uint32_t(first)),
          end_(std::uint32_t(end)), home_(home), image_(image), begin_(begin), past_(end_of_image) {
        const spatial size = places.view().taps();
        const int tap = Block::uniform(int(first_column) / channels_), line = Block::uniform(tap / size.w),
                  plane = Block::uniform(line / size.h);
        first_tap_ = {plane, line - plane * size.h, tap - line * size.w};
        in_tap_ = int(first_column) - tap * channels_;
        taps_ = Block::uniform((in_tap_ + columns - 1) / channels_) + 1;
        page_ = Block::uniform(shape().steps(taps_) * Depth);
        for (int page = 0; page < 2; ++page) make(block, page);
        block.sync();
    }

    /// Steps of a page: an even number.
    FADE_FN int page_steps() const { return page_ / Depth; }
    FADE_FN static constexpr bool holds(int, int) { return true; }
    FADE_FN static constexpr bool holds_depth(int) { return true; }
    /// Of a row within its pixel. Rows that are not there read what the first one does: nobody stores them.
    FADE_FN std::uint32_t offset(int row, int) const {
        const int column = in_tap_ + (row < columns_ ? row : 0);
        return std::uint32_t(column % channels_) * std::uint32_t(sizeof(T));
    }
    /// The byte of shared memory where the words of a row begin, from pixel k of a step on.
    FADE_FN std::uint32_t begin_lane(lane_coord, int row, int k) const {
        const int tap = (in_tap_ + (row < columns_ ? row : 0)) / channels_;
        return home_ + std::uint32_t(tap * 2 * page_ + k) * 4;
    }
    template <class Words, class Block>
    FADE_FN Words read(Block& block, lane_coord p, std::uint32_t at, int further) const {
        return block.template load_shared<Words>(p, at + std::uint32_t(position_ + further) * 4);
    }
    template <class Block>
    FADE_FN void next_step(Block&) {
        position_ = (position_ + Depth) & (2 * page_ - 1);
    }
    /// Steps count by themselves, and past the last one there are no pixels.
    FADE_FN static constexpr void advance(index) {}
    /// On to the steps of the next page; makes the one behind it. All lanes call it, a barrier or more after
    /// the last words of the page before were read.
    template <class Block>
    FADE_FN void next_page(Block& block) {
        tile_ = next_tile_;
        make(block, ++current_ + 1);
    }
    template <class Block>
    FADE_FN auto memory(const Block& block) const {
        return block.global(tile_, begin_, past_);
    }

private:
    FADE_FN static index pixel_of(const window_view& v, int image, int d, int h, int w) {
        return ((index(image) * v.d.image + d) * v.h.image + h) * v.w.image + w;
    }
    /// The pixel that words count from: the begin of the line of k, so that later pixels lie behind it even
    /// where windows overlap.
    template <class Block>
    FADE_FN static index base_of(const window_view& v, const window_lookup& lookup, std::uint32_t k) {
        const window_place p = lookup.of(k);
        return pixel_of(v, Block::uniform(p.image), v.d.coordinate(Block::uniform(p.at.d), 0),
                        v.h.coordinate(Block::uniform(p.at.h), 0), v.w.coordinate(0, 0)) -
               v.overhang();
    }

    template <class Block>
    FADE_FN void make(Block& block, int page) {
        const window_view view = places_.view();
        const window_lookup lookup = places_.lookup();
        const std::uint32_t k = first_ + std::uint32_t(page * page_);
        const index base = base_of<Block>(view, lookup, k);
        const std::uint32_t to = home_ + std::uint32_t((page & 1) * page_) * 4;
        block.each_lane([&](lane_coord p) {
            for (int i = p.wave * Block::wave_size + p.lane; i < page_; i += Block::threads)
                make_words(block, p, view, lookup, to + std::uint32_t(i) * 4, k + std::uint32_t(i),
                           std::uint32_t(base));
        });
        next_tile_ = image_ + base * view.pixel;
        if (page == 0) tile_ = next_tile_;
    }
    /// The words of one pixel, for all taps.
    template <class Block>
    FADE_FN void make_words(Block& block, lane_coord p, const window_view& v, const window_lookup& lookup,
                            std::uint32_t to, std::uint32_t k, std::uint32_t base) const {
        const bool there = k < end_;
        const window_place at = lookup.of(there ? k : 0);
        int w = first_tap_.w, h = first_tap_.h, d = first_tap_.d;
        for (int tap = 0; tap < taps_; ++tap) {
            const int at_w = v.w.coordinate(at.at.w, w), at_h = v.h.coordinate(at.at.h, h),
                      at_d = v.d.coordinate(at.at.d, d);
            const int seen = int(there) & int(v.w.holds(at_w)) & int(v.h.holds(at_h)) & int(v.d.holds(at_d));
            const auto pixel = std::uint32_t(pixel_of(v, at.image, at_d, at_h, at_w)) - base;
            const std::uint32_t word = pixel * std::uint32_t(v.pixel) * std::uint32_t(sizeof(T));
            block.store_shared(p, to + std::uint32_t(tap * 2 * page_) * 4,
                               vec<std::uint32_t, 1>{seen ? +word : backend::outside});
            const int line = ++w == v.w.taps, plane = (h += line) == v.h.taps;
            w = line ? 0 : +w, h = plane ? 0 : +h, d += plane;
        }
    }

    Places places_;
    int channels_, columns_;
    std::uint32_t first_, end_;
    spatial first_tap_;
    int taps_, in_tap_, page_;  ///< taps of the tile; the first column's place in its tap; pixels
    std::uint32_t home_;
    const T *image_, *begin_, *past_, *tile_ = nullptr, *next_tile_ = nullptr;
    int position_ = 0, current_ = 0;
};

}  // namespace FADE_NAMESPACE::block

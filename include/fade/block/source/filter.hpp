// A filter as an operand whose k are channels of one tap after another.
#pragma once
#include <fade/block/source/window.hpp>

namespace FADE_NAMESPACE::block {

/// Where the elements of a filter lie: (row, tap, channel) is row * row_stride + tap's place * tap_stride +
/// channel * k_stride, taps d, h, w of extent `size`.
struct filter_view {
    spatial size;
    index row_stride, tap_stride, k_stride;
};

/// The rows of a filter that one workgroup needs, of the taps that the axes of a window pick. It walks with
/// a window_source, whose steps come first and move the walk that both share.
template <class T, int Depth, bool Whole>
class filter_source {
public:
    using element = T;
    static constexpr bool scattered = false, partial_steps = !Whole;
    static constexpr int scalars = 20;  ///< of the base
    const int rows;
    const index row_stride, k_stride;

    /// `filter` is the first row's channel 0 of the filter's first tap.
    FADE_FN filter_source(const window_view& window, const filter_view& view, const T* filter, const T* begin,
                          const T* end, int rows_, const tap_walk<Depth>& walk)
        : rows(rows_), row_stride(view.row_stride), k_stride(view.k_stride), depth_(walk.depth()),
          begin_(begin), end_(end) {
        const index h = index(view.size.w) * view.tap_stride, d = index(view.size.h) * h;
        const auto place = [&](const axis& a, int tap, index stride) {
            return (a.filter_first + index(tap) * a.filter_stride) * stride;
        };
        const spatial& tap = walk.first_tap();
        tile_ = filter + place(window.d, tap.d, d) + place(window.h, tap.h, h) +
                place(window.w, tap.w, view.tap_stride) + walk.channel() * k_stride;
        moves_ = tap_moves::of(int(sizeof(T)), window.taps(), ceil_div(max_of(window.channels, 1), Depth),
                               Depth, k_stride, window.w.filter_stride * view.tap_stride,
                               window.h.filter_stride * h, window.d.filter_stride * d);
    }

    FADE_FN bool holds(int row, int) const { return row < rows; }
    FADE_FN static constexpr bool holds_depth(int) { return true; }
    FADE_FN std::uint32_t offset(int row, int k) const {
        return std::uint32_t((row * row_stride + k * k_stride) * index(sizeof(T)));
    }
    FADE_FN int depth_now(int depth) const {
        if constexpr (Whole)
            return depth;
        else
            return min_of(depth, depth_);
    }
    FADE_FN void follow(const tap_walk<Depth>& walk) {
        tile_ = walk.moved(tile_, moves_);
        depth_ = walk.depth();
    }
    template <class Block>
    FADE_FN auto memory(const Block& block) const {
        return block.global(tile_, begin_, end_);
    }

private:
    int depth_;
    tap_moves moves_;
    const T *tile_, *begin_, *end_;
};

}  // namespace FADE_NAMESPACE::block

// Columns of a filter's gradient: channels of taps, which see an image pixel by pixel.
#pragma once
#include <fade/block/source/window.hpp>

namespace FADE_NAMESPACE::block {

/// An operand whose rows are channels of one tap after another (side by side in runs that end with a tap's
/// channels), and whose k are the rows of a window_view: each lane looks up where its own k lies.
template <class T>
class pixel_source {
public:
    using element = T;
    static constexpr bool scattered = true;

    /// `image` is channel 0 of the first pixel; k from `first` to `end`, columns from `first_column` to
    /// `columns`.
    FADE_FN pixel_source(const window_view& view, const window_lookup& lookup, const T* image, index first,
                         index end, index first_column, index columns)
        : view_(view), lookup_(lookup), image_(image), first_(int(first)), end_(int(end)),
          first_column_(int(first_column)), columns_(int(columns)) {}

    /// What is loaded again past the last step may begin before the first k.
    FADE_FN void advance(index steps) { first_ += int(steps); }
    template <class Words, class Block>
    FADE_FN Words load(const Block& block, bool wanted, int row, int k) const {
        const int column = first_column_ + row, at = first_ + k;
        const int tap = column / view_.channels, line = tap / view_.w.taps;
        const window_place p = lookup_.of(std::uint32_t(max_of(at, 0)));
        const int w = view_.w.coordinate(p.at.w, tap - line * view_.w.taps),
                  h = view_.h.coordinate(p.at.h, line % view_.h.taps),
                  d = view_.d.coordinate(p.at.d, line / view_.h.taps);
        const bool there = wanted && at >= 0 && at < end_ && column < columns_ && view_.w.holds(w) &&
                           view_.h.holds(h) && view_.d.holds(d);
        const index pixel = ((index(p.image) * view_.d.image + d) * view_.h.image + h) * view_.w.image + w;
        return block.template load_anywhere<Words>(
            there, there ? image_ + pixel * view_.pixel + (column - tap * view_.channels) : nullptr);
    }

private:
    window_view view_;
    window_lookup lookup_;
    const T* image_;
    int first_, end_, first_column_, columns_;
};

}  // namespace FADE_NAMESPACE::block

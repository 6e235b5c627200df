// Which tap of a filter a step of a convolution multiplies, and which of its channels.
#pragma once
#include <cstdint>
#include <fade/block/source/axis.hpp>
#include <fade/core/call/spatial.hpp>

namespace FADE_NAMESPACE::block {

/// How far a pointer moves by one step, in bytes: to the next chunk of a tap's channels; from a tap's last
/// chunk to the first of the next tap, of its row, of the next row, of the next plane; and from the last tap
/// to the first. Words of 32 bits, since scalar units choose between those.
struct tap_moves {
    int chunk = 0, w = 0, h = 0, d = 0, around = 0;

    /// Of a tensor of elements of `size` bytes, whose channels are `channel` elements apart and whose taps
    /// are `w`, `h` and `d`.
    FADE_FN static constexpr tap_moves of(int size, const spatial& taps, int chunks, int depth, index channel,
                                          index w, index h, index d) {
        const index chunk = depth * channel, back = (chunks - 1) * chunk, row = w * (taps.w - 1),
                    plane = row + h * (taps.h - 1);
        const auto bytes = [&](index elements) { return int(elements * size); };
        return {.chunk = bytes(chunk),
                .w = bytes(w - back),
                .h = bytes(h - row - back),
                .d = bytes(d - plane - back),
                .around = bytes(-(d * (taps.d - 1) + plane + back))};
    }
};

/// Steps of Depth channels: all chunks of a tap, then the next tap, w fastest; past the last one the first
/// again, so that what is loaded there exists. The tap is one word, as window_source wants it: bit w, behind
/// those of w bit h, behind those of h bit d. It counts on in sums and shifts of scalars: a branch would cut
/// the loop around it, and comparisons are masks of lanes on AMD GPUs, which wander through vector registers.
template <int Depth>
class tap_walk {
public:
    /// From step `first` on.
    template <class Block>
    FADE_FN tap_walk(const Block&, const spatial& taps, int channels, int first)
        : chunks_(ceil_div(max_of(channels, 1), Depth)), tail_(channels - (chunks_ - 1) * Depth),
          first_step_(first), h_begin_(taps.w), d_begin_(taps.w + taps.h), d_end_(taps.w + taps.h + taps.d) {
        const int tap = Block::uniform(first / chunks_), line = Block::uniform(tap / max_of(taps.w, 1)),
                  plane = Block::uniform(line / max_of(taps.h, 1));
        left_ = chunks_ - 1 - (first - tap * chunks_);
        first_ = {plane, line - plane * taps.h, tap - line * taps.w};
        w_ = 1u << first_.w, h_ = 1u << (h_begin_ + first_.h), d_ = 1u << (d_begin_ + first_.d);
    }

    /// The step that it began with, and its tap.
    FADE_FN int first_step() const { return first_step_; }
    FADE_FN const spatial& first_tap() const { return first_; }
    FADE_FN int channel() const { return (chunks_ - 1 - left_) * Depth; }
    FADE_FN std::uint32_t tap_bits() const { return w_ | h_ | d_; }
    /// How many channels this step has.
    FADE_FN int depth() const { return left_ == 0 ? tail_ : Depth; }

    /// To the next step; then moved() takes pointers along.
    FADE_FN void advance() {
        --left_;
        tap_ = std::uint32_t(left_) >> 31;
        left_ += int(tap_) * chunks_;
        w_ <<= tap_;
        row_ = w_ >> h_begin_;
        w_ -= row_ * ((1u << h_begin_) - 1);
        h_ <<= row_;
        plane_ = h_ >> d_begin_;
        h_ -= plane_ * ((1u << d_begin_) - (1u << h_begin_));
        d_ <<= plane_;
        around_ = d_ >> d_end_;
        d_ -= around_ * ((1u << d_end_) - (1u << d_begin_));
    }
    template <class T>
    FADE_FN const T* moved(const T* from, const tap_moves& by) const {
        // Of values: a choice between two fields would be one between their addresses, in memory.
        const int chunk = by.chunk, w = by.w, h = by.h, d = by.d, around = by.around;
        int out = tap_ != 0 ? +w : +chunk;
        out = row_ != 0 ? +h : +out;
        out = plane_ != 0 ? +d : +out;
        out = around_ != 0 ? +around : +out;
        return reinterpret_cast<const T*>(reinterpret_cast<const char*>(from) + out);
    }

private:
    int chunks_, tail_, first_step_, h_begin_, d_begin_, d_end_;
    int left_;                                                  ///< chunks of this tap behind this one
    std::uint32_t w_, h_, d_;                                   ///< one bit each
    std::uint32_t tap_ = 0, row_ = 0, plane_ = 0, around_ = 0;  ///< what the last step left: 1, or 0
    spatial first_;
};

}  // namespace FADE_NAMESPACE::block

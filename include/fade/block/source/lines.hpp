// Lines of an operand as a CPU takes them: rows of A or columns of B, from a k on.
#pragma once
#include <cstring>
#include <fade/block/source/filter.hpp>
#include <fade/block/source/strided.hpp>

namespace FADE_NAMESPACE::block {

/// Of a matrix: element (line, k) lies at `line` * line_stride + `k` * k_stride.
template <class T>
struct strided_lines {
    const T* at;
    index line_stride, k_stride;

    /// Are lines read where they lie, side by side at each k?
    bool in_place() const { return line_stride == 1; }
    /// Are the k of a line side by side?
    bool along_k() const { return k_stride == 1; }
    operand<T> lines(index first, int count, index k, int) const {
        return {at + first * line_stride + k * k_stride, nullptr, nullptr, line_stride, k_stride, count};
    }
};

/// Of memory whose elements are taken for T, of the same size.
template <class T, class In>
strided_lines<T> lines_of(const In* at, index line_stride, index k_stride) {
    return {reinterpret_cast<const T*>(at), line_stride, k_stride};
}

/// Fewer than 64 bytes by moves of Piece bytes, of which the last may lie over the one before it.
template <int Piece>
void copy_pieces(char* to, const char* from, int bytes) {
    if constexpr (Piece > 1)
        if (bytes < Piece) return copy_pieces<Piece / 2>(to, from, bytes);
    for (int i = 0; i < bytes; i += Piece) {
        const int at = min_of(i, bytes - Piece);
        std::memcpy(to + at, from + at, Piece);
    }
}

/// Short runs are copied by moves of their own, since calling a function would take as long.
template <class T>
void copy_or_clear(T* to, const T* from, int count) {
    constexpr int short_run = 64;
    const int bytes = count * int(sizeof(T));
    if (!from)
        std::memset(static_cast<void*>(to), 0, std::size_t(bytes));
    else if (bytes > short_run)
        std::memcpy(to, from, std::size_t(bytes));
    else
        copy_pieces<16>(reinterpret_cast<char*>(to), reinterpret_cast<const char*>(from), bytes);
}

/// The places of rows one after another.
class following_rows {
public:
    following_rows(const window_view& view, index first)
        : view_(view), at_(window_rows(view).of(std::uint32_t(first))) {}
    const window_place& operator*() const { return at_; }
    /// How many from here on, of `count`, lie in one line of the grid with whole windows in lines of the
    /// image; 1 if none do.
    int alike(int count) const {
        const axis& w = view_.w;
        if (w.step <= 0) return 1;
        const int one = w.coordinate(at_.at.w, 0), other = w.coordinate(at_.at.w, w.taps - 1);
        if (!w.holds(one) || !w.holds(other)) return 1;
        return min_of(count, min_of(w.grid - at_.at.w, (w.image - 1 - max_of(one, other)) / w.step + 1));
    }
    /// To the next row in another line, or the one behind `count` that are alike.
    void advance(int count) {
        at_.at.w += count;
        if (at_.at.w < view_.w.grid) return;
        at_.at.w = 0;
        if (++at_.at.h < view_.h.grid) return;
        at_.at.h = 0;
        if (++at_.at.d < view_.d.grid) return;
        at_.at.d = 0, ++at_.image;
    }

private:
    const window_view& view_;
    window_place at_;
};

/// Elements k to k + depth of `count` windows, the first at a place and the others alike, in runs of what
/// follows each other in memory: a tap's channels, or those of several taps beside each other. Beyond the
/// image lie zeros.
template <class T>
void gather_windows(T* to, int pitch, const window_view& view, const T* image, const window_place& p,
                    int count, int tap, int channel, int depth) {
    spatial at{0, 0, tap};
    const spatial taps = view.taps();
    if (tap >= taps.w) at = {tap / taps.w / taps.h, tap / taps.w % taps.h, tap % taps.w};
    const bool joins = view.joins_taps();
    const index next = view.w.step * view.pixel;
    while (true) {
        const int d = view.d.coordinate(p.at.d, at.d), h = view.h.coordinate(p.at.h, at.h),
                  w = view.w.coordinate(p.at.w, at.w);
        const bool line = view.h.holds(h) && view.d.holds(d), inside = line && view.w.holds(w);
        const int along = inside && joins ? min_of(taps.w - at.w, view.w.image - w) : 1,
                  run = min_of(depth, along * view.channels - channel);
        const index pixel = ((index(p.image) * view.d.image + d) * view.h.image + h) * view.w.image + w;
        const T* from = inside ? image + pixel * view.pixel + channel : nullptr;
        for (int i = 0; i < count; ++i)
            copy_or_clear(to + index(i) * pitch, from ? from + i * next : nullptr, run);
        if ((depth -= run) <= 0) return;
        to += run, at.w += along, channel = 0;
        if (at.w == taps.w) at.w = 0, ++at.h;
        if (at.h == taps.h) at.h = 0, ++at.d;
    }
}

/// The same of `count` rows from `first` on.
template <class T>
void gather_rows(T* to, int pitch, const window_view& view, const T* image, index first, int count, int tap,
                 int channel, int depth) {
    following_rows row(view, first);
    for (int i = 0, alike; i < count; i += alike, row.advance(alike)) {
        alike = row.alike(count - i);
        gather_windows(to + index(i) * pitch, pitch, view, image, *row, alike, tap, channel, depth);
    }
}

/// Lines that were gathered, each with zeros behind it to a whole word of 32 bits; or lines where they lie.
template <class T>
struct gathered_lines : operand<T> {
    bool whole_words;
};

/// Of windows: k are the channels of one tap after another. They are gathered into `scratch`, which holds
/// what is asked for at once in whole words, but where each is a pixel.
template <class T>
struct window_lines {
    const window_view& view;
    const T* image;
    T* scratch;

    static bool in_place() { return false; }
    static bool along_k() { return true; }
    gathered_lines<T> lines(index first, int count, index k, int depth) const {
        if (view.is_plain())
            return {{image + first * view.pixel + k, nullptr, nullptr, view.pixel, 1, count}, false};
        constexpr int word = sizeof(T) < 4 ? 4 / int(sizeof(T)) : 1;
        const int tap = int(k / view.channels), channel = int(k % view.channels),
                  pitch = ceil_div(depth, word) * word;
        for (int i = 0; i < count; ++i)
            for (int behind = depth; behind < pitch; ++behind) scratch[index(i) * pitch + behind] = T{};
        gather_rows(scratch, pitch, view, image, first, count, tap, channel, depth);
        return {{scratch, nullptr, nullptr, pitch, 1, count}, true};
    }
};

/// Of a filter whose rows are side by side: k are its channels of one tap after another, for the taps that a
/// window has.
template <class T>
struct filter_lines {
    const window_view& window;
    const filter_view& view;
    const T* filter;
    T* scratch;

    static bool in_place() { return false; }
    static bool along_k() { return false; }
    operand<T> lines(index first, int count, index k, int depth) const {
        const spatial taps = window.taps();
        if (has_one_tap())
            return {filter + place_of({0, 0, 0}) * view.tap_stride + k * view.k_stride + first,
                    nullptr,
                    nullptr,
                    1,
                    view.k_stride,
                    count};
        for (int i = 0; i < depth; ++i) {
            const int tap = int((k + i) / window.channels), channel = int((k + i) % window.channels);
            const spatial at{tap / taps.w / taps.h, tap / taps.w % taps.h, tap % taps.w};
            std::memcpy(scratch + index(i) * count,
                        filter + place_of(at) * view.tap_stride + channel * view.k_stride +
                            first * view.row_stride,
                        std::size_t(count) * sizeof(T));
        }
        return {scratch, nullptr, nullptr, 1, count, count};
    }

private:
    bool has_one_tap() const { return window.taps().volume() == 1 && view.row_stride == 1; }
    index place_of(const spatial& tap) const {
        return (full(window.d, tap.d) * view.size.h + full(window.h, tap.h)) * view.size.w +
               full(window.w, tap.w);
    }
    static index full(const axis& a, int tap) { return a.filter_first + index(tap) * a.filter_stride; }
};

/// Of a filter's gradient: lines are channels of one tap after another, k the rows of a window_view.
template <class T>
struct pixel_lines {
    const window_view& view;
    const T* image;
    T* scratch;

    static bool in_place() { return false; }
    static bool along_k() { return false; }
    bool is_gathered() const { return !view.is_plain(); }
    /// The lines in a panel of their own, `count` beside each other at each k.
    void gather(T* to, index first, int count, index k, int depth) const {
        const int tap = int(first / view.channels), channel = int(first % view.channels);
        gather_rows(to, count, view, image, k, depth, tap, channel, count);
    }
    operand<T> lines(index first, int count, index k, int depth) const {
        if (!is_gathered()) return {image + k * view.pixel + first, nullptr, nullptr, 1, view.pixel, count};
        gather(scratch, first, count, k, depth);
        return {scratch, nullptr, nullptr, 1, count, count};
    }
};

}  // namespace FADE_NAMESPACE::block

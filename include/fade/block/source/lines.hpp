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

/// Elements k to k + depth of the window at a place, in runs of a tap's channels; beyond the image lie zeros.
template <class T>
void gather_window(T* to, const window_view& view, const T* image, const window_place& p, index k,
                   int depth) {
    const spatial taps = view.taps();
    int tap = int(k / view.channels), channel = int(k % view.channels);
    for (int run; depth > 0; depth -= run, to += run, ++tap, channel = 0) {
        run = min_of(depth, view.channels - channel);
        const int w = view.w.coordinate(p.at.w, tap % taps.w),
                  h = view.h.coordinate(p.at.h, tap / taps.w % taps.h),
                  d = view.d.coordinate(p.at.d, tap / taps.w / taps.h);
        if (view.w.holds(w) && view.h.holds(h) && view.d.holds(d)) {
            const index pixel = ((index(p.image) * view.d.image + d) * view.h.image + h) * view.w.image + w;
            std::memcpy(to, image + pixel * view.pixel + channel, std::size_t(run) * sizeof(T));
        } else
            std::memset(static_cast<void*>(to), 0, std::size_t(run) * sizeof(T));
    }
}

/// Of windows: k are the channels of one tap after another. They are gathered into `scratch`, which holds
/// what is asked for at once.
template <class T>
struct window_lines {
    const window_view& view;
    const T* image;
    T* scratch;

    static bool in_place() { return false; }
    static bool along_k() { return true; }
    operand<T> lines(index first, int count, index k, int depth) const {
        const window_rows rows(view);
        for (int i = 0; i < count; ++i)
            gather_window(scratch + index(i) * depth, view, image, rows.of(std::uint32_t(first + i)), k,
                          depth);
        return {scratch, nullptr, nullptr, depth, 1, count};
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
        for (int i = 0; i < depth; ++i) {
            const int tap = int((k + i) / window.channels), channel = int((k + i) % window.channels);
            const index place = (full(window.d, tap / taps.w / taps.h) * view.size.h +
                                 full(window.h, tap / taps.w % taps.h)) *
                                    view.size.w +
                                full(window.w, tap % taps.w);
            std::memcpy(scratch + index(i) * count,
                        filter + place * view.tap_stride + channel * view.k_stride + first * view.row_stride,
                        std::size_t(count) * sizeof(T));
        }
        return {scratch, nullptr, nullptr, 1, count, count};
    }

private:
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
    operand<T> lines(index first, int count, index k, int depth) const {
        const window_rows rows(view);
        for (int i = 0; i < depth; ++i)
            gather_window(scratch + index(i) * count, view, image, rows.of(std::uint32_t(k + i)), first,
                          count);
        return {scratch, nullptr, nullptr, 1, count, count};
    }
};

}  // namespace FADE_NAMESPACE::block

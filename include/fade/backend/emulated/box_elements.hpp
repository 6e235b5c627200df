// Where the elements of a box lie, in shared memory and in its tensor.
#pragma once
#include <cstdint>
#include <fade/backend/emulated/monitor.hpp>
#include <fade/core/tensor_map.hpp>

namespace FADE_NAMESPACE::backend::emulated {

/// The byte of a run of 16 of a row, which are exchanged by XOR with the row.
constexpr std::uint32_t box_offset(int row, int run) {
    return std::uint32_t(row * 128 + (run ^ row % 8) * 16);
}

/// Would the driver make a map of this tensor? What of one there is has no distance.
inline bool has_map(const tile_source& t) {
    const auto fits = [&](int count, index apart) {
        return count <= 1 || (apart > 0 && apart * t.bytes % 16 == 0);
    };
    return reinterpret_cast<std::uintptr_t>(t.base) % 16 == 0 && fits(t.positions, t.position) &&
           fits(t.heads, t.head) && fits(t.batches, t.batch);
}
inline void check_map(const tile_source& t, monitor& watch) {
    if (!has_map(t))
        watch.report(fault_kind::out_of_bounds,
                     "a tensor whose boxes are copied lies at multiples of 16 bytes, and repeats nothing");
}

/// Calls f(byte, address) for those elements of a run that the tensor has.
template <class F>
void each_element(const tile_source& tensor, const box_place& at, int row, int run, F f) {
    const int position = at.position + row, count = 16 / tensor.bytes;
    if (position >= tensor.positions || at.head >= tensor.heads || at.batch >= tensor.batches) return;
    const index begin = at.batch * tensor.batch + at.head * tensor.head + position * tensor.position;
    for (int i = 0; i < count; ++i)
        if (const int column = at.column + run * count + i; column < tensor.columns)
            f(i * tensor.bytes, static_cast<const char*>(tensor.base) + (begin + column) * tensor.bytes);
}

inline void check_copy(const tile_source& t, const box_place&, monitor& watch) { check_map(t, watch); }

/// Would the driver make a map of these images? Corners, strides and taps of im2col have few bits.
inline bool has_map(const im2col_source& s) {
    const auto corner = [](int at) { return at >= -128 && at <= 127; };
    const auto fits = [&](const im2col_axis& a) {
        return a.pixels > 0 && a.places > 0 && a.step >= 1 && a.step <= 8 && corner(a.first) &&
               corner(a.last());
    };
    const auto whole = [&](index apart) { return apart > 0 && apart * s.bytes % 16 == 0; };
    return reinterpret_cast<std::uintptr_t>(s.base) % 16 == 0 && whole(s.pixel) && whole(s.line) &&
           whole(s.image) && s.images > 0 && fits(s.h) && fits(s.w);
}
/// Does a window stand at a pixel? Elsewhere the copy unit stops the program.
inline bool has_place(const im2col_axis& a, int at, int tap) {
    const int from_first = at - a.first;
    return from_first >= 0 && from_first % a.step == 0 && from_first / a.step < a.places && tap >= 0 &&
           tap <= 255;
}
inline void check_copy(const im2col_source& s, const im2col_place& at, monitor& watch) {
    if (!has_map(s))
        watch.report(fault_kind::out_of_bounds,
                     "images whose windows are copied lie at multiples of 16 bytes, and their corners and "
                     "strides within the few bits of im2col");
    if (!has_place(s.w, at.w, at.tap_w) || !has_place(s.h, at.h, at.tap_h))
        watch.report(fault_kind::out_of_bounds,
                     "a box of windows begins at a pixel where none stands, or at a tap beyond 8 bits");
}

/// Calls f(byte, address) for those elements of a run that the images have.
template <class F>
void each_element(const im2col_source& s, const im2col_place& at, int row, int run, F f) {
    const int first_w = (at.w - s.w.first) / s.w.step, first_h = (at.h - s.h.first) / s.h.step;
    const index place = (index(at.image) * s.h.places + first_h) * s.w.places + first_w + row;
    const int w = int(place % s.w.places) * s.w.step + s.w.first + at.tap_w,
              h = int(place / s.w.places % s.h.places) * s.h.step + s.h.first + at.tap_h;
    const index image = place / s.w.places / s.h.places, count = 16 / s.bytes;
    if (w < 0 || w >= s.w.pixels || h < 0 || h >= s.h.pixels || image >= s.images) return;
    const index begin = image * s.image + h * s.line + w * s.pixel;
    for (int i = 0; i < count; ++i)
        if (const index channel = at.channel + run * count + i; channel < s.channels)
            f(i * s.bytes, static_cast<const char*>(s.base) + (begin + channel) * s.bytes);
}

}  // namespace FADE_NAMESPACE::backend::emulated

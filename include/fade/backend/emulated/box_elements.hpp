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

}  // namespace FADE_NAMESPACE::backend::emulated

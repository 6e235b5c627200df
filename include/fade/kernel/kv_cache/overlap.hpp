// Do two tensors share an element? Those that were split out of one need not, though their ranges overlap.
#pragma once
#include <fade/core/dtype.hpp>
#include <fade/core/number/bytes.hpp>
#include <initializer_list>

namespace FADE_NAMESPACE::kernel {

/// A tensor in memory, all in bytes: rows, and how far and how often they follow each other along three axes.
struct placed_tensor {
    const char* name;
    byte_range range;
    index row;
    struct axis {
        index stride, count;
    } axes[3];
};

/// How many residues modulo `period`, from that of the first byte on, the tensor touches at most.
constexpr index residues(const placed_tensor& t, index period) {
    index n = t.row;
    for (const auto& [stride, count] : t.axes) n += stride % period == 0 ? 0 : (count - 1) * stride;
    return n;
}

/// A period in which both keep to places of their own proves it: that of a token for queries, keys and values
/// of one tensor.
inline bool apart(const placed_tensor& a, const placed_tensor& b) {
    if (!a.range.overlaps(b.range)) return true;
    for (const placed_tensor* t : {&a, &b})
        for (const auto& [period, count] : t->axes) {
            if (period <= 0) continue;
            const index behind = ((b.range.begin - a.range.begin) % period + period) % period;
            if (residues(a, period) <= behind && behind + residues(b, period) <= period) return true;
        }
    return false;
}

}  // namespace FADE_NAMESPACE::kernel

// Tiles that a product may be cut into, and what is expected of them.
#pragma once
#include <cstddef>
#include <fade/tune/gemm/rows.hpp>
#include <utility>
#include <vector>

namespace FADE_NAMESPACE::tune {

/// Tiles of a row, and what is expected of them.
struct expected_tiles {
    size_class size = size_class::small;
    gemm_policy policy{};
    int parts = 1;    ///< of k
    double cost = 0;  ///< multiplications of the busiest compute unit, or microseconds: one unit in a list
    bool shares_tail = false;  ///< do clusters share the last of them?
};

constexpr bool ends_before(const expected_tiles& a, const expected_tiles& b) {
    return a.cost != b.cost ? a.cost < b.cost : a.size < b.size;
}

/// The few of a row, those that end first in front; <algorithm> would be a tenth of what a call includes.
inline void sort_by_end(std::vector<expected_tiles>& all) {
    for (std::size_t i = 1; i < all.size(); ++i)
        for (std::size_t j = i; j > 0 && ends_before(all[j], all[j - 1]); --j) std::swap(all[j], all[j - 1]);
}

}  // namespace FADE_NAMESPACE::tune

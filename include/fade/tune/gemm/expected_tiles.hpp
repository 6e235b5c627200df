// Tiles that a product may be cut into, and what is expected of them.
#pragma once
#include <fade/tune/gemm/rows.hpp>

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

}  // namespace FADE_NAMESPACE::tune

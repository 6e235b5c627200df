// Queries of all heads that share keys, as rows of one tile.
#pragma once
#include <cstdint>
#include <fade/block/source/rows.hpp>

namespace FADE_NAMESPACE::block {

/// Row n is query n / heads of head n % heads, wherever they lie.
template <class T>
struct gqa_queries {
    using element = T;
    static constexpr bool looked_up = false;
    const T* first;  ///< query 0 of the first head
    int position, head, heads;
    FADE_FN static constexpr int find(int row) { return row; }
    FADE_FN static constexpr bool holds(int) { return true; }
    FADE_FN const T* at(int row) const {
        const auto n = std::uint32_t(row), of = std::uint32_t(heads);
        return first + index(n / of) * position + index(n % of) * head;
    }
};

}  // namespace FADE_NAMESPACE::block

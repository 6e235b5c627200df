// Rows that lie in pages, which a table names.
#pragma once
#include <cstdint>
#include <fade/block/source/rows.hpp>

namespace FADE_NAMESPACE::block {

/// How many pages there are where nobody says: every number but those below 0 is of one.
inline constexpr int any_page = 0x7fffffff;
FADE_FN bool is_page(int page, int count) { return std::uint32_t(page) < std::uint32_t(count); }

/// Positions of a page, and which page a position is on: divided by a multiplication, which takes no
/// registers of a loop. Right for sizes and positions below 2^30: Granlund and Montgomery, "Division by
/// invariant integers using multiplication" (1994).
struct page_size {
    int positions = 0;  ///< 0: there are no pages
    std::uint32_t factor = 0, shift = 0;
    constexpr page_size() = default;
    constexpr explicit page_size(int size) : positions(size) {
        if (size == 0) return;
        while (std::uint32_t(size) > 1u << shift) ++shift;
        factor = std::uint32_t(((std::uint64_t(1) << (30 + shift)) + std::uint64_t(size) - 1) /
                               std::uint64_t(size));
    }
    FADE_FN int page_of(int position) const {
        return int(std::uint32_t(std::uint64_t(std::uint32_t(position) * 4) * factor >> 32) >> shift);
    }
};

/// A page and a position in it.
struct page_entry {
    int page, position;
};

/// The pages of one sequence.
struct sequence_pages {
    const int* table = nullptr;
    page_size size{};  ///< 0: positions follow each other
    int count = any_page;

    FADE_FN page_entry find(int position) const {
        if (size.positions == 0) return {0, position};
        const int page = size.page_of(position);
        return {table[page], position - page * size.positions};
    }
};

/// Where the positions of one head of a cache lie.
template <class T, class Stride = int>
struct paged_rows {
    using element = T;
    using entry = page_entry;
    static constexpr bool looked_up = true;
    const T* head;
    sequence_pages pages;
    index page_stride;
    Stride stride;
    FADE_FN entry find(int position) const { return pages.find(position); }
    FADE_FN bool holds(const entry& e) const { return is_page(e.page, pages.count); }
    FADE_FN const T* at(const entry& e) const {
        return head + e.page * page_stride + index(e.position) * stride;
    }
};

}  // namespace FADE_NAMESPACE::block

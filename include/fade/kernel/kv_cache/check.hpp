// What an append refuses of its sizes and strides.
#pragma once
#include <fade/kernel/attention/check.hpp>
#include <fade/kernel/kv_cache/problem.hpp>

namespace FADE_NAMESPACE::kernel {

inline void check_rotary(const append_problem& p) {
    require(p.rotary_dim >= 0 && p.rotary_dim <= p.head_dim, "rotary_dim", p.rotary_dim,
            "it must be between 0 and head_dim (" + std::to_string(p.head_dim) + ")");
    require(p.rotary_dim % 2 == 0, "rotary_dim", p.rotary_dim, "elements turn in pairs, so it must be even");
    const index max = index(1) << 31;
    require(p.rotary_stride == 0 ||
                (p.rotary_dim > 0 && p.rotary_stride >= p.rotary_dim / 2 && p.rotary_stride < max),
            "rotary_stride", p.rotary_stride,
            "it must be at least rotary_dim / 2 and below 2^31, or 0 for rotary_dim / 2");
}

/// Capacity and table, each from the other where it is 0.
inline void check_pages(append_problem& p) {
    constexpr index max = index(1) << 30;
    require(p.capacity >= 0 && p.capacity < max, "capacity", p.capacity, "it must be between 0 and 2^30 - 1");
    require(p.page_size >= 0 && p.page_size < max, "page_size", p.page_size,
            "it must be a number of positions, or 0 for no pages");
    require(p.table_width >= 0 && p.table_width < max, "table_width", p.table_width,
            "it must be between 0 and 2^30 - 1");
    require(p.page_size > 0 || p.table_width == 0, "table_width", p.table_width,
            "page_size is 0, so there are no pages for a table to name");
    if (p.page_size > 0 && p.capacity == 0) {
        require(p.page_size * p.table_width < max, "table_width", p.table_width,
                "so many pages hold 2^30 positions and more: give the capacity that is meant");
        p.capacity = p.page_size * p.table_width;
    }
    const index pages = p.page_size ? ceil_div(p.capacity, p.page_size) : 0;
    if (p.table_width == 0) p.table_width = pages;
    require(p.table_width >= pages, "table_width", p.table_width,
            "the capacity needs " + std::to_string(pages) + " pages a sequence");
}

/// The problem with its defaults made explicit.
inline append_problem checked(append_problem p) {
    require(p.batch >= 0 && p.batch <= 65535, "batch", p.batch, "it must be between 0 and 65535");
    require(p.heads >= 0 && p.heads <= 65535, "heads", p.heads, "it must be between 0 and 65535");
    require(p.kv_heads >= 1 && p.kv_heads <= 65535, "kv_heads", p.kv_heads, "it must be between 1 and 65535");
    require(p.head_dim >= 1 && p.head_dim <= 256, "head_dim", p.head_dim, "it must be between 1 and 256");
    check_rotary(p), check_pages(p), check_page_count(p.page_count, p.page_size);
    require(p.new_positions >= 0 && p.new_positions <= p.capacity, "new_positions", p.new_positions,
            "it must be between 0 and the capacity of a sequence (" + std::to_string(p.capacity) + ")");
    if (p.rotary_stride == 0) p.rotary_stride = p.rotary_dim / 2;
    const index cached = p.page_size ? p.page_size : p.capacity;
    p.new_k_strides =
        checked_strides("new_k_strides", p.new_k_strides, p.new_positions, p.kv_heads, p.head_dim);
    p.new_v_strides =
        checked_strides("new_v_strides", p.new_v_strides, p.new_positions, p.kv_heads, p.head_dim);
    p.k_strides = checked_strides("k_strides", p.k_strides, cached, p.kv_heads, p.head_dim);
    p.v_strides = checked_strides("v_strides", p.v_strides, cached, p.kv_heads, p.head_dim);
    p.q_strides = checked_strides("q_strides", p.q_strides, p.new_positions, p.heads, p.head_dim);
    p.q_out_strides = checked_strides("q_out_strides", p.q_out_strides, p.new_positions, p.heads, p.head_dim);
    return p;
}

}  // namespace FADE_NAMESPACE::kernel

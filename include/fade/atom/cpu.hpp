// The CPU's atom: a micro-kernel that multiplies panels from shared memory into a tile of accumulators.
#pragma once
#include <cstddef>
#include <cstring>
#include <fade/atom/cpu_micro.hpp>
#include <fade/atom/shape.hpp>

namespace fade::atom {

/// Extent of a product of panels: rows x columns x depth that exist, the pitch of the accumulator tile, and the depth a panel is laid out for.
struct panel_extent {
    int rows, columns, depth, pitch, panel_depth;
};

template <class T>
struct cpu {
    using element = T;
    using accumulator = T;
    static constexpr operand_order order = operand_order::panel;
    static constexpr int m = micro_rows, n = 128 / int(sizeof(T)), k = 1, lanes = 1;
    static constexpr int a_size = 1, b_size = 1, d_size = 1, lane_k = 1, k_groups = 1, lane_rows = 1, lane_columns = 1;

    /// acc(rows x columns) += panels of A times panels of B.
    static void multiply(T* acc, const std::byte* a, const std::byte* b, const panel_extent& e) {
        const auto* pa = reinterpret_cast<const T*>(a);
        const auto* pb = reinterpret_cast<const T*>(b);
        for (int j = 0; j < e.columns; j += n)
            for (int i = 0; i < e.rows; i += m)
                micro_kernel(acc + i * e.pitch + j, e.pitch, pa + i * e.panel_depth, pb + j * e.panel_depth, e.depth);
    }
};

}  // namespace fade::atom

// Tensors of which hardware copies whole boxes by itself, by maps that the host writes.
#pragma once
#include <cstddef>
#include <fade/core/dtype.hpp>

namespace FADE_NAMESPACE {

/// A tensor [batch, head, position, column]. Distances are in elements, multiples of 16 bytes and above 0. A
/// box of it has `box` positions and the columns of 128 bytes.
struct tile_source {
    const void* base;
    int columns, positions, heads, batches;
    index position, head, batch;  ///< from one to the next
    int box;
    int bytes = 2;                          ///< of an element: 1, 2 or 4
    static constexpr int box_columns = 64;  ///< of 2-byte elements
};

/// The same as the hardware wants it (a CUtensorMap). Emulation reads the source.
struct alignas(64) tensor_map {
    std::byte bits[128];
};

/// Where a box begins. What of it lies beyond the columns or positions is zeros.
struct box_place {
    int column, position, head, batch;
};

}  // namespace FADE_NAMESPACE

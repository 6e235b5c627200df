// A primitive as its runners take it, whatever the types.
#pragma once
#include "../runner.hpp"
#include <array>
#include <fade/core/shape.hpp>
#include <string_view>

namespace fade::bench {

enum class primitive_kind { sort, sort_pairs, scan, select, reduce, segmented_reduce, histogram, top_k };

/// The lists that primitives know; their names are those of primitive_list_names.
enum class primitive_slot { x, values, flags, offsets, y, places, counts, selected };
inline constexpr std::string_view primitive_list_names[] = {"x", "values", "flags",  "offsets",
                                                            "y", "places", "counts", "selected"};

inline constexpr int histogram_bins = 256;
inline constexpr double histogram_lower = -4, histogram_upper = 4;

/// A problem with the memory of its lists; null: not there.
struct primitive_call {
    primitive_kind op{};
    bool strict = false;
    index count = 0, segments = 0, k = 0;
    std::array<void*, std::size(primitive_list_names)> memory{};
    void* workspace = nullptr;  ///< null: the device's own
    std::size_t workspace_bytes = 0;

    template <class T>
    T* at(primitive_slot slot) const {
        return static_cast<T*>(memory[std::size_t(slot)]);
    }
};

using primitive_runner = runner<primitive_call>;

}  // namespace fade::bench

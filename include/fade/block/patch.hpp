// The part of an operand tile that a lane copies at once, and which lane takes which part.
#pragma once
#include <bit>
#include <fade/block/shared_layout.hpp>
#include <fade/block/source/strided.hpp>

namespace FADE_NAMESPACE::block {

/// `rows` x `k` elements of T, loaded in `loads` vectors of `width`. The tile is dealt out to Threads lanes,
/// of which a wave has WaveSize. Waves of 64 load 8 bytes a lane at full rate: elements of 8 bytes come one
/// by one there where rows become columns, so that none is moved to stand beside its neighbour along k.
template <class T, class Layout, memory_order Order, int Threads = 1, int WaveSize = 32>
struct patch_shape {
    static constexpr int wide = 16 / int(sizeof(T)),
                         share = int(std::bit_floor(unsigned(Layout::rows * Layout::depth / Threads)));
    static constexpr bool by_rows = Order == memory_order::row_contiguous,
                          along_k = Layout::order == operand_order::k_contiguous;
    static constexpr bool transposed = by_rows && along_k;  // rows become columns in registers
    // Rows that one piece of 16 bytes of shared memory holds: where lanes of waves of 64 wrote two, they
    // would leave out every other one. A wave that copies alone has no registers for so many addresses.
    static constexpr int piece = WaveSize == 64 && Threads > WaveSize
                                     ? max_of(16 / (Layout::k_run * int(sizeof(typename Layout::element))), 1)
                                     : wide;
    // As much as moves at once, unless that left lanes without work.
    static constexpr int most_rows = WaveSize == 64 && sizeof(T) == 8 ? 1 : min_of(4, wide),
                         transposed_rows =
                             min_of(most_rows, max_of(share / Layout::k_run, max_of(4 / int(sizeof(T)), 1)));
    static constexpr int rows = !by_rows     ? 1
                                : transposed ? transposed_rows
                                             : min_of(min_of(wide, piece), max_of(share / Layout::k_run, 4));
    static constexpr int k = transposed ? min_of(wide, max_of(share / rows, Layout::k_run))
                             : by_rows  ? Layout::k_run
                                        : min_of(min_of(wide, Layout::depth), max_of(share, Layout::k_run));
    static constexpr int width = Order == memory_order::strided ? 1 : by_rows ? rows : k;
    static constexpr int elements = rows * k, loads = elements / width;
    static constexpr int per_tile = Layout::rows * Layout::depth / elements;
    // Neighbouring lanes take neighbouring memory; those that turn rows into columns also some k, so that
    // they write to different banks.
    static constexpr int k_lanes = [] {
        if constexpr (transposed)
            return max_of((rows == 1 ? Layout::depth : Layout::k_span) / k, 1);
        else
            return by_rows ? 1 : Layout::depth / k;
    }();
    static constexpr int row_lanes = Layout::rows / rows;

    static constexpr bool all_k =
        k_lanes * k ==
        Layout::depth;  // then the simpler form, which a loop over patches need not compute again

    FADE_FN static constexpr int row(int patch) {
        return (all_k ? patch / k_lanes : patch / k_lanes % row_lanes) * rows;
    }
    FADE_FN static constexpr int depth(int patch) {
        return (all_k ? patch % k_lanes : patch / (k_lanes * row_lanes) * k_lanes + patch % k_lanes) * k;
    }
};

}  // namespace FADE_NAMESPACE::block

// The few rows or columns of a product, copied so that they lie along k: what streams past them is then read
// by the kernel that reads both along k, or the stream alone along its own rows.
#pragma once
#include <fade/block/schedule/run.hpp>
#include <fade/core/launch.hpp>
#include <fade/core/shape.hpp>
#include <fade/core/unrolled.hpp>
#include <fade/core/vec.hpp>
#include <fade/core/workgroup.hpp>

namespace FADE_NAMESPACE::kernel {

/// Positions of k that a workgroup copies, of so many rows together.
inline constexpr int transposed_positions = 256, transposed_together = 8;

/// k lines of `count` elements, a batch, which become `count` packed lines of k.
template <class T>
struct transpose_few_arguments {
    const T* from;
    T* to;
    index k, count;
    index apart;        ///< elements from a line of `from` to the next
    index stride_from;  ///< elements from a batch to the next
};

/// Workgroups: positions of k, rows together, batches.
template <class T>
grid_shape transpose_few_grid(const transpose_few_arguments<T>& args, index batches) {
    return {int(ceil_div<index>(args.k, transposed_positions)),
            int(ceil_div<index>(args.count, transposed_together)), int(batches)};
}

/// A lane reads the elements of rows together at one position, and stores each beside its neighbours'.
template <workgroup Block, class T>
FADE_FN void transpose_few(Block& block, const transpose_few_arguments<T>& args) {
    for (const block::run_work& work : block::run_schedule(block, args.k, transposed_positions)) {
        const index first = index(work.line) * transposed_together;
        const int rows = int(min_of<index>(args.count - first, transposed_together));
        const T* from = args.from + work.layer * args.stride_from + first;
        T* to = args.to + (work.layer * args.count + first) * args.k;
        block::each_of(block, work.items(), [&](index at) FADE_LAMBDA {
            vec<T, transposed_together> held{};
            unrolled<transposed_together>([&](auto i) FADE_LAMBDA {
                if (i < rows) held[i] = from[at * args.apart + i];
            });
            unrolled<transposed_together>([&](auto i) FADE_LAMBDA {
                if (i < rows) to[i * args.k + at] = held[i];
            });
        });
    }
}

}  // namespace FADE_NAMESPACE::kernel

// Do the rows of a tensor that is written share memory?
#pragma once
#include <fade/core/require.hpp>
#include <fade/kernel/attention/problem.hpp>
#include <string>
#include <utility>

namespace FADE_NAMESPACE::kernel {

/// No two rows of a tensor share memory: from the smallest on, each stride passes what lies within it.
inline void check_rows_apart(const char* name, const attention_strides& s, index batch, index positions,
                             index heads, index head_dim) {
    struct axis {
        index stride, count;
    } axes[] = {{s.batch, batch}, {s.position, positions}, {s.head, heads}};
    for (const int i : {0, 1, 0})  // the smallest first
        if (axes[i + 1].stride < axes[i].stride) std::swap(axes[i], axes[i + 1]);
    index within = head_dim;
    for (const auto& [stride, count] : axes) {
        if (count > 1)
            require(stride >= within, name, stride,
                    "rows that are written may not overlap, and what lies within that stride spans " +
                        std::to_string(within) + " elements");
        within += (count - 1) * stride;
    }
}

}  // namespace FADE_NAMESPACE::kernel

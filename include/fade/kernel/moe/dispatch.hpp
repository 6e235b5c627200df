// Copies of tokens, sorted by expert: each workgroup finds the rows of one expert.
#pragma once
#include <fade/block/counting_sort.hpp>
#include <fade/kernel/moe/problem.hpp>

namespace FADE_NAMESPACE::kernel {

struct moe_dispatch_arguments {
    moe_dispatch_operands tables;
    int choices, top_k, experts;
};

/// The first workgroup also marks the choices that are no expert's.
template <class Block>
FADE_FN void moe_dispatch_body(Block& block, const moe_dispatch_arguments& a) {
    const int expert = block.id_x();
    const moe_dispatch_operands& t = a.tables;
    block::sort_bucket(
        block, a.choices, expert,
        [&](int item) FADE_LAMBDA {
            const int choice = t.choices[item];
            const bool dropped = choice < 0 || choice >= a.experts;
            if (dropped && expert == 0) t.slots[item] = -1;
            return dropped ? -1 : choice;
        },
        [&](int item, int row) FADE_LAMBDA { t.row_list[row] = item / a.top_k, t.slots[item] = row; },
        [&](int end) FADE_LAMBDA { t.ends[expert] = end; });
}

}  // namespace FADE_NAMESPACE::kernel

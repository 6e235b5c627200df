// What a primitive is asked for, beside its memory.
#pragma once
#include <fade/core/call/primitives.hpp>

namespace FADE_NAMESPACE {

/// Sizes of sort() and sort_pairs().
struct sort_problem {
    index count = 0;          ///< elements, below 2^31
    bool descending = false;  ///< the largest first
};

/// Sizes of inclusive_scan() and exclusive_scan().
struct scan_problem {
    index count = 0;  ///< elements, below 2^31
    /// Floats: GPUs add them in an order that may differ from call to call. Whole numbers do not need it.
    bool any_order = false;
};

/// Sizes of select().
struct select_problem {
    index count = 0;  ///< elements, below 2^31
};

/// Sizes of reduce(), of one list.
struct reduce_list_problem {
    index count = 0;                ///< elements, below 2^31
    reduce_op op = reduce_op::sum;  ///< how two elements become one
};

/// Sizes of segmented_reduce().
struct segmented_reduce_problem {
    index count = 0;                ///< elements, below 2^31
    index segments = 0;             ///< below 2^31
    reduce_op op = reduce_op::sum;  ///< how two elements become one
};

/// Sizes of histogram().
struct histogram_problem {
    index count = 0;   ///< elements, below 2^31
    int bins = 0;      ///< equal ones, 1 to 65536
    double lower = 0;  ///< elements from here on are counted
    double upper = 0;  ///< and below this
};

/// Of one list; rows of k up to 64 are top_k_problem's.
struct list_top_k_problem {
    index count = 0;  ///< elements, below 2^31
    index k = 0;      ///< 0 to count
};

}  // namespace FADE_NAMESPACE

// What a primitive is asked for, beside its memory.
#pragma once
#include <fade/core/primitives.hpp>

namespace FADE_NAMESPACE {

struct sort_problem {
    index count = 0;          ///< elements, below 2^31
    bool descending = false;  ///< the largest first
};

struct scan_problem {
    index count = 0;  ///< elements, below 2^31
    /// Floats: GPUs add them in an order that may differ from call to call. Whole numbers do not need it.
    bool any_order = false;
};

struct select_problem {
    index count = 0;  ///< elements, below 2^31
};

struct reduce_list_problem {
    index count = 0;  ///< elements, below 2^31
    reduce_op op = reduce_op::sum;
};

struct segmented_reduce_problem {
    index count = 0;     ///< elements, below 2^31
    index segments = 0;  ///< below 2^31
    reduce_op op = reduce_op::sum;
};

struct histogram_problem {
    index count = 0;              ///< elements, below 2^31
    int bins = 0;                 ///< equal ones, 1 to 65536
    double lower = 0, upper = 0;  ///< elements in [lower, upper) are counted
};

/// Of one list; rows of k up to 64 are top_k_problem's.
struct list_top_k_problem {
    index count = 0;  ///< elements, below 2^31
    index k = 0;      ///< 0 to count
};

}  // namespace FADE_NAMESPACE

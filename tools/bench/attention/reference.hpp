// An independent attention in double precision.
#pragma once
#include "data.hpp"
#include <functional>
#include <vector>

namespace fade::bench {

/// Some queries of one head of one sequence, with what they should give.
struct reference_queries {
    index batch, head;
    const index* queries;
    index count;
    const double* o;  ///< count rows of a head's values
    const double* lse;
};

/// Computes queries on all cores. They are numbered as in lse, (batch * heads + head) * seq_q + query, in
/// rising order; numbers behind the end of a sequence are left out. `visit` is called from several threads at
/// once.
void compute_reference(const attention_request& request, const attention_data& data,
                       const std::vector<index>& numbers,
                       const std::function<void(const reference_queries&)>& visit);

}  // namespace fade::bench

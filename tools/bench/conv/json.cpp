#include "../sizes.hpp"
#include "request.hpp"
#include <nlohmann/json.hpp>

namespace fade::bench {
nlohmann::ordered_json problem_of(const conv_request& r) {
    const conv_problem& p = r.problem;
    nlohmann::ordered_json out{{"pass", name_of(r.pass)},
                               {"dims", r.dims},
                               {"n", p.batch},
                               {"c", p.channels},
                               {"k", p.filters},
                               {"in", listed_sizes(p.input, r.dims)},
                               {"filter", listed_sizes(p.filter, r.dims)},
                               {"stride", listed_sizes(p.stride, r.dims)},
                               {"pad", listed_sizes(p.pad, r.dims)},
                               {"dilation", listed_sizes(p.dilation, r.dims)},
                               {"groups", p.groups},
                               {"layout", conv_layout_names()[r.channels_first]}};
    if (r.algo) out["algo"] = *r.algo;
    if (r.strict) out["strict"] = true;
    return out;
}

}  // namespace fade::bench

#include "request.hpp"
#include <nlohmann/json.hpp>

namespace fade::bench {
namespace {

/// The sizes of the dimensions that there are.
template <class Sizes>
std::vector<int> listed(const Sizes& s, int dims) {
    const int all[] = {s.d, s.h, s.w};
    return {std::end(all) - dims, std::end(all)};
}

}  // namespace

nlohmann::ordered_json problem_of(const conv_request& r) {
    const conv_problem& p = r.problem;
    nlohmann::ordered_json out{{"pass", name_of(r.pass)},
                               {"dims", r.dims},
                               {"n", p.batch},
                               {"c", p.channels},
                               {"k", p.filters},
                               {"in", listed(p.input, r.dims)},
                               {"filter", listed(p.filter, r.dims)},
                               {"stride", listed(p.stride, r.dims)},
                               {"pad", listed(p.pad, r.dims)},
                               {"dilation", listed(p.dilation, r.dims)},
                               {"groups", p.groups},
                               {"layout", conv_layout_names()[r.channels_first]}};
    if (r.algo) out["algo"] = *r.algo;
    if (r.strict) out["strict"] = true;
    return out;
}

}  // namespace fade::bench

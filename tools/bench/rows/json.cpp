#include "request.hpp"
#include <nlohmann/json.hpp>

namespace fade::bench {

nlohmann::ordered_json problem_of(const rows_request& r) {
    nlohmann::ordered_json out{{"op", name_of(r.op)},
                               {"rows", r.rows},
                               {"columns", r.columns},
                               {"pass", r.backward ? "bwd" : "fwd"}};
    if (r.residual) out["residual"] = true;
    if (r.k) out["k"] = *r.k;
    if (r.along) out["along"] = *r.along;
    if (r.strict) out["strict"] = true;
    return out;
}

}  // namespace fade::bench

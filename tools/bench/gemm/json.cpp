#include "layout.hpp"
#include "request.hpp"
#include <nlohmann/json.hpp>

namespace fade::bench {

nlohmann::ordered_json problem_of(const gemm_request& r) {
    nlohmann::ordered_json out;
    if (r.grouped) {
        out["grouped"] = *r.grouped;
        for (const gemm_sizes& s : r.sizes) out["sizes"].push_back({s.m, s.n, s.k});
    } else {
        const gemm_problem p = r.problems()[0];
        out = {{"m", p.m},     {"n", p.n},     {"k", p.k},    {"batch", p.batch},
               {"lda", p.lda}, {"ldb", p.ldb}, {"ldc", p.ldc}};
    }
    out.update({{"layout", word_of(r.layout).name},
                {"alpha", r.alpha},
                {"beta", r.beta},
                {"epilogue", name(r.epilogue)}});
    out["split_k"] = r.split_k ? nlohmann::ordered_json(r.split_k) : nlohmann::ordered_json("auto");
    if (r.strict) out["strict"] = true;
    return out;
}

}  // namespace fade::bench

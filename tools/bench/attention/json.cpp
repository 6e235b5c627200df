#include "request.hpp"
#include <nlohmann/json.hpp>

namespace fade::bench {

nlohmann::ordered_json problem_of(const attention_request& r) {
    nlohmann::ordered_json out{
        {"pass", "fwd"}, {"batch", r.batch}, {"heads", r.heads}, {"kv_heads", r.kv_heads}};
    if (r.lengths)
        out["varlen"] = *r.lengths;
    else
        out.update({{"seq_q", r.seq_q}, {"seq_k", r.seq_k}});
    if (r.starts) out["starts_k"] = *r.starts;
    out["head_dim"] = r.head_dim;
    if (r.head_dim_v) out["head_dim_v"] = *r.head_dim_v;
    if (r.causal_named)
        out["causal"] = r.causal == causal_kind::top_left ? "top-left" : "bottom-right";
    else if (r.causal != causal_kind::none)
        out["causal"] = true;
    if (r.window) out["window"] = {r.window->first, r.window->second};
    if (r.softcap) out["softcap"] = *r.softcap;
    if (r.dropout) out["dropout"] = *r.dropout;
    if (r.scale) out["scale"] = *r.scale;
    if (r.page) out["page"] = *r.page;
    if (r.alibi) out["alibi"] = true;
    if (r.bias) out["bias"] = true;
    if (r.sink) out["sink"] = true;
    if (r.head_scales) out["scales"] = *r.head_scales ? "head" : "tensor";
    if (r.split_kv)
        out["split_kv"] = *r.split_kv ? nlohmann::ordered_json(*r.split_kv) : nlohmann::ordered_json("auto");
    if (r.strict) out["strict"] = true;
    return out;
}

}  // namespace fade::bench

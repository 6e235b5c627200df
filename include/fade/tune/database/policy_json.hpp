// Policies as text: every field by its name, in one spelling, so that equal policies have equal texts.
#pragma once
#include <cstdio>
#include <fade/kernel/gemm/policy.hpp>
#include <optional>
#include <string>

namespace FADE_NAMESPACE::tune {

namespace detail {
inline std::string json_value(int value) { return std::to_string(value); }
inline std::string json_value(block::pipeline_kind value) {
    return "\"" + std::string(block::name(value)) + "\"";
}
inline std::string json_value(gemm_schedule value) { return "\"" + std::string(name(value)) + "\""; }
inline std::string json_value(const tile_shape& t) {
    return "[" + std::to_string(t.m) + "," + std::to_string(t.n) + "," + std::to_string(t.k) + "]";
}
}  // namespace detail

/// {"block_tile":[128,128,32],...}
inline std::string policy_json(const gemm_policy& policy) {
    std::string out;
    each_field(policy, [&](const char* name, const auto& value) {
        out += (out.empty() ? "{\"" : ",\"") + std::string(name) + "\":" + detail::json_value(value);
    });
    return out + "}";
}

/// The policy of a text that policy_json wrote; nothing for any other text.
inline std::optional<gemm_policy> read_policy(const std::string& text) {
    using enum block::pipeline_kind;
    gemm_policy p;
    tile_shape &b = p.block_tile, &w = p.wave_tile;
    char pipeline[32] = "", schedule[32] = "";
    const int read = std::sscanf(text.c_str(),
                                 "{\"block_tile\":[%9d,%9d,%9d],\"wave_tile\":[%9d,%9d,%9d],"
                                 "\"pipeline\":\"%31[a-z_]\",\"swizzle_rows\":%9d,\"xcd_chunk\":%9d,"
                                 "\"waves_per_simd\":%9d,\"cluster\":%9d,\"schedule\":\"%31[a-z_]\"}",
                                 &b.m, &b.n, &b.k, &w.m, &w.n, &w.k, pipeline, &p.swizzle_rows, &p.xcd_chunk,
                                 &p.waves_per_simd, &p.cluster, schedule);
    if (read != 12) return std::nullopt;
    for (auto kind : {single_buffer, double_buffer, read_ahead, async_ring, tma_ring, direct})
        for (auto order : {gemm_schedule::tiles, gemm_schedule::stream_k}) {
            p.pipeline = kind, p.schedule = order;
            if (policy_json(p) == text) return p;
        }
    return std::nullopt;
}

}  // namespace FADE_NAMESPACE::tune

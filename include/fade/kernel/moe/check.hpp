// What the steps of a mixture of experts refuse before anything is written.
#pragma once
#include <fade/core/number/bytes.hpp>
#include <fade/core/require.hpp>
#include <fade/kernel/moe/dispatch.hpp>

namespace FADE_NAMESPACE::kernel {

inline void check_choices(index tokens, int top_k) {
    require(top_k >= 1 && top_k <= 64, "top_k", top_k, "it must be between 1 and 64");
    require(tokens >= 0 && tokens * top_k < index(1) << 31, "tokens", tokens,
            "there must be fewer than 2^31 choices, top_k for each token");
}

inline void require_table(const void* table, const char* argument, index entries) {
    if (!table && entries > 0)
        throw error(argument, "null", "it has " + std::to_string(entries) + " entries");
}

inline void check_route(const moe_route_problem& p, const int* choices, const float* weights) {
    check_choices(p.tokens, p.top_k);
    require(p.tokens == 0 || p.top_k <= p.experts, "top_k", p.top_k,
            "a token cannot choose more than all " + std::to_string(p.experts) + " experts");
    require_real(p.weight_scale > -1e30 && p.weight_scale < 1e30, "weight_scale", p.weight_scale,
                 "it must be finite");
    require_table(choices, "choices", p.tokens * p.top_k);
    require_table(weights, "weights", p.tokens * p.top_k);
}

/// Tables that are written overlap neither each other nor the choices.
inline moe_dispatch_arguments checked(const moe_dispatch_problem& p, const moe_dispatch_operands& t) {
    check_choices(p.tokens, p.top_k);
    require(p.experts >= 0 && p.experts <= 65535, "experts", p.experts, "it must be between 0 and 65535");
    const index choices = p.tokens * p.top_k;
    require(choices == 0 || p.experts > 0, "experts", p.experts, "tokens chose some");
    const struct {
        const char* name;
        const int* at;
        index entries;
    } tables[] = {{"choices", t.choices, choices},
                  {"ends", t.ends, p.experts},
                  {"row_list", t.row_list, choices},
                  {"slots", t.slots, choices}};
    for (const auto& table : tables) {
        require_table(table.at, table.name, table.entries);
        for (const auto* other = tables; other != &table; ++other)
            if (bytes_from(table.at, wide_index(table.entries) * int(sizeof(int)))
                    .overlaps(bytes_from(other->at, wide_index(other->entries) * int(sizeof(int)))))
                throw error(table.name, std::string("overlapping ") + other->name,
                            "the tables lie apart from one another");
    }
    return {t, int(choices), p.top_k, p.experts};
}

/// The same problem with its strides.
inline moe_combine_problem completed(moe_combine_problem p) {
    check_choices(p.tokens, p.top_k);
    constexpr index max = index(1) << 31;
    require(p.columns >= 0 && p.columns < max, "columns", p.columns, "it must be between 0 and 2^31 - 1");
    require(p.rows >= 0 && p.rows < max, "rows", p.rows, "it must be between 0 and 2^31 - 1");
    if (p.x_stride == -1) p.x_stride = p.columns;
    if (p.y_stride == -1) p.y_stride = p.columns;
    for (const auto& [stride, name] : {std::pair{p.x_stride, "x_stride"}, {p.y_stride, "y_stride"}})
        require(stride >= p.columns && stride < index(1) << 40, name, stride,
                "a row has " + std::to_string(p.columns) + " elements, so it must be at least that (or -1)");
    return p;
}

template <class In, class Out>
void check_combine(const moe_combine_problem& p, const moe_combine_operands<In, Out>& o) {
    if (p.tokens == 0 || p.columns == 0) return;
    const index choices = p.tokens * p.top_k;
    require_table(o.slots, "slots", choices);
    require_table(o.y, "y", p.tokens * p.columns);
    require_table(o.x, "x", p.rows * p.columns);
    const auto bytes = [&](const auto* at, index rows, index stride) {
        return bytes_from(at, rows > 0 ? (wide_index(rows - 1) * stride + p.columns) * int(sizeof *at) : 0);
    };
    const byte_range y = bytes(o.y, p.tokens, p.y_stride);
    if (y.overlaps(bytes(o.x, p.rows, p.x_stride)))
        throw error("y", "overlapping x", "rows of x are added to several tokens");
    if (y.overlaps(bytes_from(o.slots, wide_index(choices) * 4)) ||
        y.overlaps(bytes_from(o.weights, wide_index(choices) * 4)))
        throw error("y", "overlapping slots or weights", "they are read while y is written");
}

}  // namespace FADE_NAMESPACE::kernel

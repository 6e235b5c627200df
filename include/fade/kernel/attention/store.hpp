// The end of attention: outputs over their sums, and the logarithm of the sums.
#pragma once
#include <cstdint>
#include <fade/kernel/attention/products.hpp>
#include <fade/kernel/attention/softmax.hpp>
#include <fade/kernel/attention/store_rows.hpp>

namespace FADE_NAMESPACE::kernel {

/// Outputs one row after the other: where row 0 lies, how far apart they are, and how many columns they have.
template <class T>
struct output_rows {
    using element = T;
    T* base;
    int stride, columns;
    FADE_FN T* begin(int first) const { return base + index(first) * stride; }
    FADE_FN T* last(int rows) const { return base + index(rows - 1) * stride; }
    FADE_FN int offset(int row, const row_owner&) const { return row * stride; }
    FADE_FN bool in_runs(int length) const { return (columns | stride) % length == 0; }
};

/// Outputs over their sums; `keep_sum(row, its owner, largest score, sum of probabilities beside it)` takes
/// those, the score as the formulas have it. A query that sees no key gets zeros and a sum of zero.
template <class Traits, class Block, class Walk, class Rows, class Outputs, class F>
FADE_FN void store_averages(Block& block, Walk& walk, const query_tile& tile, const Rows& rows,
                            const Outputs& to, F keep_sum) {
    using atom = typename Traits::atom;
    using T = typename Outputs::element;
    constexpr bool can_together = stores_together<Traits, T>;
    constexpr int run = can_together ? atom::m : Traits::stored_run;
    block::finish_sums(block, walk.states);
    const bool runs = to.in_runs(run) && reinterpret_cast<std::uintptr_t>(to.base) % (run * sizeof(T)) == 0;
    const auto memory =
        block.global(to.begin(tile.first_query), to.base, to.last(rows.count(tile.extent)) + to.columns);
    const auto row_of = [&](lane_coord p, int j, int c) -> stored_row {
        const softmax_state& state = walk.states.lanes[p].of[j][c];
        const row_owner owner = rows.template owner<atom>(p, j, c);
        return {std::uint32_t(to.offset(row_in_tile<atom>(p, Traits::wave_queries, j, c), owner)) *
                    std::uint32_t(sizeof(T)),
                owner.query < tile.extent.query_count,
                state.sum == 0 ? 0.0f : walk.value_scale * Block::reciprocal(state.sum)};
    };
    if constexpr (can_together)
        if (runs) store_together<Traits>(block, walk, memory, to, tile.first_column, row_of);
    block.each_lane([&](lane_coord p) {
        FADE_UNROLL
        for (int j = 0; j < Traits::columns; ++j) FADE_UNROLL
        for (int c = 0; c < walk.states.slots; ++c) {
            const stored_row row = row_of(p, j, c);
            if (runs && !can_together)
                store_row<Traits, Traits::stored_run>(walk, p, j, c, memory, to, tile.first_column, row);
            else if (!runs)
                store_row<Traits, 1>(walk, p, j, c, memory, to, tile.first_column, row);
            const softmax_state& state = walk.states.lanes[p].of[j][c];
            if (row.exists && atom::d_at(p.lane, c).major == 0 && tile.first_column == 0)
                keep_sum(rows.first + row_in_tile<atom>(p, Traits::wave_queries, j, c),
                         rows.template owner<atom>(p, j, c), state.maximum * (walk.scale_log2 * ln_2),
                         state.sum);
        }
    });
}

/// Outputs of neighbouring heads, wherever their queries lie: from the tile's first query on, `first_query`.
template <class T>
struct grouped_outputs {
    using element = T;
    T* base;
    int position, head, columns, first_query, first_head, heads;
    FADE_FN T* begin(int) const { return base + index(first_query) * position; }
    FADE_FN T* last(int rows) const {
        return base + index(rows / heads - 1) * position + index(heads - 1) * head;
    }
    FADE_FN int offset(int, const row_owner& of) const {
        return (of.query - first_query) * position + (of.head - first_head) * head;
    }
    FADE_FN bool in_runs(int length) const { return (columns | position | head) % length == 0; }
};

/// Where query 0 of a sequence and head goes.
template <class Args>
FADE_FN auto output_begin(const Args& args, const query_tile& at) {
    return args.o + at.batch * args.o_strides.batch + at.head * args.o_strides.head +
           index(at.extent.output_begin) * args.o_strides.position;
}

/// The logarithm of a query's sum, where it is wanted.
template <class Block, class Args>
FADE_FN void store_logarithm(const Args& args, int batch, const row_owner& of, float maximum, float sum) {
    if (args.lse)
        args.lse[(index(batch) * args.heads + of.head) * args.seq_q + of.query] =
            maximum + Block::log2(sum) * ln_2;
}

template <class Traits, class Block, class Walk, class Args>
FADE_FN void store_attention(Block& block, Walk& walk, const Args& args, const query_tile& tile) {
    using out = std::remove_cvref_t<decltype(*args.o)>;
    const output_rows<out> to{output_begin(args, tile), args.o_strides.position, args.output_dim};
    store_averages<Traits>(block, walk, tile, rows_of<Traits>(tile), to,
                           [&](int, const row_owner& of, float maximum, float sum) {
                               store_logarithm<Block>(args, tile.batch, of, maximum, sum);
                           });
}

template <class Traits, class Block, class Walk, class Args, class Rows>
FADE_FN void store_gqa(Block& block, Walk& walk, const Args& args, const query_tile& tile, const Rows& rows) {
    using out = std::remove_cvref_t<decltype(*args.o)>;
    const grouped_outputs<out> to{output_begin(args, tile),
                                  args.o_strides.position,
                                  args.o_strides.head,
                                  args.output_dim,
                                  tile.first_query / args.tile_heads,
                                  tile.head,
                                  args.tile_heads};
    store_averages<Traits>(block, walk, tile, rows, to,
                           [&](int, const row_owner& of, float maximum, float sum) {
                               store_logarithm<Block>(args, tile.batch, of, maximum, sum);
                           });
}

}  // namespace FADE_NAMESPACE::kernel

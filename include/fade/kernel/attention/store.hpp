// The end of attention: outputs over their sums, and the logarithm of the sums.
#pragma once
#include <cstdint>
#include <fade/block/chain/store_rows.hpp>
#include <fade/kernel/attention/operands.hpp>
#include <fade/kernel/attention/softmax.hpp>

namespace FADE_NAMESPACE::kernel {

FADE_FN block::stored_tile stored_tile_of(const query_tile& at) {
    return {at.first_query, at.extent.query_count, at.first_column};
}

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
    block::store_averages<Traits>(block, walk, stored_tile_of(tile), rows_of<Traits>(tile), to,
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
    block::store_averages<Traits>(block, walk, stored_tile_of(tile), rows, to,
                                  [&](int, const row_owner& of, float maximum, float sum) {
                                      store_logarithm<Block>(args, tile.batch, of, maximum, sum);
                                  });
}

}  // namespace FADE_NAMESPACE::kernel

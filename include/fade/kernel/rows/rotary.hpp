// Rotation of heads by the positions of their tokens.
#pragma once
#include <fade/atom/cpu/isa.hpp>
#include <fade/block/row/rotate.hpp>
#include <fade/core/shape.hpp>

namespace FADE_NAMESPACE::kernel {

template <class In, class Out, class Table>
struct rotary_arguments {
    const In* x;
    Out* y;
    const Table *cos, *sin;
    const int* positions;  ///< null: first_position + token % sequence
    index tokens, x_stride, y_stride, table_stride;
    index capacity, first_position, sequence, groups;
    block::rotary_heads heads;

    FADE_FN index position(index token) const {
        return positions ? index(positions[token]) : first_position + token % sequence;
    }
    FADE_FN index x_span() const { return index(heads.heads - 1) * heads.x_head + heads.head_dim; }
    FADE_FN index y_span() const { return index(heads.heads - 1) * heads.y_head + heads.head_dim; }
};

/// `Pairs`: how many a lane moves at once.
template <int Pairs, class Block, class In, class Out, class Table>
FADE_FN void rotary_body(Block& block, const rotary_arguments<In, Out, Table>& a) {
    const Table *cos_end = a.cos + ((a.capacity - 1) * a.table_stride + a.heads.rotary_dim / 2),
                *sin_end = a.sin + (cos_end - a.cos);
    for (index token = block.id_x(); token < a.tokens; token += a.groups) {
        const index at = a.position(token);
        if (at < 0 || at >= a.capacity) continue;
        const In* x = a.x + token * a.x_stride;
        Out* y = a.y + token * a.y_stride;
        const block::rotary_token<Block, Pairs, In, Out, Table> here(
            a.heads, block.global(x, x, x + a.x_span()), block.global(y, y, y + a.y_span()),
            block.global(a.cos + at * a.table_stride, a.cos, cos_end),
            block.global(a.sin + at * a.table_stride, a.sin, sin_end));
        here.rotate(block);
    }
}

template <int Pairs>
struct rotary_leaf {
    template <int, class Block, class Args>
    FADE_FN static void apply(Block* block, const Args* args) {
        rotary_body<Pairs>(*block, *args);
    }
};

}  // namespace FADE_NAMESPACE::kernel

// Products of tiles: of operands in shared memory and registers, and of a product's result.
#pragma once
#include <fade/block/mma.hpp>
#include <fade/block/mma_chain.hpp>
#include <fade/block/tile/accumulator.hpp>
#include <fade/block/tile/load.hpp>
#include <fade/wave/convert.hpp>
#include <fade/wave/load_transposed.hpp>

namespace FADE_NAMESPACE::tile {

/// Operand A as waves read it, each its own rows; made before a loop, since it holds every lane's addresses.
/// A tile that is kept in registers is read here, by all waves, which synchronise: its shared memory is free
/// behind. The caller has synchronised.
template <class Block, class A>
class operand_a {
    using atom = typename A::atom;
    static constexpr int columns = A::rows / Block::waves / atom::n, step = atom::lane_k * atom::k_groups,
                         steps = A::depth / step, size = atom::lane_columns * atom::lane_k;
    struct nothing {};
    using registers =
        std::conditional_t<A::kept, wave::kept_operand<Block, typename atom::element, size, columns, steps>,
                           nothing>;

public:
    /// Of a tile in shared memory, which may still be empty unless it is kept in registers.
    FADE_FN operand_a(Block& block, const A& from)
        : first_(from.base), base_(from.base),
          reader_(
              block, [](int wave) { return wave * (A::rows / Block::waves); },
              [](int lane, int c) {
                  return block::lane_start{atom::b_column(lane, c), atom::k_group(lane) * atom::lane_k};
              }) {
        if constexpr (A::kept) keep(block);
    }
    /// The same of a part of a matrix, which is copied first; nobody reads shared memory before that.
    template <class Matrix>
    FADE_FN operand_a(Block& block, const A& to, const Matrix& from)
        : operand_a(block, copied(block, to, from)) {}

    /// Reads another stage of a ring from now on.
    FADE_FN void read_stage(int stage) { base_ = first_ + std::uint32_t(stage * A::stage_bytes); }

    /// The fragment of step s, for one wave.
    template <class Fragment>
    FADE_FN void take(Block& block, wave_coord w, int s, Fragment& to) {
        if constexpr (A::kept)
            block.each_lane_of(w, [&](lane_coord p) {
                FADE_UNROLL
                for (int j = 0; j < columns; ++j) to.at(p.lane, j) = kept_.step(w, s).at(p.lane, j);
            });
        else
            reader_.load(block, w, base_, s, to);
    }

private:
    template <class Matrix>
    FADE_FN static const A& copied(Block& block, const A& to, const Matrix& from) {
        copy(block, to, from);
        block.sync();
        return to;
    }
    FADE_FN void keep(Block& block) {
        block.each_wave([&](wave_coord w) {
            FADE_UNROLL
            for (int s = 0; s < steps; ++s) {
                block::fragment_b<Block, atom, columns> part;
                reader_.load(block, w, base_, s, part);
                block.each_lane_of(w, [&](lane_coord p) {
                    FADE_UNROLL
                    for (int j = 0; j < columns; ++j) kept_.step(w, s).at(p.lane, j) = part.at(p.lane, j);
                });
            }
        });
        block.sync();
    }
    std::uint32_t first_, base_;
    wave::operand_reader<Block, typename A::layout, atom::n, atom::lane_columns, atom::lane_k, atom::k_groups>
        reader_;
    registers kept_;
};

template <class B>
struct plain_layout {
    using type = typename B::layout;
};
template <class B>
    requires(!B::transposing)
struct plain_layout<B> {
    using type = typename B::layout::plain;
};

/// Operand B as waves read it, each all of it; made before a loop.
template <class Block, class B>
class operand_b {
    using atom = typename B::atom;
    using layout = typename plain_layout<B>::type;
    using reader_type = std::conditional_t<
        B::transposing, wave::transposing_reader<Block, layout, atom>,
        wave::operand_reader<Block, layout, atom::m, atom::lane_rows, atom::lane_k, atom::k_groups>>;

public:
    reader_type reader;  ///< addresses of a lane
    std::uint32_t base;  ///< where the tile begins that is read

    /// Of a tile in shared memory, which may still be empty.
    FADE_FN operand_b(Block& block, const B& from)
        : reader(
              block, [](int) { return 0; },
              [](int lane, int r) {
                  return block::lane_start{atom::a_row(lane, r), atom::k_group(lane) * atom::lane_k};
              }),
          base(from.base), first_(from.base) {}

    /// Reads another stage of a ring from now on.
    FADE_FN void read_stage(int stage) { base = first_ + std::uint32_t(stage * B::stage_bytes); }

private:
    std::uint32_t first_;
};

/// A result as operand A of the next product.
template <class Block, class P>
class operand_p {
    using atom = typename P::atom;
    using through = std::conditional_t<
        P::in_registers, wave::chained_in_registers<Block, atom>,
        wave::chained_through_shared<Block, atom, typename P::layout, P::rows / Block::waves>>;

public:
    through values;  ///< how results become operands on this architecture
    /// Of the tile that results pass through, where they do.
    FADE_FN operand_p(Block& block, const P& from) : values(block, from) {}
};

/// How a product of Acc over Depth steps of k is cut: operands that a wave reads at once leave registers for
/// what is computed beside them.
template <class Acc, int Depth>
constexpr block::chain_cut cut_of() {
    using atom = typename Acc::atom;
    constexpr bool by_matrix = atom::order == block::operand_order::k_contiguous;
    constexpr int rows = Acc::row_atoms, few = atom::m == 16 && atom::a_copies == 1 ? 2 : rows;
    return {.steps = Depth / (atom::lane_k * atom::k_groups),
            .rows_at_once = by_matrix && rows % few == 0 ? few : rows,
            .steps_in_run = Acc::tile_columns < 128 && atom::lanes == 32 ? 4 : 1,
            .ahead = !by_matrix};
}

template <class Acc, class A, class B>
constexpr bool shapes_agree() {
    static_assert(A::depth == B::depth, "the operands of a product have the same depth");
    static_assert(Acc::tile_rows == A::rows && Acc::tile_columns == B::columns &&
                      std::is_same_v<typename Acc::b, B>,
                  "a product is added to accumulator<Block, A, B> of its own tiles");
    return true;
}

/// acc += A B. All waves call it, and have synchronised since the tiles were written.
template <class Block, class Acc, class A, class B>
    requires(A::where != storage::matrix_unit)
FADE_FN void mma(Block& block, Acc& acc, operand_a<Block, A>& a, operand_b<Block, B>& b) {
    static_assert(shapes_agree<Acc, A, B>());
    block.each_wave([&](wave_coord w) {
        const auto take = [&](int s, auto& to) { a.take(block, w, s, to); };
        block::multiply_steps<cut_of<Acc, A::depth>()>(block, w, acc, b.reader, b.base, take);
    });
}

/// acc = A B.
template <class Block, class Acc, class A, class B>
    requires(A::where != storage::matrix_unit)
FADE_FN void mm(Block& block, Acc& acc, operand_a<Block, A>& a, operand_b<Block, B>& b) {
    wave::zero(block, acc);
    mma(block, acc, a, b);
}

/// acc += P B, where P is the result of another product, converted to the type of the operands.
template <class Block, class Acc, class Result, class P, class B>
    requires(P::where != storage::matrix_unit)
FADE_FN void mma_chain(Block& block, Acc& acc, Result& result, operand_p<Block, P>& p,
                       operand_b<Block, B>& b) {
    static_assert(shapes_agree<Acc, P, B>());
    p.values.put(block, result);
    block.each_wave([&](wave_coord w) {
        const auto take = [&](int s, auto& to) { p.values.take(block, w, result, s, to); };
        block::multiply_steps<cut_of<Acc, P::depth>()>(block, w, acc, b.reader, b.base, take);
    });
}

}  // namespace FADE_NAMESPACE::tile

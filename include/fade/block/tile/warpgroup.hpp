// Products of tiles by a matrix unit that four waves share, and that reads operands from shared memory
// itself.
#pragma once
#include <fade/block/tile/mma.hpp>
#include <fade/block/warpgroup_chain.hpp>

namespace FADE_NAMESPACE::tile {

/// A tile that a matrix unit which four waves share reads, or makes.
template <class Tile>
concept by_matrix_unit = Tile::where == storage::matrix_unit;

namespace detail {

/// Where a tile begins, and how many bytes behind it the stage lies that is read.
template <class Tile>
struct tile_in_unit {
    std::uint32_t first;  ///< byte of shared memory
    int behind = 0;       ///< of the stage that is read

    /// Reads another stage of a ring from now on.
    FADE_FN void read_stage(int stage) { behind = stage * Tile::stage_bytes; }
};

/// Do the shapes of a product fit the instruction?
template <class Acc, class A, class B>
constexpr bool unit_fits() {
    static_assert(
        B::where == storage::matrix_unit,
        "a matrix unit that reads A from shared memory reads B there: let B be a b_tile_of<A, ...>");
    static_assert(Acc::columns == 1,
                  "the waves that share a matrix unit have 16 rows of A each: let A have 16 rows a wave");
    static_assert(Acc::rows == 8 || Acc::rows == 12 || Acc::rows % 16 == 0,
                  "a matrix unit that four waves share makes 64 or 96 columns, or multiples of 128");
    return shapes_agree<Acc, A, B>();
}

template <bool Added, class Block, class Acc, class A, class B>
FADE_FN void multiply_in_unit(Block& block, Acc& acc, operand_a<Block, A>& a, operand_b<Block, B>& b) {
    static_assert(unit_fits<Acc, A, B>());
    static_assert(B::order == memory_order::k_contiguous,
                  "where A is in shared memory the matrix unit that four waves share reads B along k: let "
                  "B's order be k_contiguous");
    if constexpr (!Added) block::discard(block, acc);
    block::start_mma_qk<typename A::layout::spans, typename B::layout::spans, Added>(
        block, acc, a.in_unit.first + std::uint32_t(a.in_unit.behind), b.in_unit.first, b.in_unit.behind);
    block::finish_products<0>(block, acc);
}

}  // namespace detail

/// Operand A as the matrix unit reads it.
template <class Block, by_matrix_unit A>
class operand_a<Block, A> {
public:
    detail::tile_in_unit<A> in_unit;  ///< where it is
    /// Of a tile in shared memory, which may still be empty.
    FADE_FN operand_a(Block&, const A& from) : in_unit{from.base} {}
    /// The same of a part of a matrix, which is copied first; nobody reads shared memory before that.
    template <class Matrix>
    FADE_FN operand_a(Block& block, const A& to, const Matrix& from) : in_unit{to.base} {
        copy(block, to, from);
        block.sync();
    }
    /// Reads another stage of a ring from now on.
    FADE_FN void read_stage(int stage) { in_unit.read_stage(stage); }
};

/// Operand B as the matrix unit reads it.
template <class Block, by_matrix_unit B>
class operand_b<Block, B> {
public:
    detail::tile_in_unit<B> in_unit;  ///< where it is
    /// Of a tile in shared memory, which may still be empty.
    FADE_FN operand_b(Block&, const B& from) : in_unit{from.base} {}
    /// Reads another stage of a ring from now on.
    FADE_FN void read_stage(int stage) { in_unit.read_stage(stage); }
};

/// A result as the matrix unit reads it: in the registers that it lies in.
template <class Block, by_matrix_unit P>
class operand_p<Block, P> {
public:
    /// Results are operands where they lie.
    FADE_FN operand_p(Block&, const P&) {}
};

/// acc += A B.
template <class Block, class Acc, by_matrix_unit A, class B>
FADE_FN void mma(Block& block, Acc& acc, operand_a<Block, A>& a, operand_b<Block, B>& b) {
    detail::multiply_in_unit<true>(block, acc, a, b);
}

/// acc = A B.
template <class Block, class Acc, by_matrix_unit A, class B>
FADE_FN void mm(Block& block, Acc& acc, operand_a<Block, A>& a, operand_b<Block, B>& b) {
    detail::multiply_in_unit<false>(block, acc, a, b);
}

/// acc += P B, where P is the result of another product, converted to the type of the operands.
template <class Block, class Acc, class Result, by_matrix_unit P, class B>
FADE_FN void mma_chain(Block& block, Acc& acc, Result& result, operand_p<Block, P>&, operand_b<Block, B>& b) {
    static_assert(detail::unit_fits<Acc, P, B>());
    static_assert(B::order == memory_order::row_contiguous,
                  "where a result is operand A the matrix unit that four waves share reads B along its "
                  "columns: let B's order be row_contiguous");
    block::chained_operand<Block, Result> probabilities;
    probabilities.take(block, result);
    block::start_mma_pv<typename B::layout>(block, acc, probabilities, b.in_unit.first, b.in_unit.behind);
    block::finish_products<0>(block, acc);
}

}  // namespace FADE_NAMESPACE::tile

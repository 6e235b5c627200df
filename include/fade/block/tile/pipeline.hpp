// Products over a long depth: what is in flight while a tile is multiplied.
#pragma once
#include <fade/block/async_copy.hpp>
#include <fade/block/pipeline.hpp>
#include <fade/block/tile/load.hpp>
#include <fade/core/workgroup.hpp>

namespace FADE_NAMESPACE::tile {

/// How tiles come to shared memory: through registers, or by copies that pass them by, where the architecture
/// has these and rows of matrix and tile run alike; else through registers all the same.
enum class transport { registers, async };

namespace detail {

/// The part of a matrix that a ring walks over along its depth, whose ends the walk itself knows.
template <memory_order Order, class T>
FADE_FN auto walked(const matrix<T>& m) {
    using element = std::remove_const_t<T>;
    if constexpr (Order == memory_order::row_contiguous)
        return block::operand<element>{m.first, m.first, m.end(), 1, m.ld, m.columns};
    else
        return block::operand<element>{m.first, m.first, m.end(), m.ld, 1, m.rows};
}
template <memory_order Order, class T>
FADE_FN auto walked(const paged_matrix<T>& m) {
    return source_of<Order>(m);
}

/// Can copies that pass the registers by fill such a tile?
template <class Block, class Tile, class Source>
constexpr bool copies_past_registers() {
    using element = typename Source::element;
    using layout = typename Tile::layout;
    if constexpr (async_workgroup<Block> && Block::arch::traits.family == arch::family::nvidia &&
                  std::is_same_v<element, typename layout::element> &&
                  Tile::order == memory_order::k_contiguous)
        return block::offset_source<Source, Block> && layout::order == block::operand_order::k_contiguous &&
               block::patch_shape<element, layout, Tile::order>::per_tile % Block::threads == 0;
    else
        return false;
}

/// Fills the stages of a ring, tile after tile along the depth; as block/pipeline.hpp drives it, but a stage
/// is its number.
template <class Block, class Ring, class Source, bool Async>
class ring_loader {
    using element = typename Source::element;
    using layout = typename Ring::layout;

public:
    FADE_FN ring_loader(Block& block, const Ring& to, const Source& from)
        : first_(to.base), loader_(block, from) {}

    /// Starts copying to a stage, past the registers.
    FADE_FN void copy(Block& block, int stage, int depth) { loader_.copy(block, at(stage), depth); }
    FADE_FN void load_edge(Block& block, int depth) { loader_.load_edge(block, depth); }
    FADE_FN void load(Block& block) { loader_.load(block); }
    FADE_FN void store(Block& block, int stage) { loader_.store(block, at(stage)); }
    FADE_FN void stop(Block& block) { loader_.stop(block); }
    FADE_FN void advance(index steps) { loader_.advance(steps); }

private:
    FADE_FN block::shared_tile<layout> at(int stage) const {
        return {first_ + std::uint32_t(stage * Ring::stage_bytes)};
    }
    std::uint32_t first_;
    std::conditional_t<Async, block::async_loader<Block, element, layout, Ring::order, Source>,
                       block::tile_loader<Block, element, layout, Ring::order, Source>>
        loader_;
};

}  // namespace detail

/// Walks over a depth, a tile at a time: fills the rings of A and B from matrices, or paged matrices. Tiles
/// of the next steps are on their way while one is multiplied, and a step has one barrier. Made before a
/// loop, since it holds every lane's addresses.
template <class Block, class A, class MatrixA, class B, class MatrixB, transport How = transport::async>
class pipeline {
    using source_a = decltype(detail::walked<A::order>(std::declval<const MatrixA&>()));
    using source_b = decltype(detail::walked<B::order>(std::declval<const MatrixB&>()));
    static_assert(A::depth == B::depth && A::stages == B::stages,
                  "the rings of a pipeline have the same depth and as many stages");

public:
    /// Do copies pass the registers by? Of both rings or of none.
    static constexpr bool async = How == transport::async &&
                                  detail::copies_past_registers<Block, A, source_a>() &&
                                  detail::copies_past_registers<Block, B, source_b>();

    /// From the first rows and columns of the matrices.
    FADE_FN pipeline(Block& block, const A& a, const MatrixA& from_a, const B& b, const MatrixB& from_b)
        : loaders_{{block, a, detail::walked<A::order>(from_a)},
                   {block, b, detail::walked<B::order>(from_b)}} {}

    /// Calls f() for each tile of `depth` steps of k, any whole number of 16-byte runs; operands read it
    /// then. All waves call it.
    template <class OperandA, class OperandB, class F>
    FADE_FN void run(Block& block, int depth, OperandA& a, OperandB& b, F f) {
        const auto stage_of = [](int stage) { return stage; };
        const auto multiply = [&](int stage) {
            a.read_stage(stage), b.read_stage(stage);
            f();
        };
        const block::k_steps steps(depth, A::depth);
        if constexpr (async)
            block::run_async_ring<A::stages>(block, loaders_, steps, A::depth, stage_of, multiply);
        else
            block::run_pipeline<block::pipeline_kind::double_buffer>(block, loaders_, steps, A::depth,
                                                                     stage_of, multiply);
    }

private:
    /// What block/pipeline.hpp drives.
    struct pair {
        detail::ring_loader<Block, A, source_a, async> a;
        detail::ring_loader<Block, B, source_b, async> b;
        static constexpr bool paged = false;
        FADE_FN void load_edge(Block& block, int depth) {
            a.load_edge(block, depth), b.load_edge(block, depth);
        }
        FADE_FN void load(Block& block) { a.load(block), b.load(block); }
        FADE_FN void stop(Block& block) { a.stop(block), b.stop(block); }
        FADE_FN void store(Block& block, int stage) { a.store(block, stage), b.store(block, stage); }
        FADE_FN void copy(Block& block, int stage, int depth) {
            a.copy(block, stage, depth), b.copy(block, stage, depth);
            advance(depth);
        }
        FADE_FN void look_ahead(Block&) {}
        FADE_FN void advance(index depth) { a.advance(depth), b.advance(depth); }
    };
    pair loaders_;
};

}  // namespace FADE_NAMESPACE::tile

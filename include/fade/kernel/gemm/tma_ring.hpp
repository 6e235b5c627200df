// The matrix multiplication for machines whose copy unit brings boxes of operands: workgroups stay, waves of
// their own fill a ring of tiles, and results leave while the next tile's operands come.
#pragma once
#include <fade/block/box/ring.hpp>
#include <fade/block/roles.hpp>
#include <fade/block/schedule/persistent.hpp>
#include <fade/block/warpgroup.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/gemm/body.hpp>
#include <fade/kernel/gemm/boxes.hpp>

namespace FADE_NAMESPACE::kernel {

template <class Arch, class In, gemm_policy Policy, gemm_access Access = gemm_access{}>
struct tma_gemm_traits : gemm_traits<Arch, In, Policy> {
    using base = gemm_traits<Arch, In, Policy>;
    using element = In;
    using layout_a = block::warpgroup_layout<typename base::layout_a, Access.a>;
    using layout_b = block::warpgroup_layout<typename base::layout_b, Access.b>;
    using staging = block::box_staging<typename base::grid>;
    static constexpr gemm_policy policy = Policy;
    static constexpr gemm_access access = Access;
    /// Where a multiprocessor has room for two workgroups none can be given away.
    static constexpr block::role_registers registers = Policy.waves_per_simd * 4 < 2 * (Policy.waves() + 4)
                                                           ? block::registers_for(Policy.waves() / 4)
                                                           : block::role_registers{};
    static constexpr int cluster = Policy.cluster, producers = 4, groups = Policy.waves() / 4,
                         most_stages = 6, batch_bytes = layout_a::bytes + layout_b::bytes,
                         stages = min_of((Arch::traits.lds_per_workgroup - staging::bytes) /
                                             (batch_bytes + block::box_ring<1>::bytes),
                                         most_stages);
    static_assert(stages >= 2, "a ring of boxes has two stages or more: take a smaller block_tile");
    using ring = block::box_ring<stages, cluster>;
    static constexpr int ring_bytes = stages * batch_bytes,
                         shared_bytes = ring_bytes + staging::bytes + ring::bytes;

    FADE_FN static constexpr block::tile_pair<layout_a, layout_b> tiles(int stage) {
        return {{std::uint32_t(stage * layout_a::bytes)},
                {std::uint32_t(stages * layout_a::bytes + stage * layout_b::bytes)}};
    }
    FADE_FN static constexpr staging results() { return {std::uint32_t(ring_bytes)}; }
    FADE_FN static constexpr ring barriers() { return {std::uint32_t(ring_bytes + staging::bytes)}; }
};

template <gemm_policy Policy, class Block, class Args>
FADE_FN block::persistent_schedule<Policy.cluster> persistent_tiles(const Block& block, const Args& args) {
    return {block, walk_over_tiles<Policy, Block>(args), args.batches * args.splits, args.workgroups};
}

/// Asks for the boxes of A and B, step by step, of all tiles of a workgroup.
template <class Traits, class Block, class Args>
class gemm_producer : public block::producer_role<gemm_producer<Traits, Block, Args>> {
    using layout_a = typename Traits::layout_a;
    using layout_b = typename Traits::layout_b;
    static constexpr gemm_policy policy = Traits::policy;

public:
    FADE_FN gemm_producer(const Block& block, const Args& args)
        : args_(&args), schedule_(persistent_tiles<policy>(block, args)), number_(schedule_.first) {
        begin_tile();
    }
    FADE_FN bool more() const { return number_ < schedule_.end().number; }
    FADE_FN bool has_room(Block& block) const { return Traits::barriers().has_room(block, batch_); }

    FADE_FN void next(Block& block) {
        const auto to = Traits::tiles(Traits::ring::stage(batch_));
        Traits::barriers().acquire(block, batch_, Traits::batch_bytes);
        copy<layout_a, 1>(block, to.a.base, args_->a_map,
                          a_to_map(*args_, Traits::access.a, policy.block_tile), row_, args_->stride_a);
        copy<layout_b, policy.cluster>(block, to.b.base, args_->b_map,
                                       b_to_map(*args_, Traits::access.b, policy.block_tile, policy.cluster),
                                       column_, args_->stride_b);
        ++batch_, k_ += policy.block_tile.k;
        if (k_ >= k_end_) number_ += schedule_.step(), begin_tile();
    }

private:
    FADE_FN void begin_tile() {
        if (!more()) return;
        const output_tile at = place_in_output<policy>(*args_, schedule_.item(number_));
        row_ = int(at.row), column_ = int(at.column), batch_of_tile_ = int(at.batch);
        k_ = int(at.k_begin), k_end_ = int(at.k_begin + at.k_count);
    }
    /// The rows of a tile from `row` on, and a step of k. Of what a cluster shares each workgroup brings a
    /// part, to all.
    template <class Layout, int Shared>
    FADE_FN void copy(Block& block, std::uint32_t to, const tensor_map& map, const tile_source& source,
                      int row, index stride) {
        constexpr bool along_rows = Layout::order == block::operand_order::row_contiguous;
        constexpr int box_rows = along_rows ? tile_source::box_columns : Layout::rows / Shared,
                      boxes = Layout::rows / box_rows, own = Block::emulated ? boxes : boxes / Shared;
        const int batch = stride == 0 ? 0 : batch_of_tile_,
                  first = Block::emulated || Shared == 1 ? 0 : schedule_.rank * own;
        unrolled<own>([&](int box) FADE_LAMBDA {
            const int behind = (first + box) * box_rows;
            const box_place at =
                along_rows ? box_place{row + behind, k_, 0, batch} : box_place{k_, row + behind, 0, batch};
            const std::uint32_t place = to + Layout::offset(behind, 0),
                                announces = Traits::barriers().announces(batch_);
            if constexpr (Block::emulated || Shared == 1)
                block.copy_box(place, map, source, at, announces);
            else
                block.copy_box_to_all(place, map, source, at, announces, (1 << Shared) - 1);
        });
    }

    const Args* args_;
    block::persistent_schedule<Traits::cluster> schedule_;
    int number_, batch_ = 0, row_ = 0, column_ = 0, batch_of_tile_ = 0, k_ = 0, k_end_ = 0;
};

/// Sums of a tile through the epilogue to D. What reads no memory leaves by boxes.
template <class Traits, class Block, class Acc, class Args>
FADE_FN void store_finished(Block& block, Acc& acc, const Args& args, const output_tile& at,
                            const tensor_map* map) {
    using out = std::remove_cvref_t<decltype(*args.d)>;
    using sum = typename Acc::element;
    const block::box_target<out> to{
        map, d_to_map(args), {int(at.column), int(at.row), 0, int(at.batch)}, at.rows, at.columns};
    if constexpr (std::is_same_v<decltype(args.epilogue), epilogue::none>)
        if (args.beta == typename Args::value(0))
            return block::store_boxes<out>(block, acc, Traits::results(), to, [&](sum x) FADE_LAMBDA {
                return wrapping_product(args.alpha, typename Args::value(x));
            });
    block::store_rows<out>(block, acc, Traits::results(), to, [&](int row, int column, sum x) FADE_LAMBDA {
        return finished_value(
            args, x, {at.row + row, at.column + column, at.batch, row < at.rows && column < at.columns});
    });
}

/// Sums of a tile to this part's layer of the sums that a second launch adds up.
template <class Traits, class Block, class Acc, class Args>
FADE_FN void store_sums(Block& block, Acc& acc, const Args& args, const output_tile& at,
                        const tensor_map* map) {
    using sum = typename Acc::element;
    const block::box_target<sum> to{
        map, partial_to_map(args), {int(at.column), int(at.row), 0, int(at.layer)}, at.rows, at.columns};
    block::store_boxes<sum>(block, acc, Traits::results(), to, [](sum x) FADE_LAMBDA { return x; });
}

template <class Traits, class Block, class Acc, class Args>
FADE_FN void store_by_boxes(Block& block, Acc& acc, const Args& args, const output_tile& at) {
    const tensor_map* map = args.boxes_out ? &args.out_map : nullptr;
    if (args.splits > 1)
        store_sums<Traits>(block, acc, args, at, map);
    else
        store_finished<Traits>(block, acc, args, at, map);
}

/// Sums the steps of a tile, of which the first is batch `batch` of the ring; products of a step run while
/// the next one is waited for.
template <class Traits, class Block, class Product, class Acc>
FADE_FN int walk_over_steps(Block& block, Product& product, Acc& acc, int batch, int steps) {
    const auto ring = Traits::barriers();
    for (int s = 0; s < steps; ++s, ++batch) {
        const auto pair = Traits::tiles(Traits::ring::stage(batch));
        ring.await(block, batch);
        product.start(block, acc, pair.a, pair.b);
        block.template wait_matrix<1>();
        if (s > 0) ring.release(block, batch - 1);
    }
    block.template wait_matrix<0>();
    ring.release(block, batch - 1);
    return batch;
}

template <gemm_policy Policy, gemm_access Access, matrix_workgroup Block, class Args>
FADE_FN void gemm_by_boxes(Block& block, const Args& args) {
    using in = std::remove_cvref_t<decltype(*args.a)>;
    using traits = tma_gemm_traits<typename Block::arch, in, Policy, Access>;
    using accumulator = typename traits::template accumulator<Block>;
    using multiplier = block::warpgroup_multiplier<Block, accumulator, typename traits::grid,
                                                   typename traits::layout_a, typename traits::layout_b>;
    block.prefetch_maps(args.a_map, args.b_map);
    traits::barriers().begin(block, traits::groups);
    gemm_producer<traits, Block, Args> producer(block, args);
    block::roles<traits::registers>(block, producer, [&] {
        multiplier product(block);
        int batch = 0;
        for (const block::work_item work : persistent_tiles<Policy>(block, args)) {
            const output_tile at = place_in_output<Policy>(args, work);
            accumulator acc;
            wave::zero(block, acc);
            batch = walk_over_steps<traits>(block, product, acc, batch,
                                            int(ceil_div<index>(at.k_count, Policy.block_tile.k)));
            store_by_boxes<traits>(block, acc, args, at);
        }
        block::finish_boxes(block);
    });
    traits::ring::end(block);
}

}  // namespace FADE_NAMESPACE::kernel

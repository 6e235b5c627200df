// Which boxes of A and B a workgroup asks for, and when.
#pragma once
#include <fade/block/schedule/cluster.hpp>
#include <fade/block/schedule/persistent.hpp>
#include <fade/block/schedule/shared_tail.hpp>
#include <fade/kernel/gemm/body.hpp>
#include <fade/kernel/gemm/boxes.hpp>
#include <fade/kernel/gemm/tma_traits.hpp>

namespace FADE_NAMESPACE::kernel {

/// Workgroups stay, but for those that share the k of a tile: the ring is where their sums meet.
template <gemm_policy Policy>
using box_schedule = std::conditional_t<(Policy.cluster_k > 1), block::cluster_schedule<Policy.cluster_k>,
                                        block::persistent_schedule<Policy.cluster>>;

template <gemm_policy Policy, class Block, class Args>
FADE_FN box_schedule<Policy> box_tiles(const Block& block, const Args& args) {
    const block::tile_walk walk = walk_over_tiles<Policy, Block>(args);
    if constexpr (Policy.cluster_k > 1)
        return {block, walk};
    else
        return {block, walk, args.batches * args.splits, args.workgroups, args.cluster_columns};
}

/// What the workgroup of that rank sums of a tile, or of a part of its k.
template <gemm_policy Policy, class Tile>
FADE_FN Tile slice_of_rank(Tile at, int rank) {
    if constexpr (Policy.cluster_k > 1) {
        const index end = at.k_begin + at.k_count,
                    share = block::share_of<index>(at.k_count, Policy.cluster_k, Policy.block_tile.k);
        const auto k = block::part_of<index>(at.k_begin, end, share, rank);
        at.k_begin = k.begin, at.k_count = k.end - k.begin;
    }
    return at;
}

/// The tiles of a workgroup: those that the operands walk over, or all of D's.
template <class Traits, class Block, class Args, class Operands>
FADE_FN auto tiles_of(const Block& block, const Args& args, const Operands& operands) {
    if constexpr (requires { operands.tiles(block); })
        return operands.tiles(block);
    else
        return box_tiles<Traits::policy>(block, args);
}
/// A tile as operands place it.
template <class Args>
FADE_FN block::split_work work_of(const Args& args, const block::work_item& work) {
    return part_of_work(work, args.splits);
}
template <class Args, class Work>
FADE_FN Work work_of(const Args&, const Work& work) {
    return work;
}

/// Asks for the boxes of an operand's tile, of which box(behind) begins `behind` rows further. Of what a
/// cluster shares each workgroup brings a part, to all; what is `own` after all comes in as many parts.
template <class Layout, int Shared, class Block, class Source, class Box>
FADE_FN void copy_boxes(Block& block, std::uint32_t to, const tensor_map& map, const Source& source,
                        std::uint32_t announces, int rank, Box box, bool own = false,
                        int ranks = (1 << Shared) - 1) {
    constexpr bool along_rows = Layout::order == block::operand_order::row_contiguous,
                   alone = Block::emulated || Shared == 1;
    constexpr int box_rows = along_rows ? tile_source::box_columns : Layout::rows / Shared,
                  boxes = Layout::rows / box_rows, part = Layout::depth / Shared;
    if constexpr (along_rows && boxes % Shared != 0)
        unrolled<boxes>([&](int n) FADE_LAMBDA {
            const int behind = n * box_rows;
            const auto copy = [&](int first, auto copied) FADE_LAMBDA {
                auto at = box(behind);
                at.position += first;
                copied(to + Layout::offset(behind, first), at);
            };
            if constexpr (alone)
                unrolled<Shared>([&](int i) FADE_LAMBDA {
                    copy(i * part, [&](std::uint32_t where, const auto& at)
                                       FADE_LAMBDA { block.copy_box(where, map, source, at, announces); });
                });
            else
                copy(rank * part, [&](std::uint32_t where, const auto& at) FADE_LAMBDA {
                    block.copy_box_to_all(where, map, source, at, announces, ranks);
                });
        });
    else if (alone || own)
        unrolled<boxes>([&](int n) FADE_LAMBDA {
            const int behind = n * box_rows;
            block.copy_box(to + Layout::offset(behind, 0), map, source, box(behind), announces);
        });
    else if constexpr (!alone)
        unrolled<boxes / Shared>([&](int n) FADE_LAMBDA {
            const int behind = (rank * (boxes / Shared) + n) * box_rows;
            block.copy_box_to_all(to + Layout::offset(behind, 0), map, source, box(behind), announces, ranks);
        });
}

/// The boxes of two matrices.
template <class Traits, class Args>
class matrix_boxes {
    using layout_a = typename Traits::layout_a;
    using layout_b = typename Traits::layout_b;
    static constexpr gemm_policy policy = Traits::policy;

public:
    static constexpr bool may_sum_nothing = policy.cluster_k > 1;  // steps are fewer than ranks
    static constexpr bool has_short_tiles = false;
    static constexpr bool placed_by_arguments = true;  // no memory says where
    FADE_FN explicit matrix_boxes(const Args& args) : args_(&args) {}

    FADE_FN output_tile place(const block::split_work& work) const {
        return place_in_output<policy>(*args_, work);
    }
    FADE_FN output_tile place(const block::tail_work& work) const {
        if (work.left < 0) {
            output_tile at = place(part_of_work(work.tile, args_->splits));
            if (args_->tail.shares.shared > 0) at.layer = -1;
            return at;
        }
        return place_in_output<policy>(*args_, block::stream_k_work{work.tile.tile, work.tile.layer,
                                                                    work.first_step, work.steps, work.left});
    }
    /// Whole ones, and shares of the last.
    template <class Block>
    FADE_FN auto tiles(const Block& block) const {
        if constexpr (policy.cluster_k > 1)
            return box_tiles<policy>(block, *args_);
        else
            return block::tail_schedule<policy.cluster>(block, walk_over_tiles<policy, Block>(*args_),
                                                        args_->batches * args_->splits, args_->workgroups,
                                                        args_->cluster_columns, args_->tail.shares);
    }
    FADE_FN void begin_tile(const output_tile& at) {
        row_ = int(at.row), column_ = int(at.column);
        batch_a_ = args_->stride_a == 0 ? 0 : int(at.batch),
        batch_b_ = args_->stride_b == 0 ? 0 : int(at.batch);
    }
    template <class Block>
    FADE_FN int bytes_of_step(const Block&) const {
        return Traits::batch_bytes - bytes_left_out<layout_a>(map_of_a(columns())) -
               bytes_left_out<layout_b>(map_of_b(policy.cluster / columns()));
    }
    /// The step from k on.
    template <class Block, class Tiles>
    FADE_FN void copy(Block& block, const Tiles& to, int k, std::uint32_t announces, int rank) const {
        with_columns([&](auto columns) FADE_LAMBDA {
            constexpr int beside = decltype(columns)::value, above = policy.cluster / beside;
            const int row = rank / beside, column = rank % beside;
            copy_a<beside>(block, to.a.base, k, announces, column, ((1 << beside) - 1) << row * beside);
            copy_b<above>(block, to.b.base, k, announces, row, every<beside, above>() << column);
        });
    }

private:
    /// Workgroups of a cluster that are neighbours in a row, and share A.
    FADE_FN int columns() const { return policy.cluster > 1 ? args_->cluster_columns : 1; }
    template <class F>
    FADE_FN void with_columns(F f) const {
        if constexpr (policy.cluster > 1)
            if (columns() == policy.cluster) return f(std::integral_constant<int, policy.cluster>{});
        if constexpr (policy.cluster > 2 && policy.cluster % 2 == 0)
            if (columns() == 2) return f(std::integral_constant<int, 2>{});
        f(std::integral_constant<int, 1>{});
    }
    /// Bits of workgroups below each other.
    template <int Beside, int Above>
    FADE_FN static constexpr int every() {
        int bits = 0;
        for (int i = 0; i < Above; ++i) bits |= 1 << i * Beside;
        return bits;
    }
    FADE_FN tile_source map_of_a(int cluster) const {
        return a_to_map(*args_, Traits::access.a, policy.block_tile, cluster);
    }
    FADE_FN tile_source map_of_b(int cluster) const {
        return b_to_map(*args_, Traits::access.b, policy.block_tile, cluster);
    }
    template <int Shared, class Block>
    FADE_FN void copy_a(Block& block, std::uint32_t to, int k, std::uint32_t announces, int part,
                        int ranks) const {
        copy_operand<layout_a, Shared>(block, to, args_->a_map, map_of_a(Shared), row_, k, batch_a_,
                                       announces, part, ranks);
    }
    template <int Shared, class Block>
    FADE_FN void copy_b(Block& block, std::uint32_t to, int k, std::uint32_t announces, int part,
                        int ranks) const {
        copy_operand<layout_b, Shared>(block, to, args_->b_map, map_of_b(Shared), column_, k, batch_b_,
                                       announces, part, ranks);
    }
    template <class Layout, int Shared, class Block>
    FADE_FN void copy_operand(Block& block, std::uint32_t to, const tensor_map& map,
                              const tile_source& source, int row, int k, int batch, std::uint32_t announces,
                              int part, int ranks) const {
        constexpr bool along_rows = Layout::order == block::operand_order::row_contiguous;
        copy_boxes<Layout, Shared>(
            block, to, map, source, announces, part,
            [&](int behind) FADE_LAMBDA {
                return along_rows ? box_place{row + behind, k, 0, batch}
                                  : box_place{k, row + behind, 0, batch};
            },
            false, ranks);
    }

    const Args* args_;
    int row_ = 0, column_ = 0, batch_a_ = 0, batch_b_ = 0;
};

/// Asks for the boxes of A and B, step by step, of all tiles of a workgroup.
template <class Traits, class Block, class Args, class Operands>
class gemm_producer : public block::producer_role<gemm_producer<Traits, Block, Args, Operands>> {
    static_assert(Block::arch::traits.xcds == 1, "schedules of boxes walk over tiles as on one compute die");
    static constexpr gemm_policy policy = Traits::policy;
    using schedule = decltype(tiles_of<Traits>(std::declval<const Block&>(), std::declval<const Args&>(),
                                               std::declval<const Operands&>()));

public:
    FADE_FN gemm_producer(const Block& block, const Args& args, const Operands& operands)
        : args_(&args), operands_(operands), schedule_(tiles_of<Traits>(block, args, operands)),
          place_(schedule_.start()) {
        begin_tile(block);
    }
    FADE_FN bool more() const { return schedule_.has(place_); }
    FADE_FN bool has_room(Block& block) const { return Traits::barriers().has_room(block, batch_); }

    FADE_FN void next(Block& block) {
        const auto to = Traits::tiles(batch_.stage);
        Traits::barriers().acquire(block, batch_, batch_bytes_);
        operands_.copy(block, to, k_, Traits::barriers().announces(batch_), schedule_.rank);
        batch_ = Traits::ring::behind(batch_), k_ += policy.block_tile.k;
        if (k_ >= k_end_) place_ = schedule_.behind(place_), begin_tile(block);
    }
    FADE_FN void drain(Block& block) const { Traits::barriers().drain(block, batch_); }

private:
    /// Some ask for no boxes beyond the result.
    FADE_FN int bytes_of_step(const Block& block) const {
        if constexpr (requires { operands_.bytes_of_step(block); })
            return operands_.bytes_of_step(block);
        else
            return Traits::batch_bytes;
    }
    FADE_FN void begin_tile(const Block& block) {
        for (; more(); place_ = schedule_.behind(place_)) {
            const auto at = slice_of_rank<policy>(operands_.place(work_of(*args_, schedule_.item(place_))),
                                                  schedule_.rank);
            if (Operands::may_sum_nothing && at.k_count <= 0) continue;
            operands_.begin_tile(at);
            k_ = int(at.k_begin), k_end_ = int(at.k_begin + at.k_count);
            batch_bytes_ = bytes_of_step(block);
            return;
        }
    }

    const Args* args_;
    Operands operands_;
    schedule schedule_;
    decltype(std::declval<schedule>().start()) place_;
    int batch_bytes_ = 0, k_ = 0, k_end_ = 0;
    typename Traits::ring::place batch_{};
};

}  // namespace FADE_NAMESPACE::kernel

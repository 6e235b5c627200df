// The matrix multiplication for machines whose copy unit brings boxes of operands: workgroups stay, waves of
// their own fill a ring of tiles, and results leave while the next tile's operands come.
#pragma once
#include <fade/core/workgroup.hpp>
#include <fade/epilogue/amax.hpp>
#include <fade/kernel/gemm/gate.hpp>
#include <fade/kernel/gemm/tma_producer.hpp>

namespace FADE_NAMESPACE::kernel {

/// What a tile leaves in D.
template <class Args>
FADE_FN auto box_of_output(const Args& args, const output_tile& at, const tensor_map* map) {
    constexpr int joined = epilogue::columns_per_output<decltype(Args::epilogue)>;
    return block::box_target<std::remove_cvref_t<decltype(*args.d)>>{
        map,
        d_to_map(args),
        {int(at.column) / joined, int(at.row), 0, layer_of_output(args, at.batch)},
        at.rows,
        at.columns / joined};
}

/// Takes from sums what a chain's first stage corrects, before the epilogue: in it each register would have a
/// way of its own around the correction, which most calls do not want.
template <class Block, class Acc, class Args>
FADE_FN void correct_sums(Block& block, Acc& acc, const Args& args, const output_tile& at) {
    using sum = typename Acc::element;
    if (args.epilogue.first.used)
        block::replace_sums(block, acc, [&](int row, int column, sum x) FADE_LAMBDA {
            return args.epilogue.first.corrected(x, place_in_tile(args, at, row, column));
        });
}

/// Sums of a tile through the epilogue to D, in boxes. Stages that are looked up while the kernel runs would
/// be looked up by each of a lane's registers: rows of sums come back to lanes, which take them in turn.
template <class Traits, class Block, class Acc, class Args>
FADE_FN void store_finished(Block& block, Acc& acc, const Args& args, const output_tile& at,
                            const tensor_map* map) {
    using out = std::remove_cvref_t<decltype(*args.d)>;
    using sum = typename Acc::element;
    using value = typename Args::value;
    const auto to = box_of_output(args, at, map);
    const auto finished = [&](int row, int column, sum x) FADE_LAMBDA {
        const epilogue::position place = place_in_tile(args, at, row, column);
        return args.epilogue(scaled(args, value(x), place), place);
    };
    if constexpr (requires(sum x) { args.epilogue.first.corrected(x, epilogue::position{}); })
        correct_sums(block, acc, args, at);
    if constexpr (epilogue::chosen_at_run_time<decltype(Args::epilogue)>)
        block::store_rows<out>(block, acc, Traits::results(), to, finished);
    else if (args.beta == value(0))
        block::store_boxes<out>(block, acc, Traits::results(), to,
                                [&](int row, int column, sum x) FADE_LAMBDA {
                                    return args.epilogue(wrapping_product(args.alpha, value(x)),
                                                         place_in_tile(args, at, row, column));
                                });
    else
        block::store_boxes<out>(block, acc, Traits::results(), to, finished);
}

/// The same where an epilogue makes one column of two: lanes finish whole rows.
template <class Traits, class Block, class Acc, class Args>
FADE_FN void store_gated_rows(Block& block, Acc& acc, const Args& args, const output_tile& at,
                              const tensor_map* map) {
    using out = std::remove_cvref_t<decltype(*args.d)>;
    using sum = typename Acc::element;
    const auto to = box_of_output(args, at, map);
    block::store_row_pairs<out>(
        block, acc, Traits::results(), to, [&](int row, int column, sum left, sum right) FADE_LAMBDA {
            const epilogue::position first = place_in_tile(args, at, row, column),
                                     second = place_in_tile(args, at, row, column + 1);
            return gated_value(args, up_to_gate(args, left, first), up_to_gate(args, right, second), first);
        });
}

/// Does a tile leave a share of its sums, which a second launch adds up?
template <class Args>
FADE_FN bool is_shared_tail(const Args& args, const output_tile& at) {
    return args.tail.shares.shared > 0 && at.layer >= 0;
}

/// Sums of a tile to this part's layer of the sums that a second launch adds up, or to the place of its
/// share.
template <class Traits, class Block, class Acc, class Args>
FADE_FN void store_sums(Block& block, Acc& acc, const Args& args, const output_tile& at,
                        const tensor_map* map) {
    using sum = typename Acc::element;
    constexpr tile_shape tile = Traits::policy.block_tile;
    block::box_target<sum> to{
        map, partial_to_map(args), {int(at.column), int(at.row), 0, int(at.layer)}, at.rows, at.columns};
    if (is_shared_tail(args, at)) {
        // A whole tile before it may have left in an odd number of passes.
        block.one_lane_of_group([&](int group) { block.template await_boxes<0>(group); });
        to = {&args.tail.map, tail_to_map(args), {0, int(at.layer) * tile.m, 0, 0}, tile.m, tile.n};
    }
    block::store_boxes<sum>(block, acc, Traits::results(), to, [](int, int, sum x) FADE_LAMBDA { return x; });
}

template <class Traits, class Block, class Acc, class Args>
FADE_FN void store_by_boxes(Block& block, Acc& acc, const Args& args, const output_tile& at) {
    const tensor_map* map = args.boxes_out ? &args.out_map : nullptr;
    if (args.splits > 1 || is_shared_tail(args, at))
        store_sums<Traits>(block, acc, args, at, map);
    else
        epilogue::observed(args, [&](const Args& own) FADE_LAMBDA {
            if constexpr (gates<Args>)
                store_gated_rows<Traits>(block, acc, own, at, map);
            else
                store_finished<Traits>(block, acc, own, at, map);
        });
}

template <class Traits>
using ring_place = typename Traits::ring::place;

/// Sums the steps of a tile, of which the first is batch `batch` of the ring; products of a step run while
/// the next one is waited for. came(tiles, steps behind) is called when those of a step are there.
template <class Traits, class Block, class Product, class Acc, class Came>
FADE_FN ring_place<Traits> walk_over_steps(Block& block, Product& product, Acc& acc, ring_place<Traits> batch,
                                           int steps, Came came) {
    const auto ring = Traits::barriers();
    auto before = batch;
    for (int s = 0; s < steps; ++s) {
        const auto pair = Traits::tiles(batch.stage);
        ring.await(block, batch);
        came(pair, steps - 1 - s);
        product.start(block, acc, pair.a, pair.b);
        block.template wait_matrix<1>();
        if (s > 0) ring.release(block, before);
        before = batch, batch = ring.behind(batch);
    }
    block.template wait_matrix<0>();
    ring.release(block, before);
    return batch;
}

/// The same where the matrix unit sums in fewer bits than acc has: the sums of a step leave it before the
/// next. Other waves multiply meanwhile.
template <class Traits, class Block, class Product, class Acc>
FADE_FN ring_place<Traits> walk_over_narrow_steps(Block& block, Product& product, Acc& acc,
                                                  ring_place<Traits> batch, int steps) {
    const auto ring = Traits::barriers();
    for (int s = 0; s < steps; ++s, batch = ring.behind(batch)) {
        const auto pair = Traits::tiles(batch.stage);
        Acc sums;
        ring.await(block, batch);
        product.template start<true>(block, sums, pair.a, pair.b);
        block.template wait_matrix<0>();
        ring.release(block, batch);
        wave::add(block, acc, sums);
    }
    return batch;
}

/// The same where each step has scales, which are on their way while the step is waited for.
template <class Traits, class Block, class Product, class Acc, class Scales>
FADE_FN ring_place<Traits> walk_over_scaled_steps(Block& block, Product& product, Acc& acc,
                                                  ring_place<Traits> batch, int steps, Scales scales) {
    const auto ring = Traits::barriers();
    for (int s = 0; s < steps; ++s, batch = ring.behind(batch)) {
        const auto pair = Traits::tiles(batch.stage);
        Acc sums;
        scales.load(block);
        ring.await(block, batch);
        product.template start<true>(block, sums, pair.a, pair.b);
        block.template wait_matrix<0>();
        ring.release(block, batch);
        scales.add(block, acc, sums);
    }
    return batch;
}

/// The same by waves that have no rows of a tile: others multiply meanwhile, with the whole matrix unit.
template <class Traits, class Block>
FADE_FN ring_place<Traits> pass_over_steps(Block& block, ring_place<Traits> batch, int steps) {
    const auto ring = Traits::barriers();
    for (int s = 0; s < steps; ++s, batch = ring.behind(batch))
        ring.await(block, batch), ring.release(block, batch);
    return batch;
}

/// Sums a tile, of which the first step is batch `batch` of the ring; returns the batch behind it.
template <class Traits, class Block, class Product, class Acc, class Operands>
FADE_FN ring_place<Traits> sum_tile(Block& block, Product& product, Acc& acc, ring_place<Traits> batch,
                                    const output_tile& at, const Operands& operands) {
    wave::zero(block, acc);
    constexpr int depth = Traits::policy.block_tile.k;
    const auto steps = int(ceil_div<index>(at.k_count, depth));
    if (Operands::may_sum_nothing && steps <= 0) return batch;
    if constexpr (requires { operands.template scales<Acc>(block, at); })
        return walk_over_scaled_steps<Traits>(block, product, acc, batch, steps,
                                              operands.template scales<Acc>(block, at));
    else if constexpr (Traits::atom::sums_narrow)
        return walk_over_narrow_steps<Traits>(block, product, acc, batch, steps);
    else if constexpr (requires { operands.cut(block, Traits::tiles(0), 0); })
        return walk_over_steps<Traits>(
            block, product, acc, batch, steps, [&](const auto& pair, int behind) FADE_LAMBDA {
                if (behind == 0) operands.cut(block, pair, int(at.k_count) - (steps - 1) * depth);
            });
    else if (Operands::has_short_tiles && !block::has_rows<typename Traits::grid>(block, at.rows))
        return pass_over_steps<Traits>(block, batch, steps);
    else
        return walk_over_steps<Traits>(block, product, acc, batch, steps,
                                       [](const auto&, int) FADE_LAMBDA {});
}

template <class Traits, class Block, class Args, class Operands, class Producer>
FADE_FN void produce_and_multiply(Block& block, const Args& args, const Operands& operands,
                                  Producer& producer) {
    using accumulator = typename Traits::template accumulator<Block>;
    using multiplier = block::warpgroup_multiplier<Block, accumulator, typename Traits::grid,
                                                   typename Traits::layout_a, typename Traits::layout_b>;
    block::roles<Traits::registers>(block, producer, [&] {
        multiplier product(block);
        ring_place<Traits> batch{};
        const auto tiles = tiles_of<Traits>(block, args, operands);
        for (auto place = tiles.start(); tiles.has(place); place = tiles.behind(place)) {
            const auto at = operands.place(work_of(args, tiles.item(place)));
            accumulator acc;
            batch = sum_tile<Traits>(block, product, acc, batch, at, operands);
            if constexpr (requires { operands.store(block, acc, at); })
                operands.store(block, acc, at);
            else
                store_by_boxes<Traits>(block, acc, args, at);
        }
        block::finish_boxes(block);
    });
}

/// The product of what `operands` asks for, which says where tiles lie and stores them. Barriers and maps are
/// made ready while the kernel before this one ends, and so is the first tile's place where arguments alone
/// say it.
template <class Traits, matrix_workgroup Block, class Args, class Operands>
FADE_FN void multiply_boxes(Block& block, const Args& args, const Operands& operands) {
    using producer = gemm_producer<Traits, Block, Args, Operands>;
    block.prefetch_maps(args.a_map, args.b_map);
    Traits::barriers().begin(block, Traits::groups);
    if constexpr (Operands::placed_by_arguments) {
        producer first(block, args, operands);  // while others of the cluster arrive
        Traits::ring::meet(block);
        block.await_inputs();
        produce_and_multiply<Traits>(block, args, operands, first);
    } else {
        Traits::ring::meet(block);
        block.await_inputs();
        producer first(block, args, operands);
        produce_and_multiply<Traits>(block, args, operands, first);
    }
}

}  // namespace FADE_NAMESPACE::kernel

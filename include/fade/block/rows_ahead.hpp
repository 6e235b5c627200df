// The loop over steps of one slice of k, for operands so wide that registers hold one slice of A: each row of
// atoms is read again as soon as it is multiplied.
#pragma once
#include <fade/block/pipeline.hpp>
#include <fade/core/instruction_mix.hpp>
#include <utility>

namespace FADE_NAMESPACE::block {

/// Two pairs of shared tiles. Step s multiplies tile s out of registers. It reads A's last row; behind the
/// products of the first stands the barrier, after which tile s + 1 is read, tile s + 2 takes the place of
/// tile s, and tile s + 3 is in flight in registers. `tiles(stage)` yields the pair of a stage.
template <class Block, class Loaders, class Product, class Acc, class Tiles>
class rows_ahead_loop {
    static constexpr int rows = Acc::rows;
    static_assert(
        Product::slices == 1 && rows > 1,
        "rows are read ahead in steps of one slice of k, of waves that have two rows of atoms or more");
    static_assert(!Loaders::paged, "pages are turned two steps ahead: take double_buffer");

public:
    FADE_FN rows_ahead_loop(Block& block, Loaders& loaders, Product& product, Acc& acc, Tiles tiles)
        : block_(block), loaders_(loaders), product_(product), acc_(acc), tiles_(tiles) {}

    FADE_FN void run(const k_steps& steps, int depth) {
        run(steps, depth, [] {});
    }

    /// `after` every two steps, and a last one.
    template <class After>
    FADE_FN void run(const k_steps& steps, int depth, After after) {
        start(steps, depth);
        int s = 0;
        by_twos(block_, loaders_, steps.count, s,
                [&](int at) {  // so that the stage is part of the instructions
                    step<0>(steps, depth, at, each_later_row);
                    step<1>(steps, depth, at + 1, each_later_row);
                    after();
                });
        if (s < steps.count) {
            product_.read_row(block_, slices_, tiles_(0).a, 0, rows - 1);
            product_.multiply(block_, acc_, slices_, 0);
            after();
        }
    }

private:
    static constexpr std::make_integer_sequence<int, rows - 1> each_later_row{};
    /// Behind which row what is copied is stored and loaded.
    static constexpr int stores_a = 1, loads_a = min_of(2, rows - 1), stores_b = loads_a,
                         loads_b = min_of(3, rows - 1);

    /// Stores two tiles, reads the first and starts the loads of the third.
    FADE_FN void start(const k_steps& steps, int depth) {
        loaders_.load_edge(block_, steps.first);
        loaders_.advance(steps.first);
        loaders_.look_ahead(block_);
        if (steps.count == 1) loaders_.stop(block_);  // there is no whole step that could be loaded again
        loaders_.store(block_, tiles_(0));
        load_next(block_, loaders_, 1, steps.count, depth);
        block_.sync();
        product_.read(block_, slices_, 0, tiles_(0), 0);  // the last row is read again
        loaders_.store(block_, tiles_(1));
        load_next<true>(block_, loaders_, 2, steps.count, depth);
    }

    template <int Stage, int... Row>
    FADE_FN void step(const k_steps& steps, int depth, int s, std::integer_sequence<int, Row...>) {
        // Without a read before it LLVM 22 loses the wait of the barrier for what the step before has stored.
        product_.read_row(block_, slices_, tiles_(Stage).a, 0, rows - 1);
        product_.multiply_row(block_, acc_, slices_, Stage, 0);
        block_.template schedule<Product::row_products, Product::mix_of_row(0)>();
        block_.sync();
        product_.read_b(block_, slices_, Stage ^ 1, tiles_(Stage ^ 1).b, 0);
        product_.read_row(block_, slices_, tiles_(Stage ^ 1).a, 0, 0);
        (multiply_row<Stage, Row + 1>(depth, s + 3 >= steps.count), ...);
    }

    template <int Stage, int Row>
    FADE_FN void multiply_row(int depth, bool past) {
        if constexpr (Row == stores_a) loaders_.a.store(block_, tiles_(Stage).a);
        if constexpr (Row == loads_a) load(loaders_.a, depth, past, [&](index k) { loaders_.advance_a(k); });
        if constexpr (Row == stores_b) loaders_.b.store(block_, tiles_(Stage).b);
        if constexpr (Row == loads_b) {
            load(loaders_.b, depth, past, [&](index k) { loaders_.advance_b(k); });
            loaders_.look_ahead(block_);
        }
        product_.multiply_row(block_, acc_, slices_, Stage, Row);
        if constexpr (Row < rows - 1) product_.read_row(block_, slices_, tiles_(Stage ^ 1).a, 0, Row);
        constexpr instruction_mix none{}, a = Loaders::mix_a, b = Loaders::mix_b;
        block_.template schedule<Product::row_products, Product::mix_of_row(Row),
                                 Row == stores_a ? a.stores() : none, Row == loads_a ? a.fetches() : none,
                                 Row == stores_b ? b.stores() : none, Row == loads_b ? b.fetches() : none,
                                 Row == loads_b ? Loaders::mix_ahead : none>();
    }

    /// Past the last step that one again, which costs less than a branch.
    template <class Loader, class Advance>
    FADE_FN void load(Loader& loader, int depth, bool past, Advance advance) {
        if (past) advance(-index(depth));
        loader.load(block_);
        advance(depth);
    }

    Block& block_;
    Loaders& loaders_;
    Product& product_;
    Acc& acc_;
    Tiles tiles_;
    typename Product::slice_set slices_;
};

}  // namespace FADE_NAMESPACE::block

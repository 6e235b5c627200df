// The loop over steps of few slices of k, for operands so wide that registers hold one slice of A: each row
// of atoms is read again as soon as it is multiplied.
#pragma once
#include <fade/block/pipeline.hpp>
#include <fade/core/instruction_mix.hpp>
#include <utility>

namespace FADE_NAMESPACE::block {

/// Two pairs of shared tiles. Step s multiplies tile s out of registers, slice by slice. It reads A's last
/// row; behind the products of the first row of the last slice stands the barrier, after which tile s + 1 is
/// read. In steps of one slice tile s + 2 takes the place of tile s then, and tile s + 3 is in flight in
/// registers; in longer ones tile s + 1 is stored in the first slice, and tile s + 2 is in flight.
/// `tiles(stage)` yields the pair of a stage.
template <class Block, class Loaders, class Product, class Acc, class Tiles>
class rows_ahead_loop {
    static constexpr int rows = Acc::rows, slices = Product::slices;
    static constexpr bool one = slices == 1;
    static_assert(Product::by_rows && rows > 1 && (one || slices % 2 == 0),
                  "rows are read ahead in steps of one slice of k or an even number, of waves that have two "
                  "rows of atoms or more");
    static_assert(!one || !Loaders::paged, "pages are turned two steps ahead: take double_buffer");

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
                    step<0>(depth, steps.count - at, each_slice);
                    step<1>(depth, steps.count - at - 1, each_slice);
                    after();
                });
        if (s < steps.count) last_step(each_slice), after();
    }

private:
    static constexpr std::make_integer_sequence<int, slices> each_slice{};
    static constexpr std::make_integer_sequence<int, rows - 1> each_later_row{};
    /// Behind which row (of the first slice) what is copied is stored and loaded, and how many steps before
    /// it is multiplied.
    static constexpr int stores_a = one ? 1 : 0, loads_a = one ? min_of(2, rows - 1) : 0,
                         stores_b = one ? loads_a : 1, loads_b = one ? min_of(3, rows - 1) : 1,
                         ahead = one ? 3 : 2;

    /// Stores the first tile and reads it; stores the second where steps are one slice; starts the loads of
    /// the next.
    FADE_FN void start(const k_steps& steps, int depth) {
        loaders_.load_edge(block_, steps.first);
        loaders_.advance(steps.first);
        loaders_.look_ahead(block_);
        if (steps.count == 1) loaders_.stop(block_);  // there is no whole step that could be loaded again
        loaders_.store(block_, tiles_(0));
        load_next<!one>(block_, loaders_, 1, steps.count, depth);
        block_.sync();
        product_.read(block_, slices_, 0, tiles_(0), 0);  // the last row is read again
        if constexpr (one) {
            loaders_.store(block_, tiles_(1));
            load_next<true>(block_, loaders_, 2, steps.count, depth);
        }
    }

    /// `left`: steps, this one among them.
    template <int Stage, int... Slice>
    FADE_FN void step(int depth, int left, std::integer_sequence<int, Slice...>) {
        (slice<Stage, Slice>(depth, left <= ahead, each_later_row), ...);
    }

    template <int Stage, int Slice, int... Row>
    FADE_FN void slice(int depth, bool past, std::integer_sequence<int, Row...>) {
        constexpr bool last = Slice == slices - 1;
        constexpr int stage = last ? Stage ^ 1 : Stage, next = (Slice + 1) % slices;
        // Without a read before it LLVM 22 loses the wait of the barrier for what the step before has stored.
        product_.read_row(block_, slices_, tiles_(Stage).a, Slice, rows - 1);
        multiply_row<Stage, Slice, 0>(depth, past);
        if constexpr (last) block_.sync();
        product_.read_b(block_, slices_, set<Stage, Slice> ^ 1, tiles_(stage).b, next);
        product_.read_row(block_, slices_, tiles_(stage).a, next, 0);
        (multiply_row<Stage, Slice, Row + 1>(depth, past), ...);
    }
    /// Of B's registers, the ones that hold a slice.
    template <int Stage, int Slice>
    static constexpr int set = one ? Stage : Slice % 2;

    template <int Stage, int Slice, int Row>
    FADE_FN void multiply_row(int depth, bool past) {
        constexpr bool copies = Slice == 0, last = Slice == slices - 1;
        constexpr bool store_a = copies && Row == stores_a, load_a = copies && Row == loads_a,
                       store_b = copies && Row == stores_b, load_b = copies && Row == loads_b;
        const auto to = tiles_(one ? Stage : Stage ^ 1);
        if constexpr (store_a) loaders_.a.store(block_, to.a);
        if constexpr (load_a) load(loaders_.a, depth, past, [&](index k) { loaders_.advance_a(k); });
        if constexpr (store_b) loaders_.b.store(block_, to.b);
        if constexpr (load_b) {
            load(loaders_.b, depth, past, [&](index k) { loaders_.advance_b(k); });
            loaders_.look_ahead(block_);
        }
        product_.multiply_row(block_, acc_, slices_, set<Stage, Slice>, Row);
        if constexpr (Row > 0 && Row < rows - 1)
            product_.read_row(block_, slices_, tiles_(last ? Stage ^ 1 : Stage).a, (Slice + 1) % slices, Row);
        constexpr instruction_mix none{}, a = Loaders::mix_a, b = Loaders::mix_b;
        block_.template schedule<Product::row_products, Product::mix_of_row(Row), store_a ? a.stores() : none,
                                 load_a ? a.fetches() : none, store_b ? b.stores() : none,
                                 load_b ? b.fetches() : none, load_b ? Loaders::mix_ahead : none>();
    }

    /// An odd number of steps ends on stage 0, with nothing to fetch.
    template <int... Slice>
    FADE_FN void last_step(std::integer_sequence<int, Slice...>) {
        product_.read_row(block_, slices_, tiles_(0).a, 0, rows - 1);
        ((Slice > 0 ? product_.read(block_, slices_, Slice % 2, tiles_(0), Slice) : void(),
          product_.multiply(block_, acc_, slices_, Slice % 2)),
         ...);
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

// The loop over k in which every wave reads fragments one slice of k before it multiplies them, so that
// products wait for nothing.
#pragma once
#include <fade/block/pipeline.hpp>
#include <fade/core/instruction_mix.hpp>
#include <utility>

namespace FADE_NAMESPACE::block {

/// Two pairs of shared tiles; the pair after next is in flight in registers. In steps of one slice both
/// tiles are stored, and the pair after those is in flight. `tiles(stage)` yields the pair of a stage.
template <class Block, class Loaders, class Product, class Acc, class Tiles>
class read_ahead_loop {
    static constexpr int slices = Product::slices;
    static constexpr bool one = slices == 1;
    static_assert(!Product::by_rows && (one || slices % 2 == 0),
                  "reading ahead alternates between two sets of registers: take a block tile of an even "
                  "number of slices of k, or of one");
    static_assert(!one || !Loaders::paged, "pages are turned two steps ahead: take double_buffer");

public:
    FADE_FN read_ahead_loop(Block& block, Loaders& loaders, Product& product, Acc& acc, Tiles tiles)
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
                    step<0>(steps, depth, at, each_slice);
                    step<1>(steps, depth, at + 1, each_slice);
                    after();
                });
        if (s < steps.count) last_step(each_slice), after();
    }

private:
    static constexpr std::make_integer_sequence<int, slices> each_slice{};
    /// What is turned in registers waits for many loads.
    static constexpr bool in_order = Loaders::mix_a.shared_moves || Loaders::mix_b.shared_moves;

    /// Stores the first tile, starts the loads of the second, reads the first slice.
    FADE_FN void start(const k_steps& steps, int depth) {
        loaders_.load_edge(block_, steps.first);
        loaders_.advance(steps.first);
        loaders_.look_ahead(block_);
        if (steps.count == 1) loaders_.stop(block_);  // there is no whole step that could be loaded again
        loaders_.store(block_, tiles_(0));
        load_next<in_order>(block_, loaders_, 1, steps.count, depth);
        block_.sync();
        product_.read(block_, slices_, 0, tiles_(0), 0);
        if constexpr (one) {
            loaders_.store(block_, tiles_(1));
            load_next<true>(block_, loaders_, 2, steps.count, depth);
        }
    }

    template <int Stage, int... Slice>
    FADE_FN void step(const k_steps& steps, int depth, int s, std::integer_sequence<int, Slice...>) {
        (multiply_slice<Stage, Slice>(steps, depth, s), ...);
    }

    /// The next tile is stored during the first slice of a step. The barrier stands before the last slice,
    /// which is in registers already.
    template <int Stage, int Slice>
    FADE_FN void multiply_slice(const k_steps& steps, int depth, int s) {
        constexpr bool first = Slice == 0, last = Slice == slices - 1, second = Slice == (slices > 2 ? 1 : 0);
        if constexpr (last) block_.sync();
        constexpr int set = one ? Stage : Slice % 2, to = one ? Stage : Stage ^ 1;
        product_.read(block_, slices_, set ^ 1, tiles_(last ? Stage ^ 1 : Stage), (Slice + 1) % slices);
        const bool past = s + (one ? 3 : 2) >= steps.count;
        if constexpr (first)
            turn_over(loaders_.a, tiles_(to).a, depth, past, [&](index k) { loaders_.advance_a(k); });
        if constexpr (second)
            turn_over(loaders_.b, tiles_(to).b, depth, past, [&](index k) { loaders_.advance_b(k); });
        if constexpr (last) loaders_.look_ahead(block_);
        product_.multiply(block_, acc_, slices_, set);
        constexpr instruction_mix a = Loaders::mix_a, b = Loaders::mix_b;
        if constexpr (one)
            block_.template schedule<Product::products, Product::mix, a.stores(), b.stores(), a.fetches(),
                                     b.fetches(), Loaders::mix_ahead>();
        else if constexpr (first && second)
            block_.template schedule<Product::products, Product::mix, Loaders::mix_a, Loaders::mix_b>();
        else if constexpr (first)
            block_.template schedule<Product::products, Product::mix, Loaders::mix_a>();
        else if constexpr (second)
            block_.template schedule<Product::products, Product::mix, Loaders::mix_b>();
        else if constexpr (last)
            block_.template schedule<Product::products, Product::mix, Loaders::mix_ahead>();
        else
            block_.template schedule<Product::products, Product::mix>();
    }

    /// Stores the tile that was loaded and starts loading the next one; past the last step that one again,
    /// which costs less than a branch.
    template <class Loader, class Tile, class Advance>
    FADE_FN void turn_over(Loader& loader, const Tile& to, int depth, bool past, Advance advance) {
        loader.store(block_, to);
        if (past) advance(-index(depth));
        loader.load(block_);
        advance(depth);
    }

    /// An odd number of steps ends on stage 0, with nothing to fetch.
    template <int... Slice>
    FADE_FN void last_step(std::integer_sequence<int, Slice...>) {
        ((Slice > 0 ? product_.read(block_, slices_, Slice % 2, tiles_(0), Slice) : void(),
          product_.multiply(block_, acc_, slices_, Slice % 2)),
         ...);
    }

    Block& block_;
    Loaders& loaders_;
    Product& product_;
    Acc& acc_;
    Tiles tiles_;
    typename Product::slice_set slices_;
};

}  // namespace FADE_NAMESPACE::block

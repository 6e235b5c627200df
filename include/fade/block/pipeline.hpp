// What is in flight when: the loop over k of a tiled product.
#pragma once
#include <fade/core/dtype.hpp>
#include <fade/core/shape.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::block {

enum class pipeline_kind {
    direct,         ///< copy a tile, multiply it; for a CPU, whose caches prefetch by themselves
    single_buffer,  ///< one pair of shared tiles, the next pair in flight in registers; two barriers a step
    double_buffer,  ///< two pairs of shared tiles, the pair after next in flight in registers; one barrier a
                    ///< step
    read_ahead,   ///< double_buffer, and fragments are read one slice of k before they are multiplied; where
                  ///< a step is one slice, row by row of atoms
    async_ring,   ///< a ring of pairs that copies fill past the registers; both operands contiguous along k
    tma_ring,     ///< a ring that the copy unit fills, by waves of its own; workgroups stay (Hopper)
    sliced_k,     ///< none: each wave multiplies slices of k of its own, out of registers; for few rows
    sliced_ring,  ///< a ring that copies of lanes fill with packed weights, which become numbers in
                  ///< registers, and with rows of A; waves have columns of their own
    wave_ring,    ///< the same, of each wave its own, or of a few side by side; waves share k (Hopper)
    unit_ring     ///< the same, of all waves: numbers in registers are the rows of the unit that four waves
                  ///< share, and rows of A its columns (Hopper)
};

constexpr const char* name(pipeline_kind p) {
    constexpr const char* names[] = {"direct",   "single_buffer", "double_buffer", "read_ahead", "async_ring",
                                     "tma_ring", "sliced_k",      "sliced_ring",   "wave_ring",  "unit_ring"};
    return names[int(p)];
}

inline constexpr int ring_stages = 4;
constexpr int shared_stages(pipeline_kind p) {
    return p == pipeline_kind::async_ring                                        ? ring_stages
           : p == pipeline_kind::double_buffer || p == pipeline_kind::read_ahead ? 2
                                                                                 : 1;
}

/// The steps of a product of depth k: a first one that may be partial, then whole ones.
/// The partial step comes first so that the loop itself needs no test for an edge.
struct k_steps {
    int count;  // k stays below 2^31; 64-bit counters would cost vector instructions in the loop
    int first;
    FADE_FN constexpr k_steps(index k, int tile)
        : count(int(max_of<index>(ceil_div<index>(k, tile), 1))), first(int(k - index(count - 1) * tile)) {}
};

/// Steps that are the same distance apart, so that loaders count them themselves.
struct even_steps {};

/// What A and B are read from, and what counts their steps.
template <class A, class B, class Walk = even_steps>
struct source_pair {
    A a;
    B b;
    Walk walk{};
};

/// A pair of loaders that walk along k together. Where steps are uneven, `walk` counts them for both, A
/// first.
template <class LoadA, class LoadB, class Walk = even_steps>
struct loader_pair {
    LoadA a;
    LoadB b;
    Walk walk{};
    static constexpr bool even = std::is_same_v<Walk, even_steps>;
    static constexpr auto mix_a = LoadA::mix, mix_b = LoadB::mix;
    static constexpr auto mix_ahead = LoadB::mix_ahead;
    template <class Block>
    FADE_FN void load_edge(Block& block, int depth) {
        a.load_edge(block, depth), b.load_edge(block, depth);
    }
    template <class Block>
    FADE_FN void stop(Block& block) {
        a.stop(block), b.stop(block);
    }
    /// By k, which may be negative; uneven steps go on by one, or stay.
    FADE_FN void advance_a(index k) {
        if constexpr (even)
            a.advance(k);
        else if (k > 0)
            walk.advance(), a.follow(walk);
    }
    FADE_FN void advance_b(index k) {
        if constexpr (even || !requires { b.follow(walk); })
            b.advance(k);
        else if (k > 0)
            b.follow(walk);
    }
    FADE_FN void advance(index k) { advance_a(k), advance_b(k); }
    template <class Block, class Pair>
    FADE_FN void store(Block& block, const Pair& to) {
        a.store(block, to.a), b.store(block, to.b);
    }
    /// B reads where the elements of the next step lie.
    template <class Block>
    FADE_FN void look_ahead(Block& block) {
        b.look_ahead(block);
    }
    /// Does B find its elements by a table of pages? Then next_page() takes it from one to the next.
    static constexpr bool paged = requires(LoadB& load) { load.from().page_steps(); };
    FADE_FN int page_steps() const { return b.from().page_steps(); }
    template <class Block>
    FADE_FN void next_page(Block& block) {
        b.next_page(block);
    }
    /// Of loaders that pass the registers by: starts copying a step and moves on.
    template <class Block, class Pair>
    FADE_FN void copy(Block& block, const Pair& to, int depth) {
        a.copy(block, to.a, depth), b.copy(block, to.b, depth);
        advance(depth);
    }
};

/// Loads step s and moves on; past the last step it loads that one again, which costs less than a branch
/// around the loads. `InOrder`: A before B for the compiler, too, as in the loop that follows, whose waits
/// count what was loaded after.
template <bool InOrder = false, class Block, class Loaders>
FADE_FN void load_next(Block& block, Loaders& loaders, int s, int count, int depth) {
    if (s >= count) loaders.advance(-index(depth));
    loaders.a.load(block);
    if constexpr (InOrder) block.template schedule<0>();
    loaders.b.load(block);
    loaders.advance(depth);
    loaders.look_ahead(block);
}

/// Runs steps(s) for s = 0, 2, 4, ... while s + 1 < count, of a loop whose step s loads step s + 2. Where
/// that one begins a page of a table, the page is turned before: loops of steps stay without a branch.
template <class Block, class Loaders, class Steps>
FADE_FN void by_twos(Block& block, Loaders& loaders, int count, int& s, Steps steps) {
    if constexpr (Loaders::paged) {
        const int page = loaders.page_steps();
        for (int end = page - 2;; end += page) {
            for (const int last = min_of(end, count - 1); s < last; s += 2) steps(s);
            if (s + 1 >= count) return;
            loaders.next_page(block);
        }
    } else
        for (; s + 1 < count; s += 2) steps(s);
}

/// One step with two buffers: multiplies stage `now`, fills the other with what is in flight, starts the
/// loads of step s + 2.
template <class Block, class Loaders, class Tiles, class Multiply>
FADE_FN void double_buffer_step(Block& block, Loaders& loaders, const k_steps& steps, int depth, int s,
                                int now, Tiles tiles, Multiply multiply) {
    multiply(tiles(now));
    loaders.store(block, tiles(now ^ 1));
    load_next(block, loaders, s + 2, steps.count, depth);
    block.sync();
}

/// Functions rather than deduction guides, which older compilers lack for aggregates and take for host code.
template <class A, class B, class Walk = even_steps>
FADE_FN source_pair<A, B, Walk> sources(const A& a, const B& b, const Walk& walk = {}) {
    return {a, b, walk};
}
template <class LoadA, class LoadB, class Walk>
FADE_FN loader_pair<LoadA, LoadB, Walk> paired(const LoadA& a, const LoadB& b, const Walk& walk) {
    return {a, b, walk};
}

/// Runs multiply(pair) over all steps. `tiles(stage)` yields the pair of shared tiles of a stage.
template <pipeline_kind Kind, class Block, class Loaders, class Tiles, class Multiply>
FADE_FN void run_pipeline(Block& block, Loaders& loaders, k_steps steps, int depth, Tiles tiles,
                          Multiply multiply) {
    loaders.load_edge(block, steps.first);
    loaders.advance(steps.first);
    loaders.look_ahead(block);
    if (steps.count == 1) loaders.stop(block);  // there is no whole step that could be loaded again
    if constexpr (Kind == pipeline_kind::double_buffer) {
        loaders.store(block, tiles(0));
        load_next(block, loaders, 1, steps.count, depth);
        block.sync();
        int s = 0;
        by_twos(block, loaders, steps.count, s,
                [&](int at) {  // so that the stage is part of the instructions
                    double_buffer_step(block, loaders, steps, depth, at, 0, tiles, multiply);
                    double_buffer_step(block, loaders, steps, depth, at + 1, 1, tiles, multiply);
                });
        if (s < steps.count) multiply(tiles(0));
    } else {
        static_assert(!Loaders::paged, "pages are turned where steps go by twos: take double_buffer");
        for (int s = 0; s < steps.count; ++s) {
            loaders.store(block, tiles(0));
            load_next(block, loaders, s + 1, steps.count, depth);
            block.sync();
            multiply(tiles(0));
            block.sync();
        }
    }
}

}  // namespace FADE_NAMESPACE::block

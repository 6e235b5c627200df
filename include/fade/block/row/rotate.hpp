// Heads of a token whose pairs of elements turn by angles: rotary embedding.
// Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding" (2021).
#pragma once
#include <cstdint>
#include <fade/core/dtype.hpp>
#include <fade/core/lane_coord.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::block {

/// How the heads of a token lie, in elements, and which of them turn together: i and i + rotary_dim / 2, or
/// 2 i and 2 i + 1. Elements from rotary_dim on are copied.
struct rotary_heads {
    int heads, head_dim, rotary_dim;
    bool interleaved;
    int x_head, y_head;  ///< from head to head
    float direction;     ///< of the sine: 1, or -1 for the gradient
};

/// N elements, in pieces of at most 16 bytes; one by one where runs are not `Aligned`.
template <bool Aligned, class T, int N, class Buffer>
FADE_FN vec<T, N> load_elements(const Buffer& from, int first) {
    constexpr int piece = !Aligned ? 1 : N * int(sizeof(T)) <= 16 ? N : 16 / int(sizeof(T));
    vec<T, N> out;
    FADE_UNROLL
    for (int i = 0; i < N; i += piece) {
        const auto part = from.template load<vec<T, piece>>(std::uint32_t(first + i) * sizeof(T));
        FADE_UNROLL
        for (int e = 0; e < piece; ++e) out[i + e] = part[e];
    }
    return out;
}
template <bool Aligned, class T, int N, class Buffer>
FADE_FN void store_elements(const Buffer& to, int first, const vec<T, N>& v) {
    constexpr int piece = !Aligned ? 1 : N * int(sizeof(T)) <= 16 ? N : 16 / int(sizeof(T));
    FADE_UNROLL
    for (int i = 0; i < N; i += piece) {
        vec<T, piece> part;
        FADE_UNROLL
        for (int e = 0; e < piece; ++e) part[e] = v[i + e];
        to.store(std::uint32_t(first + i) * std::uint32_t(sizeof(T)), part);
    }
}

/// A token: its heads of x and y, and the cosines and sines of its position. A lane moves `Pairs` pairs at
/// once; it reads both elements of each before it writes one, so that y may be x.
template <class Block, int Pairs, class In, class Out, class Table>
class rotary_token {
    using buffer = typename Block::buffer;
    static constexpr bool aligned = Pairs > 1;

public:
    FADE_FN rotary_token(const rotary_heads& h, const buffer& x, const buffer& y, const buffer& cos,
                         const buffer& sin)
        : h_(h), x_(x), y_(y), cos_(cos), sin_(sin) {}

    FADE_FN void rotate(Block& block) const {
        const int runs = h_.head_dim / (2 * Pairs);
        block.each_lane([&](lane_coord p) FADE_LAMBDA {
            FADE_ROLLED
            for (int e = p.wave * Block::wave_size + p.lane; e < h_.heads * runs; e += Block::threads)
                run(e / runs, e % runs * Pairs);
        });
    }

private:
    /// Pairs from `pair` on, of one head.
    FADE_FN void run(int head, int pair) const {
        const int from = head * h_.x_head, to = head * h_.y_head;
        if (2 * pair >= h_.rotary_dim)
            copy(from + 2 * pair, to + 2 * pair);
        else if (h_.interleaved)
            neighbours(from + 2 * pair, to + 2 * pair, pair);
        else
            halves(from + pair, to + pair, pair);
    }
    FADE_FN void copy(int from, int to) const {
        const auto x = load_elements<aligned, In, 2 * Pairs>(x_, from);
        vec<Out, 2 * Pairs> y;
        FADE_UNROLL
        for (int e = 0; e < 2 * Pairs; ++e) y[e] = convert<Out>(convert<float>(x[e]));
        store_elements<aligned>(y_, to, y);
    }
    FADE_FN void neighbours(int from, int to, int pair) const {
        const auto x = load_elements<aligned, In, 2 * Pairs>(x_, from);
        const auto c = load_elements<aligned, Table, Pairs>(cos_, pair),
                   s = load_elements<aligned, Table, Pairs>(sin_, pair);
        vec<Out, 2 * Pairs> y;
        FADE_UNROLL
        for (int e = 0; e < Pairs; ++e)
            rotate_pair(x[2 * e], x[2 * e + 1], c[e], s[e], y[2 * e], y[2 * e + 1]);
        store_elements<aligned>(y_, to, y);
    }
    FADE_FN void halves(int from, int to, int pair) const {
        const int half = h_.rotary_dim / 2;
        const auto a = load_elements<aligned, In, Pairs>(x_, from),
                   b = load_elements<aligned, In, Pairs>(x_, from + half);
        const auto c = load_elements<aligned, Table, Pairs>(cos_, pair),
                   s = load_elements<aligned, Table, Pairs>(sin_, pair);
        vec<Out, Pairs> u, v;
        FADE_UNROLL
        for (int e = 0; e < Pairs; ++e) rotate_pair(a[e], b[e], c[e], s[e], u[e], v[e]);
        store_elements<aligned>(y_, to, u);
        store_elements<aligned>(y_, to + half, v);
    }
    FADE_FN void rotate_pair(In a, In b, Table cosine, Table sine, Out& u, Out& v) const {
        const float x = convert<float>(a), y = convert<float>(b), c = convert<float>(cosine),
                    s = convert<float>(sine) * h_.direction;
        u = convert<Out>(x * c - y * s), v = convert<Out>(y * c + x * s);
    }

    rotary_heads h_;
    buffer x_, y_, cos_, sin_;
};

}  // namespace FADE_NAMESPACE::block

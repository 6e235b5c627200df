// Random appends to caches of keys and values: what is asked, and the memory of it.
#pragma once
#include "common/numbers.hpp"
#include <algorithm>
#include <fade/kv_cache.hpp>
#include <numeric>
#include <ostream>
#include <random>
#include <vector>

namespace fade::test {

/// How tensors lie: side by side by default strides; with gaps; heads before positions; queries, keys and
/// values as parts of one tensor, and both caches as parts of another.
enum class arrangement { packed, gaps, heads_first, fused };

struct append_case {
    append_problem problem;
    arrangement lie = arrangement::packed;
    std::vector<int> held{},
        fresh{};            // positions of each sequence's cache, and its new tokens; empty: null is passed
    bool unmapped = false;  // some pages are of no page: below 0, or where pages are counted behind the last
    std::uint64_t seed = 0;
};

inline std::ostream& operator<<(std::ostream& to, const append_case& c) {
    const append_problem& p = c.problem;
    to << "batch " << p.batch << " heads " << p.heads << "/" << p.kv_heads << " new " << p.new_positions
       << " capacity " << p.capacity << " head_dim " << p.head_dim << " rotary " << name(p.style) << " "
       << p.rotary_dim << " page " << p.page_size << " arrangement " << int(c.lie)
       << (c.unmapped ? " unmapped" : "") << " seed " << c.seed << " held";
    for (int n : c.held) to << " " << n;
    to << " fresh";
    for (int n : c.fresh) to << " " << n;
    return to;
}

/// A tensor as a part of a buffer.
struct part {
    index at = 0;
    attention_strides s{};
    index element(index b, index i, index h) const { return at + b * s.batch + i * s.position + h * s.head; }
};

/// Tensors of an append with the strides of the case. Everything that an append writes begins as poison, but
/// for queries that turn in place.
template <class In, class Cache = In, class Table = float>
struct append_data {
    append_problem problem;
    part q, new_k, new_v, k, v, q_out;
    std::vector<In> fresh;       // q, new_k and new_v
    std::vector<Cache> cache;    // k and v
    std::vector<Cache> rotated;  // q_out; empty: it is q
    std::vector<Table> angles;   // where angle_at() says
    std::vector<int> held, begins, table;

    explicit append_data(const append_case& c) : problem(c.problem), held(c.held) {
        std::mt19937_64 random(c.seed);
        append_problem& p = problem;
        if (!c.fresh.empty()) begins = {0};
        for (int n : c.fresh) begins.push_back(begins.back() + n);
        if (p.page_size) place_pages(c, random);
        place_tensors(c);
        std::normal_distribution<double> normal;
        for (In& x : fresh) x = nearest<In>(normal(random));
        p.rotary_stride = c.seed % 2 ? p.rotary_dim : 0;
        angles.resize(std::size_t(p.capacity * p.rotary_dim));
        for (Table& x : angles)
            x = nearest<Table>(normal(random));  // of no angle: what turns is linear in both
    }

    /// Where a position's cosine or sine lies: side by side, or in two packed tables.
    index angle_at(index position, index pair, bool sine) const {
        const index half = problem.rotary_dim / 2;
        return problem.rotary_stride ? position * problem.rotary_dim + (sine ? half : 0) + pair
                                     : ((sine ? problem.capacity : 0) + position) * half + pair;
    }

    append_operands<In, Cache, Table> operands() {
        const auto or_null = [](auto& x) { return x.empty() ? nullptr : x.data(); };
        const bool rotates = problem.rotary_dim > 0, asked = problem.heads > 0;
        append_operands<In, Cache, Table> o{.new_k = fresh.data() + new_k.at,
                                            .new_v = fresh.data() + new_v.at,
                                            .k = cache.data() + k.at,
                                            .v = cache.data() + v.at,
                                            .q = asked ? fresh.data() + q.at : nullptr,
                                            .cos = rotates ? angles.data() : nullptr,
                                            .sin = rotates ? angles.data() + angle_at(0, 0, true) : nullptr,
                                            .cache_lengths = or_null(held),
                                            .new_lengths = or_null(begins),
                                            .block_table = or_null(table)};
        if constexpr (std::is_same_v<In, Cache>)
            o.q_out = rotated.empty() ? fresh.data() + q_out.at : rotated.data();
        else
            o.q_out = rotated.data();
        if (!asked) o.q_out = nullptr;
        return o;
    }

    index first_position(index b) const { return held.empty() ? 0 : held[std::size_t(b)]; }
    index count(index b) const {
        return begins.empty() ? problem.new_positions : begins[std::size_t(b) + 1] - begins[std::size_t(b)];
    }
    index token(index b, const part& t, index i, index h) const {
        return begins.empty() ? t.element(b, i, h) : t.element(0, begins[std::size_t(b)] + i, h);
    }
    bool has_place(index b, index position) const {
        if (position < 0 || position >= problem.capacity) return false;
        if (!problem.page_size) return true;
        const int page = table[std::size_t(b * problem.table_width + position / problem.page_size)];
        return page >= 0 && (problem.page_count == 0 || page < problem.page_count);
    }
    index cached(index b, const part& t, index position, index h) const {
        const index page = problem.page_size;
        return page ? t.element(table[std::size_t(b * problem.table_width + position / page)],
                                position % page, h)
                    : t.element(b, position, h);
    }

private:
    void place_pages(const append_case& c, std::mt19937_64& random) {
        problem.table_width = ceil_div(problem.capacity, problem.page_size) + 1;
        table.resize(std::size_t(problem.batch * problem.table_width));
        std::iota(table.begin(), table.end(), 0);
        std::shuffle(table.begin(), table.end(), random);
        if (c.unmapped && random() % 2) problem.page_count = index(table.size());
        const int none[] = {-1, -0x7fffffff - 1, int(table.size()), 0x7fffffff};
        for (int& page : table)
            if (c.unmapped && random() % 4 == 0) page = none[random() % (problem.page_count ? 4 : 2)];
    }
    /// Strides of [batch, length, heads, head_dim], and how many elements that takes.
    std::pair<attention_strides, index> lie(arrangement how, index batch, index length, index heads) const {
        const index d = problem.head_dim;
        if (how == arrangement::heads_first)
            return {{heads * length * d, d, length * d}, batch * heads * length * d};
        const index gap = how == arrangement::gaps ? 3 : 0, position = heads * (d + gap) + gap;
        return {{length * position + gap, position, d + gap}, batch * (length * position + gap)};
    }
    void place_tensors(const append_case& c) {
        append_problem& p = problem;
        const index sequences = begins.empty() ? p.batch : 1,
                    length = std::max<index>(p.new_positions, begins.empty() ? 1 : begins.back()),
                    d = p.head_dim;
        const index stores = p.page_size ? index(table.size()) : p.batch,
                    depth = p.page_size ? p.page_size : p.capacity;
        const bool fused = c.lie == arrangement::fused;
        if (fused) {
            const attention_strides one = lie(c.lie, sequences, length, p.heads + 2 * p.kv_heads).first,
                                    both = lie(c.lie, stores, depth, 2 * p.kv_heads).first;
            q = q_out = {0, one}, new_k = {p.heads * d, one}, new_v = {(p.heads + p.kv_heads) * d, one},
            k = {0, both}, v = {p.kv_heads * d, both};
            fresh.resize(std::size_t(sequences * one.batch + 1)),
                cache.assign(std::size_t(stores * both.batch), poison<Cache>());
        } else {
            const auto [of_q, q_size] = lie(c.lie, sequences, length, p.heads);
            const auto [of_k, k_size] = lie(c.lie, sequences, length, p.kv_heads);
            const auto [cached, size] = lie(c.lie, stores, depth, p.kv_heads);
            q = q_out = {0, of_q}, new_k = {q_size, of_k}, new_v = {q_size + k_size, of_k}, k = {0, cached},
            v = {size, cached};
            fresh.resize(std::size_t(q_size + 2 * k_size + 1)),
                cache.assign(std::size_t(2 * size), poison<Cache>());
        }
        if (!fused || !std::is_same_v<In, Cache>)
            rotated.assign(std::size_t(sequences * q.s.batch + 1), poison<Cache>());
        if (c.lie != arrangement::packed)
            p.q_strides = q.s, p.q_out_strides = q_out.s, p.new_k_strides = new_k.s,
            p.new_v_strides = new_v.s, p.k_strides = k.s, p.v_strides = v.s;
    }
};

}  // namespace fade::test

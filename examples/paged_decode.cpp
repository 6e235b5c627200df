// Decoding with a paged cache: keys and values of two sequences grow token by token. They lie in pages of 16
// positions that are taken from one pool when they are needed; a block table says which page holds which
// positions of which sequence. Each step asks for one query a sequence, and is compared with attention over
// keys and values that lie side by side.
#include <cstdio>
#include <cstring>
#include <fade/attention.hpp>
#include <string>
#include <vector>

namespace {

constexpr fade::index sequences = 2, heads = 4, kv_heads = 2, head_dim = 64, page_size = 16, table_width = 4,
                      steps = 20;
constexpr fade::index row = kv_heads * head_dim, token = heads * head_dim;

float number() {
    static unsigned seed = 1;
    return seed = seed * 1664525u + 1013904223u, float(int(seed >> 24) - 128) / 128;
}

/// The pool, and what each sequence owns of it.
struct paged_cache {
    std::vector<float> k = std::vector<float>(sequences * table_width * page_size * row), v = k;
    std::vector<int> table = std::vector<int>(sequences * table_width, 0),
                     begins{0, 0, 0};  // begins: cumulative lengths
    int pages_taken = 0;

    fade::index length(fade::index s) const { return begins[s + 1] - begins[s]; }

    void append(fade::index s, const std::vector<float>& new_k, const std::vector<float>& new_v) {
        const fade::index at = length(s);
        int& page = table[s * table_width + at / page_size];
        if (at % page_size == 0) page = pages_taken++;  // sequences take turns, so their pages lie mixed
        const fade::index to = (page * page_size + at % page_size) * row;
        std::memcpy(&k[to], new_k.data(), row * sizeof(float)),
            std::memcpy(&v[to], new_v.data(), row * sizeof(float));
        for (fade::index after = s + 1; after <= sequences; ++after) ++begins[after];
    }
};

/// One query a sequence. A table width of its own keeps the table as it is while sequences grow.
template <class Device>
fade::report decode(Device& device, const paged_cache& cache, const std::vector<float>& q,
                    std::vector<float>& o) {
    const fade::attention_problem problem{.batch = sequences,
                                          .heads = heads,
                                          .kv_heads = kv_heads,
                                          .seq_q = 1,
                                          .seq_k = std::max(cache.length(0), cache.length(1)),
                                          .head_dim = head_dim,
                                          .causal = fade::causal_kind::bottom_right,
                                          .page_size = page_size,
                                          .table_width = table_width};
    return fade::attention<float>(device, problem,
                                  {.q = q.data(),
                                   .k = cache.k.data(),
                                   .v = cache.v.data(),
                                   .o = o.data(),
                                   .lengths_k = cache.begins.data(),
                                   .block_table = cache.table.data()});
}

struct contiguous_cache {
    std::vector<float> k, v;
};

template <class Device>
void decode_alone(Device& device, const contiguous_cache& c, const float* q, float* o) {
    const fade::attention_problem problem{.heads = heads,
                                          .kv_heads = kv_heads,
                                          .seq_q = 1,
                                          .seq_k = fade::index(c.k.size()) / row,
                                          .head_dim = head_dim};
    fade::attention<float>(device, problem, {.q = q, .k = c.k.data(), .v = c.v.data(), .o = o});
}

template <class Device>
bool decode_all(Device device) {
    paged_cache paged;
    contiguous_cache alone[sequences];
    std::vector<float> q(sequences * token), o(q.size()), expected(q.size()), new_k(row), new_v(row);
    bool same = true;
    fade::report ran;
    for (fade::index step = 0; step < steps; ++step) {
        for (fade::index s = 0; s < sequences; ++s)
            for (fade::index i = 0; i <= s * 2; ++i) {  // the second sequence grows by three tokens a step
                for (float& x : new_k) x = number();
                for (float& x : new_v) x = number();
                paged.append(s, new_k, new_v);
                alone[s].k.insert(alone[s].k.end(), new_k.begin(), new_k.end()),
                    alone[s].v.insert(alone[s].v.end(), new_v.begin(), new_v.end());
            }
        for (float& x : q) x = number();
        ran = decode(device, paged, q, o);
        for (fade::index s = 0; s < sequences; ++s)
            decode_alone(device, alone[s], &q[s * token], &expected[s * token]);
        same = same && std::memcmp(o.data(), expected.data(), o.size() * sizeof(float)) == 0;
    }
    std::printf("%s: %s\n  by %s: %s\n  %d pages, lengths %d and %d; %s\n", ran.device.c_str(),
                ran.requested.c_str(), ran.chosen.c_str(), ran.why.c_str(), paged.pages_taken,
                int(paged.length(0)), int(paged.length(1)),
                same ? "the same bits as from keys that lie side by side"
                     : "NOT what keys that lie side by side give");
    return same;
}

}  // namespace

int main() {
    const bool on_cpu = decode_all(fade::host_device()),
               on_radeon = decode_all(fade::emulated_device<fade::arch::gfx1100>());
    return on_cpu && on_radeon ? 0 : 1;
}

// Attention over a cache that grows step by step is attention over whole sequences.
#include "common/numbers.hpp"
#include "common/some_kernels.hpp"
#include <doctest/doctest.h>
#include <fade/attention.hpp>
#include <fade/kv_cache.hpp>
#include <random>

using namespace fade;

namespace {

/// Heads have up to 64 dimensions.
template <class Arch>
using some_kernels = test::some_kernels<Arch, test::attention_kernels{64, 64}>;

constexpr fade::index heads = 4, kv_heads = 2, head_dim = 32, page = 16, width = 4, capacity = page * width;
constexpr fade::index token = (heads + 2 * kv_heads) * head_dim;  // of a tensor of queries, keys and values

/// Two sequences of tokens and their cache, in pages that lie mixed or one whole sequence after the other.
template <class T>
struct sequences {
    std::vector<T> qkv[2], k = std::vector<T>(2 * capacity * kv_heads * head_dim, test::poison<T>()), v = k;
    std::vector<float> cos, sin, out[2];
    std::vector<int> held{0, 0}, table;

    explicit sequences(bool mixed)
        : table(mixed ? std::vector<int>{5, 0, 3, 6, 2, 7, 4, 1} : std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}) {
        std::mt19937_64 random(11);
        std::normal_distribution<double> normal;
        for (auto& s : qkv)
            for (fade::index i = 0; i < capacity * token; ++i) s.push_back(test::nearest<T>(normal(random)));
        for (fade::index i = 0; i < capacity * head_dim / 2; ++i) {
            const double angle =
                double(i / (head_dim / 2)) * std::pow(1e4, -double(i % (head_dim / 2)) / (head_dim / 2));
            cos.push_back(float(std::cos(angle))), sin.push_back(float(std::sin(angle)));
        }
    }

    /// Appends the next tokens of both sequences, packed, and attends to all that the cache holds.
    template <class Device>
    void step(Device& device, int first, int second) {
        std::vector<T> fresh;
        const int count[] = {first, second}, held_before[] = {held[0], held[1]};
        for (int s = 0; s < 2; ++s)
            fresh.insert(fresh.end(), qkv[s].begin() + held[s] * token,
                         qkv[s].begin() + (held[s] + count[s]) * token);
        const std::vector<int> begins{0, first, first + second},
            now{0, held[0] + first, held[0] + first + held[1] + second};
        append(device, fresh, begins, std::max(first, second));
        std::vector<float> o(fresh.size() / token * heads * head_dim);
        const attention_strides packed{0, token, head_dim};
        const attention_problem p{.batch = 2,
                                  .heads = heads,
                                  .kv_heads = kv_heads,
                                  .seq_q = std::max(first, second),
                                  .seq_k = std::max(now[1], now[2] - now[1]),
                                  .head_dim = head_dim,
                                  .causal = causal_kind::bottom_right,
                                  .page_size = page,
                                  .table_width = width,
                                  .q_strides = packed};
        attention<T, float>(device, p,
                            {.q = fresh.data(),
                             .k = k.data(),
                             .v = v.data(),
                             .o = o.data(),
                             .lengths_q = begins.data(),
                             .lengths_k = now.data(),
                             .block_table = table.data()});
        for (int s = 0; s < 2; ++s)
            out[s].insert(out[s].end(), o.begin() + begins[s] * heads * head_dim,
                          o.begin() + begins[s + 1] * heads * head_dim),
                held[s] = held_before[s] + count[s];
    }

private:
    /// Queries turn where they lie.
    template <class Device>
    void append(Device& device, std::vector<T>& fresh, const std::vector<int>& begins, int longest) {
        const attention_strides s{0, token, head_dim};
        const append_problem p{.batch = 2,
                               .heads = heads,
                               .kv_heads = kv_heads,
                               .new_positions = longest,
                               .head_dim = head_dim,
                               .rotary_dim = head_dim,
                               .page_size = page,
                               .table_width = width,
                               .new_k_strides = s,
                               .new_v_strides = s,
                               .q_strides = s,
                               .q_out_strides = s};
        T* q = fresh.data();
        append_kv<T>(device, p,
                     {.new_k = q + heads * head_dim,
                      .new_v = q + (heads + kv_heads) * head_dim,
                      .k = k.data(),
                      .v = v.data(),
                      .q = q,
                      .q_out = q,
                      .cos = cos.data(),
                      .sin = sin.data(),
                      .cache_lengths = held.data(),
                      .new_lengths = begins.data(),
                      .block_table = table.data()});
    }
};

double difference(const std::vector<float>& a, const std::vector<float>& b) {
    double off = 0, all = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        off += (double(a[i]) - b[i]) * (double(a[i]) - b[i]), all += double(b[i]) * b[i];
    return a.size() == b.size() ? std::sqrt(off / all) : 1;
}

/// What steps lose beside one call: weights are rounded against another maximum.
template <class T, class Device>
void check_steps(Device&& device) {
    sequences<T> whole(false), stepped(true);
    whole.step(device, 61, 40);
    stepped.step(device, 17, 33);  // prefill
    for (int i = 0; i < 3; ++i) stepped.step(device, 0, 1);
    for (int i = 0; i < 4; ++i) stepped.step(device, 10, 1);
    for (int i = 0; i < 4; ++i) stepped.step(device, 1, 0);
    const double bound = 2 * test::unit_roundoff<T> + 2e-6;
    for (int s = 0; s < 2; ++s)
        CHECK_MESSAGE(difference(stepped.out[s], whole.out[s]) < bound, device.name(), ", sequence ", s);
}

/// One sequence whose cache is contiguous, by two calls, against plain attention over keys that were turned
/// beforehand in f64.
template <class Device>
void check_contiguous(Device&& device) {
    sequences<float> x(false);
    const fade::index n = 20, row = kv_heads * head_dim;
    std::vector<float> rotated(std::size_t(n * token)), cache_k(std::size_t(n * row)),
        cache_v = cache_k, o(std::size_t(n * heads * head_dim)), want = o,
        q_out(std::size_t(n * heads * head_dim));
    for (fade::index i = 0; i < n * token; ++i) {
        const fade::index e = i % head_dim, half = head_dim / 2, angle = i / token * half + e % half;
        const bool is_v = i % token >= (heads + kv_heads) * head_dim, first = e < half;
        rotated[i] = is_v
                         ? x.qkv[0][i]
                         : float(double(x.qkv[0][i]) * x.cos[angle] +
                                 (first ? -1.0 : 1.0) * x.qkv[0][first ? i + half : i - half] * x.sin[angle]);
    }
    const attention_strides s{0, token, head_dim};
    attention_problem a{.heads = heads,
                        .kv_heads = kv_heads,
                        .seq_q = n,
                        .seq_k = n,
                        .head_dim = head_dim,
                        .causal = causal_kind::bottom_right,
                        .q_strides = s,
                        .k_strides = s,
                        .v_strides = s};
    attention<float>(device, a,
                     {.q = rotated.data(),
                      .k = rotated.data() + heads * head_dim,
                      .v = rotated.data() + (heads + kv_heads) * head_dim,
                      .o = want.data()});
    for (int held : {0, 13}) {
        const fade::index fresh = held ? n - held : 13;
        const append_problem p{.heads = heads,
                               .kv_heads = kv_heads,
                               .new_positions = fresh,
                               .capacity = n,
                               .head_dim = head_dim,
                               .rotary_dim = head_dim,
                               .new_k_strides = s,
                               .new_v_strides = s,
                               .q_strides = s};
        const float* q = x.qkv[0].data() + held * token;
        append_kv<float>(device, p,
                         {.new_k = q + heads * head_dim,
                          .new_v = q + (heads + kv_heads) * head_dim,
                          .k = cache_k.data(),
                          .v = cache_v.data(),
                          .q = q,
                          .q_out = q_out.data(),
                          .cos = x.cos.data(),
                          .sin = x.sin.data(),
                          .cache_lengths = &held});
        a.seq_q = fresh, a.seq_k = held + fresh, a.q_strides = a.k_strides = a.v_strides = {};
        attention<float>(device, a,
                         {.q = q_out.data(),
                          .k = cache_k.data(),
                          .v = cache_v.data(),
                          .o = o.data() + held * heads * head_dim});
    }
    CHECK_MESSAGE(difference(o, want) < 2e-6, device.name());
}

}  // namespace

TEST_CASE("prefill, then decoding in pages, is attention over whole sequences") {
    check_steps<float>(host_device(2));
    check_steps<f16>(host_device(2));
    check_steps<f16>(some_kernels<arch::gfx942>());
    check_steps<bf16>(some_kernels<arch::gfx1100>());
    check_steps<float>(some_kernels<arch::gfx1030>());
}

TEST_CASE("a contiguous cache holds turned keys") {
    check_contiguous(host_device(2));
    check_contiguous(some_kernels<arch::gfx942>());
    check_contiguous(some_kernels<arch::gfx1100>());
}

// The unfused path on the host, as it is written without a library of attention: for each head a product by
// OpenBLAS, a softmax, and a product.
#include "../../common/memory.hpp"
#include "../../common/parallel.hpp"
#include "../../common/refusal.hpp"
#include "../attention/call.hpp"
#include "../peer_maker.hpp"
#include <algorithm>
#include <bit>
#include <cblas.h>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#if defined(__x86_64__) && defined(__gnu_linux__)
#define FADE_FOR_EACH_CPU __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default")))
#else
#define FADE_FOR_EACH_CPU
#endif

namespace fade::bench {
namespace {

/// 2^x for x <= 0, to an ulp or two: the fraction by a polynomial, the whole part into the exponent. A loop
/// over it becomes vectors.
inline float power_of_two(float x) {
    x = x < -126 ? -126 : x;
    const float shifted = x + 12582912.0f,
                f = x - (shifted - 12582912.0f);  // 1.5 * 2^23: rounds to a whole number
    const std::int32_t whole = std::int32_t(shifted - 12582912.0f);
    float p = 1.5403530e-4f;
    for (float c : {1.3333558e-3f, 9.6181291e-3f, 5.5504109e-2f, 2.4022651e-1f, 6.9314718e-1f, 1.0f})
        p = p * f + c;
    return p * std::bit_cast<float>((whole + 127) << 23);
}

/// A row becomes its softmax; `scale` times log2 e is what a score is multiplied by. Sums in 16 parts, so
/// that they are vectors too.
FADE_FOR_EACH_CPU void softmax(float* row, index count, float scale) {
    constexpr index parts = 16;
    float largest[parts], sum[parts] = {};
    std::fill_n(largest, parts, -std::numeric_limits<float>::infinity());
    index i = 0;
    for (; i + parts <= count; i += parts)
        for (index j = 0; j < parts; ++j) largest[j] = largest[j] > row[i + j] ? largest[j] : row[i + j];
    for (; i < count; ++i) largest[0] = std::max(largest[0], row[i]);
    const float base = *std::max_element(largest, largest + parts) * scale;
    for (i = 0; i + parts <= count; i += parts)
        for (index j = 0; j < parts; ++j) sum[j] += row[i + j] = power_of_two(row[i + j] * scale - base);
    for (; i < count; ++i) sum[0] += row[i] = power_of_two(row[i] * scale - base);
    for (index j = 1; j < parts; ++j) sum[0] += sum[j];
    const float inverse = 1 / sum[0];
    for (i = 0; i < count; ++i) row[i] *= inverse;
}

class unfused_attention {
public:
    explicit unfused_attention(const std::vector<attention_call>& calls)
        : calls_(calls), p_(calls[0].problem), scores_(std::size_t(p_.seq_q) * std::size_t(p_.seq_k)) {}

    void run() {
        call_ = &calls_.next();
        for (index b = 0; b < p_.batch; ++b)
            for (index h = 0; h < p_.heads; ++h) run_head(b, h);
    }

private:
    void run_head(index batch, index head) {
        const index kv_heads = p_.kv_heads, group = p_.heads / kv_heads;
        const blasint m = blasint(p_.seq_q), n = blasint(p_.seq_k), d = blasint(p_.head_dim),
                      q_row = blasint(p_.heads * d), k_row = blasint(kv_heads * d);
        const index q_at = batch * p_.seq_q * q_row + head * d,
                    k_at = batch * p_.seq_k * k_row + head / group * d;
        const float *q = static_cast<const float*>(call_->q) + q_at,
                    *k = static_cast<const float*>(call_->k) + k_at,
                    *v = static_cast<const float*>(call_->v) + k_at;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, d, 1, q, q_row, k, k_row, 0,
                    scores_.data(), n);
        tools::parallel_ranges(m, std::max<index>(1, m / 64), [&](index first, index last) {
            for (index i = first; i < last; ++i) soften(i);
        });
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, d, n, 1, scores_.data(), n, v, k_row, 0,
                    static_cast<float*>(call_->o) + q_at, q_row);
    }

    /// Softmax over the keys that a query sees; weights of the others are zero.
    void soften(index query) {
        float* row = &scores_[std::size_t(query * p_.seq_k)];
        const index at = query + (p_.causal == causal_kind::top_left ? 0 : p_.seq_k - p_.seq_q);
        const index right = p_.causal != causal_kind::none ? 0 : p_.window_right;
        const index first = p_.window_left < 0 ? 0 : std::clamp<index>(at - p_.window_left, 0, p_.seq_k);
        const index last = right < 0 ? p_.seq_k : std::clamp<index>(at + right + 1, first, p_.seq_k);
        std::fill(row, row + first, 0.0f), std::fill(row + last, row + p_.seq_k, 0.0f);
        const double scale = p_.scale != 0 ? p_.scale : 1 / std::sqrt(double(p_.head_dim));
        if (last > first) softmax(row + first, last - first, float(scale * 1.4426950408889634));
    }

    in_turn<attention_call> calls_;
    const attention_call* call_ = nullptr;  // the one that runs
    attention_problem p_;
    std::vector<float> scores_;
};

void check_possible(const attention_problem& p) {
    if (std::min({p.batch, p.heads, p.seq_q, p.seq_k}) == 0)
        throw tools::refusal("--vs is openblas, which is not measured on a problem without work.");
    if (p.scale < 0) throw tools::refusal("--vs is openblas, which is measured with a positive --scale.");
    constexpr index max = std::numeric_limits<blasint>::max();
    if (std::max({p.seq_q, p.seq_k, p.heads * p.head_dim}) > max)
        throw tools::refusal("--vs is openblas, whose sizes are at most " + std::to_string(max) + ".");
    const auto scores = tools::big_size{std::uint64_t(p.seq_q)} * tools::big_size{std::uint64_t(p.seq_k)} *
                        tools::big_size{sizeof(float)};
    if (scores.value > tools::available_memory() / 10 * 9)
        throw tools::refusal("--vs is openblas, whose scores of a head need " +
                             tools::in_words(scores.value) + ", more than there is.");
}

}  // namespace

extern "C" void fade_bench_attention_openblas(measured& out, const std::vector<attention_call>& calls,
                                              const element&) {
    check_possible(calls[0].problem);
    const auto it = std::make_shared<unfused_attention>(calls);
    out = {[it] { it->run(); }, [] {}};
}

}  // namespace fade::bench

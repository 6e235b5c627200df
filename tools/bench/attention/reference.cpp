#include "reference.hpp"
#include "../../common/parallel.hpp"
#include "philox.hpp"
#include <algorithm>
#include <cmath>
#include <limits>

namespace fade::bench {
namespace {

constexpr index tile_queries = 16, tile_keys = 128;
constexpr double nothing = -std::numeric_limits<double>::infinity();

/// What happens to the scores of one head of one sequence.
class head_rules {
public:
    head_rules(const attention_request& r, const attention_data& data, index batch, index head)
        : r_(r), keys_(r.keys(batch)), begin_(r.first_key(batch)), first_(r.first_position(batch)),
          layer_(std::uint32_t(batch * r.heads + head)),
          scale_(r.scale.value_or(1 / std::sqrt(double(r.head_dim))) * factor(data, "scales_q", head) *
                 factor(data, "scales_k", head / (r.heads / r.kv_heads))),
          value_scale_(factor(data, "scales_v", head / (r.heads / r.kv_heads))),
          slope_(value(data, "alibi", head, 0)), sink_(value(data, "sink", head, nothing)),
          bias_(r.bias ? reinterpret_cast<const float*>(data.buffers().address("bias")) +
                             (batch * r.heads + head) * r.seq_q * r.seq_k
                       : nullptr),
          keep_scale_(1 / (1 - r.dropout.value_or(0))),
          drop_below_(std::floor(r.dropout.value_or(0) * 0x1p32)) {}

    index keys() const { return keys_; }
    double sink() const { return sink_; }
    double value_scale() const { return value_scale_; }

    double score(double product, index query, index key) const {
        const index distance = key - query - first_;
        if (key < begin_) return nothing;
        if ((r_.right() >= 0 && distance > r_.right()) || (r_.left() >= 0 && -distance > r_.left()))
            return nothing;
        double s = product * scale_;
        if (r_.softcap) s = *r_.softcap * std::tanh(s / *r_.softcap);
        return s - slope_ * double(std::abs(distance)) + (bias_ ? double(bias_[query * r_.seq_k + key]) : 0);
    }

    /// What a weight is multiplied by.
    double kept(index query, index key) const {
        if (drop_below_ == 0) return 1;
        return random_of_weight(r_.seed, std::uint64_t(query), layer_, std::uint32_t(key)) < drop_below_
                   ? 0
                   : keep_scale_;
    }

private:
    static double value(const attention_data& data, std::string_view name, index head, double otherwise) {
        const buffer* from = data.buffers().find(name);
        return from ? double(reinterpret_cast<const float*>(from->data())[head]) : otherwise;
    }

    /// Of what the tensor's elements are multiplied by.
    double factor(const attention_data& data, std::string_view name, index head) const {
        return value(data, name, r_.head_scales.value_or(false) ? head : 0, 1);
    }

    const attention_request& r_;
    index keys_, begin_, first_;
    std::uint32_t layer_;
    double scale_, value_scale_, slope_, sink_;
    const float* bias_;  // of query 0 and key 0
    double keep_scale_, drop_below_;
};

/// Up to `tile_queries` queries of a head, against its keys a tile at a time with a running maximum.
class query_tile {
public:
    query_tile(const attention_request& r, const attention_data& data, index batch, index head,
               const index* queries, index count)
        : data_(data), rules_(r, data, batch, head), batch_(batch), head_(head),
          group_head_(head / (r.heads / r.kv_heads)), dim_(r.head_dim), value_dim_(r.value_dim()),
          queries_(queries), count_(count), q_(count * dim_), k_(dim_ * tile_keys),
          v_(tile_keys * value_dim_), weights_(count * tile_keys), o_(count * value_dim_),
          maximum_(count, rules_.sink()), sum_(count, rules_.sink() == nothing ? 0 : 1) {
        for (index i = 0; i < count; ++i)
            read("q", data.query_row(batch, queries[i], head), &q_[i * dim_], dim_, 1);
    }

    void run(const std::function<void(const reference_queries&)>& visit) {
        for (index key = 0; key < rules_.keys(); key += tile_keys)
            add(key, std::min(tile_keys, rules_.keys() - key));
        std::vector<double> lse(count_);
        for (index i = 0; i < count_; ++i) {
            for (index c = 0; c < value_dim_ && sum_[i] > 0; ++c)
                o_[i * value_dim_ + c] *= rules_.value_scale() / sum_[i];
            lse[i] = maximum_[i] + std::log(sum_[i]);
        }
        visit({batch_, head_, queries_, count_, o_.data(), lse.data()});
    }

private:
    /// A row of `dim` elements as doubles, `step` apart.
    void read(const char* name, index row, double* to, index dim, index step) const {
        const buffer& from = *data_.buffers().find(name);
        std::vector<double> values(dim);
        from.shape().type->decode(from.data(), row * dim, 1, dim, values.data());
        for (index c = 0; c < dim; ++c) to[c * step] = values[c];
    }

    void add(index first, index keys) {
        for (index j = 0; j < keys; ++j) {
            const index row = data_.key_row(batch_, first + j, group_head_);
            read("k", row, &k_[j], dim_, tile_keys), read("v", row, &v_[j * value_dim_], value_dim_, 1);
        }
        for (index i = 0; i < count_; ++i) {
            double* w = &weights_[i * tile_keys];
            multiply(&q_[i * dim_], w);
            weigh(i, first, keys, w);
        }
    }

    void multiply(const double* q, double* scores) const {
        std::fill_n(scores, tile_keys, 0.0);
        for (index c = 0; c < dim_; ++c)
            for (index j = 0; j < tile_keys; ++j) scores[j] += q[c] * k_[c * tile_keys + j];
    }

    /// Scores become weights against the largest so far; what was added before shrinks to it.
    void weigh(index i, index first, index keys, double* w) {
        double largest = maximum_[i];
        for (index j = 0; j < keys; ++j)
            largest = std::max(largest, w[j] = rules_.score(w[j], queries_[i], first + j));
        if (largest == nothing) return;
        const double shrink = std::exp(maximum_[i] - largest);
        double* o = &o_[i * value_dim_];
        maximum_[i] = largest, sum_[i] *= shrink;
        for (index c = 0; c < value_dim_; ++c) o[c] *= shrink;
        for (index j = 0; j < keys; ++j) {
            if (w[j] == nothing) continue;
            const double weight = std::exp(w[j] - largest),
                         kept = weight * rules_.kept(queries_[i], first + j);
            sum_[i] += weight;
            for (index c = 0; c < value_dim_; ++c) o[c] += kept * v_[j * value_dim_ + c];
        }
    }

    const attention_data& data_;
    head_rules rules_;
    index batch_, head_, group_head_, dim_, value_dim_;
    const index* queries_;
    index count_;
    std::vector<double> q_, k_, v_, weights_, o_, maximum_,
        sum_;  // k_ transposed, so that the loop over keys is one of vectors
};

/// Numbers of queries that one thread computes together.
struct piece {
    index batch, head, first, count;
};

/// Queries by their place in their sequence, cut where the head changes and after `tile_queries`.
std::vector<piece> cut(const attention_request& r, const std::vector<index>& numbers,
                       std::vector<index>& queries) {
    std::vector<piece> out;
    for (index n : numbers) {
        const index layer = n / r.seq_q, batch = layer / r.heads, head = layer % r.heads, query = n % r.seq_q;
        if (query >= r.queries(batch)) continue;
        const bool joins = !out.empty() && out.back().batch == batch && out.back().head == head &&
                           out.back().count < tile_queries;
        joins ? void(++out.back().count) : out.push_back({batch, head, index(queries.size()), 1});
        queries.push_back(query);
    }
    return out;
}

}  // namespace

void compute_reference(const attention_request& request, const attention_data& data,
                       const std::vector<index>& numbers,
                       const std::function<void(const reference_queries&)>& visit) {
    std::vector<index> queries;
    const std::vector<piece> pieces = cut(request, numbers, queries);
    tools::parallel_for(index(pieces.size()), [&](index i) {
        const piece& p = pieces[i];
        query_tile(request, data, p.batch, p.head, &queries[p.first], p.count).run(visit);
    });
}

}  // namespace fade::bench

// What a command line asks of attention.
#pragma once
#include "../request.hpp"
#include <fade/kernel/attention/problem.hpp>
#include <nlohmann/json_fwd.hpp>
#include <span>

namespace fade::bench {

/// The options as given, understood and checked against each other.
struct attention_request : request {
    index batch = 1, heads = 0, kv_heads = 0, head_dim = 0;
    index seq_q = 0, seq_k = 0;                 ///< of packed sequences the longest
    std::optional<std::vector<index>> lengths;  ///< --varlen
    std::optional<std::vector<index>> starts;   ///< --starts-k
    causal_kind causal = causal_kind::none;
    bool causal_named = false;  ///< --causal was given with its kind
    std::optional<std::pair<index, index>> window;
    std::optional<double> scale, softcap, dropout;
    std::optional<index> page, head_dim_v;
    std::optional<int> split_kv;  ///< 0: the library decides
    bool alibi = false, bias = false, sink = false;
    std::optional<bool> head_scales;  ///< --scales: factors of Q, K and V, of each head, or of each tensor

    attention_problem problem() const;
    /// Length of a sequence of queries and of keys.
    index queries(index of_batch) const { return lengths ? (*lengths)[of_batch] : seq_q; }
    index keys(index of_batch) const { return lengths ? (*lengths)[of_batch] : seq_k; }
    /// The first key of a sequence; those before it are not there.
    index first_key(index of_batch) const { return starts ? (*starts)[of_batch] : 0; }
    /// Query 0 stands at this key.
    index first_position(index of_batch) const {
        return causal == causal_kind::top_left ? 0 : keys(of_batch) - queries(of_batch);
    }
    /// Elements of a head of V and O.
    index value_dim() const { return head_dim_v.value_or(head_dim); }
    index left() const { return window ? window->first : -1; }
    index right() const { return causal != causal_kind::none ? 0 : window ? window->second : -1; }
};

/// The options of `fade-bench attention`.
std::span<const tools::option> attention_options_known();

/// Reads and checks the words after `attention`: a request for each choice of the sizes that are listed.
std::vector<attention_request> parse_attention(std::span<const std::string_view> words);

/// The echo of the options.
nlohmann::ordered_json problem_of(const attention_request& request);

/// Two operations a query, key and element of a head of Q, and as many of V; half of them with a causal mask.
/// Nothing else counts.
double operations_of(const attention_request& request);

}  // namespace fade::bench

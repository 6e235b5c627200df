// What an attention is asked to do.
#pragma once
#include <cstdint>
#include <fade/core/call/element_pointer.hpp>
#include <fade/core/dtype.hpp>

namespace FADE_NAMESPACE {

/// Which keys a query sees. Bottom-right: the last query sees the last key; top-left: query i sees keys 0 to
/// i.
enum class causal_kind { none, bottom_right, top_left };

/// "none", "bottom-right" or "top-left".
constexpr const char* name(causal_kind c) {
    constexpr const char* names[] = {"none", "bottom-right", "top-left"};
    return names[int(c)];
}

/// A causal_kind. Of true or false it does not compile, since there are two ways to be causal.
class causal_choice {
public:
    /// That kind.
    constexpr causal_choice(causal_kind kind = causal_kind::none) : kind_(kind) {}
    /// Does not compile, and says which kinds there are.
    template <class T>
        requires std::is_same_v<T, bool>
    constexpr causal_choice(T) : kind_() {
        static_assert(sizeof(T) == 0,
                      "causal is no yes or no: say fade::causal_kind::bottom_right (the last query "
                      "sees the last key) or fade::causal_kind::top_left (query i sees keys 0 to i)");
    }
    /// The kind.
    constexpr operator causal_kind() const { return kind_; }

private:
    causal_kind kind_;
};

/// Elements from one batch, position or head of a tensor to the next; all zero: packed as [batch, position,
/// head, head_dim]. The elements of a head lie side by side. Of packed sequences `batch` is 0,
/// and with pages it goes from page to page.
struct attention_strides {
    index batch = 0;     ///< from batch to batch, or from page to page
    index position = 0;  ///< from position to position
    index head = 0;      ///< from head to head
    /// Are all three equal?
    constexpr bool operator==(const attention_strides&) const = default;
};

/// Elements from one batch, head or query of a bias to the next; 0: all have the same; -1: packed as [batch,
/// heads, seq_q, seq_k].
struct attention_bias_strides {
    index batch = -1;  ///< from batch to batch
    index head = -1;   ///< from head to head
    index query = -1;  ///< from query to query
};

/// O = softmax(rules(scale * Q K^T)) V for every head of every batch.
/// q is [batch, seq_q, heads, head_dim], k [batch, seq_k, kv_heads, head_dim], v and o the same with
/// head_dim_v; heads is a multiple of kv_heads. With cumulative lengths (see attention_operands) sequences
/// lie packed, and seq_q and seq_k are the longest; with counts of each they lie as without.
struct attention_problem {
    index batch = 1;          ///< sequences
    index heads = 1;          ///< of q and o
    index kv_heads = 0;       ///< of k and v; 0: as many as heads
    index seq_q = 0;          ///< queries of a sequence, or of the longest one
    index seq_k = 0;          ///< keys of a sequence, or of the longest one
    index head_dim = 0;       ///< of q and k, 1 to 512
    index head_dim_v = 0;     ///< of v and o; 0: as head_dim
    causal_choice causal{};   ///< which keys a query sees
    index window_left = -1;   ///< keys before the query's own position; -1: all
    index window_right = -1;  ///< keys behind it; -1: all
    double scale = 0;         ///< 0: 1 / sqrt(head_dim)
    double softcap = 0;       ///< c > 0: scores become c tanh(score / c)
    double dropout = 0;  ///< share of probabilities that are dropped; the others grow by 1 / (1 - dropout)
    std::uint64_t seed = 0;    ///< of the dropout's random numbers (Philox 4x32-10)
    std::uint64_t offset = 0;  ///< of their counter
    index page_size =
        0;  ///< above 0: k and v are [page, page_size, kv_heads, head_dim], found by a block table
    index table_width = 0;  ///< entries a sequence of the block table; 0: as many as seq_k needs
    index page_count = 0;   ///< pages of k and v: keys on others are not seen; 0: the table names no others
    attention_strides q_strides{};          ///< all zero: packed
    attention_strides k_strides{};          ///< likewise
    attention_strides v_strides{};          ///< likewise
    attention_strides o_strides{};          ///< likewise
    attention_bias_strides bias_strides{};  ///< of bias
    index alibi_stride = 0;                 ///< slopes from one sequence to the next: 0: all have the same
};

/// Positive factors of what q, k and v hold, as 8-bit floats have them; null: 1.
struct attention_scales {
    element_pointer<const float> q{};  ///< [1] or [heads]
    element_pointer<const float> k{};  ///< [1] or [kv_heads]
    element_pointer<const float> v{};  ///< [1] or [kv_heads]
    bool per_head = false;  ///< one for each of heads (q) or kv_heads (k, v); else one for the tensor
};

/// Memory that the device can read and write. Null pointers: not wanted.
template <class In, class Out = In>
struct attention_operands {
    element_pointer<const In> q{};         ///< [batch, seq_q, heads, head_dim]
    element_pointer<const In> k{};         ///< [batch, seq_k, kv_heads, head_dim]
    element_pointer<const In> v{};         ///< [batch, seq_k, kv_heads, head_dim_v]
    element_pointer<Out> o{};              ///< [batch, seq_q, heads, head_dim_v]
    element_pointer<float> lse{};          ///< [batch, heads, seq_q]: log of the sum of exponentials
    element_pointer<const float> alibi{};  ///< [heads], or with alibi_stride [batch, heads]: slopes; scores
                                           ///< lose slope x distance to the query's own position
    element_pointer<const float>
        bias{};  ///< added to the scores of a query and key; minus infinity hides the key
    element_pointer<const float> sink{};     ///< [heads]: a logit that takes part in the sum and has no value
    element_pointer<const int> lengths_q{};  ///< [batch + 1]: where sequences begin in q and o
    element_pointer<const int> lengths_k{};  ///< [batch + 1]: where sequences begin in k and v; of paged
                                             ///< ones, only how long they are
    element_pointer<const int> counts_q{};  ///< [batch]: queries of each sequence, of which the first lies at
                                            ///< its batch stride; instead of lengths_q
    element_pointer<const int> counts_k{};  ///< [batch]: keys of each sequence, likewise or in pages; instead
                                            ///< of lengths_k
    element_pointer<const int> starts_k{};  ///< [batch]: the first key of each sequence; those before it are
                                            ///< not there, and those behind keep their numbers
    element_pointer<const int>
        block_table{};  ///< [batch, table_width]: which page holds each page_size positions of a sequence
    attention_scales scales{};  ///< factors of q, k and v
};

}  // namespace FADE_NAMESPACE

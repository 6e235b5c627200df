// An attention with its inputs made, ready to run.
#pragma once
#include "../matrix.hpp"
#include "call.hpp"
#include "request.hpp"

namespace fade::bench {

/// What an attention reads and writes: q k v o lse, and lengths, table, alibi, bias, sink and factors where
/// they are asked for. A row of q, k, v and o is a head of one position.
std::vector<matrix> tensors_of(const attention_request& request);

class attention_data {
public:
    explicit attention_data(const attention_request& request);

    const attention_call& call() const { return call_; }
    const buffer_set& buffers() const { return buffers_; }
    const buffer& output() const { return *buffers_.find("o"); }
    const buffer& lse() const { return *buffers_.find("lse"); }

    /// The row of q and o, and that of k and v, where a head of a sequence lies.
    index query_row(index batch, index query, index head) const {
        return (first_[batch].query + query) * request_->heads + head;
    }
    index key_row(index batch, index key, index head) const;

private:
    struct begins {
        index query, key;
    };
    void make(const buffer& b);
    void shuffle_pages(index pages);

    const attention_request* request_;
    buffer_set buffers_;
    std::vector<begins> first_;  ///< of each batch
    std::vector<int> table_;     ///< which page holds each page of a sequence
    attention_call call_;
};

/// A call whose addresses mean nothing but alignment: enough to choose a kernel for a problem of any size.
attention_call call_without_memory(const attention_request& request);

}  // namespace fade::bench

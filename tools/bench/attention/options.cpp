#include "request.hpp"

namespace fade::bench {

std::span<const tools::option> attention_options_known() {
    static const std::vector<tools::option> known = with_common_options(
        "element type of Q, K and V", "element type of O; by default that of Q, for 8-bit types bf16",
        {
            {"pass", "fwd", "the forward pass; fwd"},
            {"batch", "N", "sequences; 1, or as many as --varlen or --starts-k lists"},
            {"heads", "N", "heads of Q and O"},
            {"kv-heads", "N", "heads of K and V, of which that is a multiple; as many"},
            {"seq-q", "N", "queries of a sequence"},
            {"seq-k", "N", "keys of a sequence"},
            {"varlen", "LENS",
             "in place of both: the lengths of packed sequences, of queries and keys alike, as 5,17,300"},
            {"starts-k", "LIST", "the first key of each sequence, as 3,0,7: those before it are not there"},
            {"head-dim", "N", "elements of a head"},
            {"head-dim-v", "N", "elements of a head of V and O, where those have others than Q and K"},
            {"causal", "[bottom-right|top-left]",
             "no query sees later keys: the last query stands at the last key, or the first at the first; "
             "bottom-right"},
            {"window", "L,R", "keys that a query sees before and after its own position; -1: all"},
            {"softcap", "X", "scores become X tanh(score / X)"},
            {"alibi", "",
             "scores lose 2^(-8 (head + 1) / heads) times the distance to the query's own position"},
            {"bias", "", "a random number for each batch, head, query and key that scores gain"},
            {"dropout", "P",
             "drops weights with probability P, by Philox 4x32-10 from the seed; the others grow by 1 / (1 - "
             "P)"},
            {"page", "N", "K and V lie in pages of N positions, in an order that the seed shuffles"},
            {"sink", "", "a random logit for each head that takes part in the sum and has no value"},
            {"scales", "tensor|head",
             "random factors from 1/2 to 2 of what Q, K and V hold, for each tensor or each head; of 8-bit "
             "types"},
            {"scale", "X", "factor of the scores; 1 / sqrt(head-dim)"},
            {"split-kv", "N|auto", "workgroups that share the keys of a tile of queries; auto"},
        });
    return known;
}

}  // namespace fade::bench

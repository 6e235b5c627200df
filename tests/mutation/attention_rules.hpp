// Rules of one's own as a caller writes them, and what the reference knows of them.
#pragma once
#include "attention_cases.hpp"

namespace fade::test {

/// Positions that a rule was asked about and that do not exist.
struct seen_positions {
    const int *queries, *keys;  // of each batch
    int* beyond;
    void note(int batch, int query, int key) const {
        if (query < 0 || key < 0 || query >= queries[batch] || key >= keys[batch])
            __atomic_store_n(beyond, 1, __ATOMIC_RELAXED);
    }
};

/// Every number that a rule is told shows in the score.
struct telling_mod {
    seen_positions seen;
    static double of(double score, index batch, index head, index query, index key) {
        return 0.5 * score + 0.3 * double((query + 2 * key + head) % 5) * double(batch + 1);
    }
    FADE_FN float score_mod(float score, int batch, int head, int query, int key) const {
        return seen.note(batch, query, key), float(of(score, batch, head, query, key));
    }
};

struct telling_mask {
    static bool of(index batch, index head, index query, index key) {
        return (query + 2 * key + head + batch) % 5 > 1;
    }
    FADE_FN bool mask_mod(int batch, int head, int query, int key) const {
        return of(batch, head, query, key);
    }
};

/// A case by which both rules act, with queries and keys of different numbers in each batch.
inline attention_case ruled_case(index head_dim) {
    attention_case c = usual(head_dim);
    c.problem.softcap = 3, c.lengths_q = {20, 37}, c.lengths_k = {83, 30};
    return c;
}

/// What is wrong with a case by both rules.
template <class T, class Device>
std::string wrong_rules(Device& device, const attention_case& c, int splits) {
    const index batch = c.problem.batch;
    std::vector<int> queries(std::size_t(batch), int(c.problem.seq_q)),
        keys(std::size_t(batch), int(c.problem.seq_k));
    if (!c.lengths_q.empty()) queries = c.lengths_q;
    if (!c.lengths_k.empty()) keys = c.lengths_k;
    int beyond = 0;
    const std::string modified = wrong_attention<T>(
        device, c, splits, telling_mod{{queries.data(), keys.data(), &beyond}}, telling_mod::of);
    if (!modified.empty()) return modified;
    if (beyond) return "a rule was asked about a position that does not exist";
    return wrong_attention<T>(
        device, c, splits, telling_mask{}, [](double s, index b, index h, index i, index j) {
            return telling_mask::of(b, h, i, j) ? s : -std::numeric_limits<double>::infinity();
        });
}

/// The exit code of a program that tries both rules alone and beside another.
template <class T, class Device>
int tried_rules(Device& device, attention_case c, int splits = 0) {
    if (complained(device.name(), wrong_rules<T>(device, c, splits))) return 1;
    c.problem.softcap = 0;
    return complained(device.name(), wrong_rules<T>(device, c, splits));
}

}  // namespace fade::test

// Which length or page number of an attention is wrong: for those who ask, since kernels do not.
#pragma once
#include <fade/core/shape.hpp>
#include <fade/kernel/attention/arguments.hpp>
#include <fade/kernel/attention/problem.hpp>
#include <string>

namespace FADE_NAMESPACE::kernel {

/// Lists that this CPU can read; null: not given.
struct attention_indices {
    const int *lengths_q, *lengths_k, *counts_q, *counts_k, *table, *starts_k;
};

/// As fade::error has it; no argument: none is wrong.
struct wrong_index {
    std::string argument{}, value{}, rule{};
};

/// Of one side: `paged` ones begin nowhere.
inline wrong_index find_wrong_length(const char* list, const char* longest_name, const int* lengths,
                                     bool cumulative, bool paged, index batch, index longest) {
    if (cumulative && !paged && lengths[0] < 0)
        return {std::string(list) + "[0]", std::to_string(lengths[0]),
                "the first sequence begins before the tensor"};
    for (index b = 0; b < batch; ++b) {
        const index at = b + cumulative, begin = cumulative ? lengths[b] : 0, length = lengths[at] - begin;
        const std::string argument = std::string(list) + "[" + std::to_string(at) + "]",
                          value = std::to_string(lengths[at]);
        if (length < 0)
            return {argument, value,
                    cumulative ? "the sequence begins at " + std::to_string(begin)
                               : "a sequence has 0 positions or more"};
        if (length > longest)
            return {argument, value,
                    "that makes " + std::to_string(length) + " positions of sequence " + std::to_string(b) +
                        ", and " + longest_name + " is " + std::to_string(longest)};
    }
    return {};
}

/// The first keys of sequences: one that lies behind the last is the first of none.
inline wrong_index find_wrong_start(const attention_problem& p, const int* starts) {
    for (index b = 0; b < p.batch; ++b)
        if (starts[b] < 0 || starts[b] > p.seq_k)
            return {"starts_k[" + std::to_string(b) + "]", std::to_string(starts[b]),
                    "a first key is between 0 and seq_k (" + std::to_string(p.seq_k) + ")"};
    return {};
}

/// Of the entries that lengths and first keys reach.
inline wrong_index find_wrong_page(const attention_problem& p, const attention_indices& x) {
    for (index b = 0; b < p.batch; ++b) {
        const int step = x.lengths_k ? 1 : 0, *const lengths = x.lengths_k ? x.lengths_k : x.counts_k;
        const index keys = lengths ? length_of(lengths, step, int(b), int(p.seq_k)) : p.seq_k;
        const index first = x.starts_k ? min_of<index>(max_of(x.starts_k[b], 0), keys) / p.page_size : 0;
        for (index i = first; i < ceil_div(keys, p.page_size); ++i) {
            const int page = x.table[b * p.table_width + i];
            if (!is_page(page, p.page_count ? int(p.page_count) : any_page))
                return {
                    "block_table[" + std::to_string(b) + "][" + std::to_string(i) + "]", std::to_string(page),
                    p.page_count ? "page_count is " + std::to_string(p.page_count) : "pages count from 0"};
        }
    }
    return {};
}

inline wrong_index find_wrong_index(const attention_problem& p, const attention_indices& x) {
    const auto wrong = [&](const char* list, const char* longest_name, const int* lengths, bool cumulative,
                           bool paged, index longest) {
        return lengths ? find_wrong_length(list, longest_name, lengths, cumulative, paged, p.batch, longest)
                       : wrong_index{};
    };
    for (const wrong_index& found : {wrong("lengths_q", "seq_q", x.lengths_q, true, false, p.seq_q),
                                     wrong("counts_q", "seq_q", x.counts_q, false, false, p.seq_q),
                                     wrong("lengths_k", "seq_k", x.lengths_k, true, p.page_size > 0, p.seq_k),
                                     wrong("counts_k", "seq_k", x.counts_k, false, p.page_size > 0, p.seq_k)})
        if (!found.argument.empty()) return found;
    if (x.starts_k)
        if (wrong_index found = find_wrong_start(p, x.starts_k); !found.argument.empty()) return found;
    return x.table && p.page_size > 0 ? find_wrong_page(p, x) : wrong_index{};
}

}  // namespace FADE_NAMESPACE::kernel

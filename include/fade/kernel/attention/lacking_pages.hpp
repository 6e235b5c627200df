// Keys on pages that do not exist: a block table may hold numbers of none.
#pragma once
#include <fade/block/any_lane.hpp>
#include <fade/kernel/attention/rules.hpp>

namespace FADE_NAMESPACE::kernel {

/// Are some of a sequence's keys from `begin` to `end` on pages that do not exist?
template <class Block, class Args>
FADE_FN bool lacks_keys(Block& block, const Args& args, int batch, int begin, int end) {
    const page_table& pages = args.pages;
    if (!pages.may_lack_keys() || begin >= end) return false;
    return block::any_beyond(block, pages.of(batch), pages.size.page_of(begin), pages.size.page_of(end - 1),
                             pages.count);
}

/// Hides the scores of such keys in a tile of `keys` from `first_key` on. Page after page: divisions for each
/// score would take many registers, and a table with gaps is rare.
template <class Block, class Scores, class Args, class Rows>
FADE_FN void hide_lacking(Block& block, Scores& scores, const Args& args, int batch, int first_key, int keys,
                          const Rows& rows) {
    // The keys of few scores may be computed before the first page; those of many would take too many
    // registers.
    constexpr bool many = Scores::lane_elements > 16;
    const page_table& pages = args.pages;
    const int* const table = pages.of(batch);
    const int last = pages.size.page_of(min_of(first_key + keys, args.seq_k) - 1);
    FADE_ROLLED
    for (int page = pages.size.page_of(first_key); page <= last; ++page) {
        if (is_page(table[page], pages.count)) continue;
        const int begin = page * pages.size.positions;
        each_score(block, scores, first_key, rows, [&](float& s, const score_column& at, int key) {
            std::uint32_t from = std::uint32_t(begin - at.first_key);
            if constexpr (many) Block::keep(from);
            s = fenced<Block>(std::uint32_t(key) - from < std::uint32_t(pages.size.positions) ? hidden_score
                                                                                              : s);
        });
    }
}

}  // namespace FADE_NAMESPACE::kernel

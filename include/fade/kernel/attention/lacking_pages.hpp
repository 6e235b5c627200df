// Keys on pages that do not exist: a block table may hold numbers of none.
#pragma once
#include <fade/kernel/attention/rules.hpp>

namespace FADE_NAMESPACE::kernel {

/// Are some of a sequence's keys from `begin` to `end` on pages that do not exist? Every wave looks at all of
/// them, a page a lane.
template <class Block, class Args>
FADE_FN bool lacks_keys(Block& block, const Args& args, int batch, int begin, int end) {
    const page_table& pages = args.pages;
    if (!pages.may_lack_keys() || begin >= end) return false;
    const int* const table = pages.of(batch);
    const int first = pages.size.page_of(begin), last = pages.size.page_of(end - 1);
    bool lacks = false;
    block.each_lane([&](place p) {
        std::uint32_t worst = 0;  // one number, since truths of a loop would take scalar registers
        FADE_ROLLED
        for (int i = first; i <= last; i += Block::wave_size)
            worst = most(worst, std::uint32_t(table[least(i + p.lane, last)]));
        lacks |= !is_page(int(worst), pages.count);
    });
    return Block::any_lane(lacks);
}

/// Hides the scores of such keys in a tile of `keys` from `first_key` on. Page after page: divisions for each
/// score would take many registers, and a table with gaps is rare.
template <class Block, class Scores, class Args, class Rows>
FADE_FN void hide_lacking(Block& block, Scores& scores, const Args& args, int batch, int first_key, int keys,
                          const Rows& rows) {
    const page_table& pages = args.pages;
    const int* const table = pages.of(batch);
    const int last = pages.size.page_of(least(first_key + keys, args.seq_k) - 1);
    FADE_ROLLED
    for (int page = pages.size.page_of(first_key); page <= last; ++page) {
        if (is_page(table[page], pages.count)) continue;
        const int begin = page * pages.size.positions;
        each_score(block, scores, first_key, rows, [&](float& s, const score_column& at, int key) {
            const int from = begin - at.first_key, to = from + pages.size.positions;  // the same for all keys
            s = settled<Block>(key >= from && key < to ? hidden_score : s);
        });
    }
}

}  // namespace FADE_NAMESPACE::kernel

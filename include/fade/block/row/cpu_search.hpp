// The largest elements of a long row without a NaN on a CPU: a pass that finds how large they are at least,
// and one that meets few others.
#pragma once
#include <bit>
#include <fade/atom/cpu/ordered_elements.hpp>
#include <fade/core/config.hpp>
#include <fade/core/shape.hpp>

namespace FADE_NAMESPACE::block {

/// Of a row that has `lanes` elements or more. The largest element of each lane over the row: none of the
/// `wanted` largest, up to as many as there are lanes, is below the last of as many of these.
/// Positive: is good for words above zero only, and faster. Grouped: the largest of each group of elements
/// are kept, so that the first of few is found at once.
template <class T, int Bytes, bool Positive, bool Grouped>
class cpu_search {
    using elements = atom::ordered_elements<T, Bytes, Positive>;
    using words = typename elements::words;

public:
    using word = typename elements::word;
    static constexpr int lanes = 64;

    FADE_FN cpu_search(const T* row, int columns)
        : row_(row), columns_(columns), group_(2 * lanes * ceil_div(columns, 2 * lanes * most_groups)) {}

    /// Calls ask(place) on its way. False: there is a NaN, and nothing is known.
    template <class Ask>
    FADE_FN bool look(Ask ask) {
        words largest[vectors], noted = words{} + elements::nothing;
        for (words& some : largest) some = words{} + elements::min_word;
        int at = Grouped ? look_at_groups(largest, noted, ask) : 0;
        for (; at + lanes <= columns_; at += lanes) ask(at), add(largest, noted, at);
        // The last block overlaps others: an element is to be in one lane alone.
        __builtin_memcpy(maxima_, largest, sizeof maxima_);
        add(largest, noted, columns_ - lanes);
        for (int v = 1; v < vectors; ++v) elements::raise(largest[0], largest[v]);
        alignas(Bytes) word each[elements::count];
        __builtin_memcpy(each, largest, sizeof each);
        largest_ = atom::fold_words<elements::count>(each, atom::larger_of_words{});
        return !elements::has_nan(largest_, noted);
    }
    /// The word of the largest one.
    FADE_FN word largest() const { return largest_; }
    /// A word that none of the `wanted` largest is below.
    FADE_FN word last_of(int wanted) const {
        if (wanted > lanes / 4) return last_of<lanes>(maxima_, wanted);
        alignas(Bytes) word halves[lanes / 2];
        for (int e = 0; e < lanes / 2; ++e)
            halves[e] = maxima_[e] < maxima_[e + lanes / 2] ? maxima_[e + lanes / 2] : maxima_[e];
        return last_of<lanes / 2>(halves, wanted);
    }
    /// The first place of elements that are not below the number of `lowest`, of which there are some.
    FADE_FN int first_from(word lowest) const {
        const words below = words{} + below_of(lowest);
        int at = 0;
        for (int g = 0; at + group_ <= columns_ && !elements::above(groups_[g], below); ++g) at += group_;
        for (; at + elements::count <= columns_; at += elements::count)
            if (const auto found = above(below, at)) return at + place_of(found);
        return columns_ - elements::count + place_of(above(below, columns_ - elements::count));
    }
    /// Calls f(place) for all elements that are not below the number of `lowest`, in order, while it returns
    /// true. 64 blocks are looked at before f is called: which of them have one is no branch that a CPU could
    /// mistake.
    template <class F, class Ask>
    FADE_FN void each_from(word lowest, F f, Ask ask) const {
        const words below = words{} + below_of(lowest);
        int at = 0;
        while (at + lanes <= columns_) {
            std::uint64_t blocks = 0;
            int block = 0;
            for (int here = at; block < 64 && here + lanes <= columns_; ++block, here += lanes)
                ask(here), blocks |= std::uint64_t(any_above(below, here)) << block;
            for (; blocks; blocks &= blocks - 1)
                for (int v = 0, here = at + std::countr_zero(blocks) * lanes; v < vectors; ++v)
                    if (!each_above(below, here + v * elements::count, 0, f)) return;
            at += block * lanes;
        }
        for (; at + elements::count <= columns_; at += elements::count)
            if (!each_above(below, at, 0, f)) return;
        if (at < columns_) each_above(below, columns_ - elements::count, at, f);
    }

private:
    static constexpr int vectors = lanes / elements::count, most_groups = Grouped ? 256 : 1;
    FADE_FN void add(words (&largest)[vectors], words& noted, int at) const {
        for (int v = 0; v < vectors; ++v) {
            words here;
            elements::load(here, row_ + at + v * elements::count);
            elements::raise(largest[v], here), elements::note(noted, here);
        }
    }
    /// Where the groups end that are whole.
    template <class Ask>
    FADE_FN int look_at_groups(words (&largest)[vectors], words& noted, Ask& ask) {
        int at = 0;
        for (int g = 0; at + group_ <= columns_; ++g) {
            words all = words{} + elements::min_word;
            for (const int end = at + group_; at < end; at += 2 * lanes)
                ask(at), ask(at + lanes), add_two(largest, all, noted, at);
            groups_[g] = all;
        }
        return at;
    }
    /// Two blocks, of which `all` has the largest of every place in a vector.
    FADE_FN void add_two(words (&largest)[vectors], words& all, words& noted, int at) const {
        for (int v = 0; v < vectors; ++v) {
            words one, other;
            elements::load(one, row_ + at + v * elements::count);
            elements::load(other, row_ + at + lanes + v * elements::count);
            elements::note(noted, one), elements::note(noted, other);
            elements::raise(one, other), elements::raise(largest[v], one), elements::raise(all, one);
        }
    }
    /// By how many each is surpassed; of Count words.
    template <int Count>
    FADE_FN static word last_of(const word* words_, int wanted) {
        alignas(Bytes) word twice[2 * Count], above[Count] = {};
        __builtin_memcpy(twice, words_, sizeof above);
        __builtin_memcpy(twice + Count, words_, sizeof above);
        for (int r = 1; r < Count; ++r)
            for (int e = 0; e < Count; ++e) above[e] = word(above[e] + (twice[e + r] > twice[e]));
        for (int e = 0; e < Count; ++e) above[e] = above[e] < wanted ? twice[e] : elements::max_word;
        return atom::fold_words<Count>(above, atom::lower_of_words{});
    }
    /// What a number is above that is not below the one of `lowest`.
    FADE_FN static word below_of(word lowest) { return word(elements::lowest_equal(lowest) - 1); }
    FADE_FN std::uint32_t above(const words& below, int at) const {
        words here;
        elements::load(here, row_ + at);
        return elements::above(here, below);
    }
    FADE_FN static int place_of(std::uint32_t found) { return std::countr_zero(found) / elements::lane_bits; }
    FADE_FN bool any_above(const words& below, int at) const {
        words here, largest;
        elements::load(largest, row_ + at);
        for (int v = 1; v < vectors; ++v)
            elements::load(here, row_ + at + v * elements::count), elements::raise(largest, here);
        return elements::above(largest, below) != 0;
    }
    /// Of those of a vector that stand at `begin` or behind.
    template <class F>
    FADE_FN bool each_above(const words& below, int at, int begin, F& f) const {
        auto found = above(below, at);
        constexpr std::uint32_t lane = (1u << elements::lane_bits) - 1;
        while (found) {
            const int first = std::countr_zero(found);
            if (const int place = at + first / elements::lane_bits; place >= begin && !f(place)) return false;
            found &= ~(lane << first);
        }
        return true;
    }

    const T* row_;
    int columns_, group_;        ///< group_: elements of a group
    words groups_[most_groups];  ///< of each the largest of every place in a vector
    alignas(Bytes) word maxima_[lanes];
    word largest_;
};

}  // namespace FADE_NAMESPACE::block

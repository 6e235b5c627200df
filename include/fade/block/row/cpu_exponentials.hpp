// The largest element of a row on a CPU, and exponentials of numbers around it.
#pragma once
#include <bit>
#include <fade/atom/cpu/exponentials.hpp>
#include <fade/atom/cpu/ordered_elements.hpp>
#include <fade/block/row/cpu_operand.hpp>
#include <fade/block/row/cpu_pass.hpp>
#include <fade/core/number/below_all.hpp>

namespace FADE_NAMESPACE::block {

/// The largest of 16-bit numbers by their words; a NaN is any number.
template <int Bytes, class T>
FADE_FN float largest_by_words(const T* row, int columns) {
    using elements = atom::ordered_elements<T, Bytes>;
    using word = typename elements::word;
    typename elements::words here, others = typename elements::words{} + elements::min_word, largest = others;
    int at = 0;
    for (; at + 2 * elements::count <= columns; at += 2 * elements::count) {
        elements::load(here, row + at), elements::raise(largest, here);
        elements::load(here, row + at + elements::count), elements::raise(others, here);
    }
    elements::raise(largest, others);
    alignas(Bytes) word each[elements::count];
    __builtin_memcpy(each, &largest, sizeof each);
    word found = atom::fold_words<elements::count>(each, atom::larger_of_words{});
    for (; at < columns; ++at) {
        const auto bits = std::bit_cast<word>(row[at]);
        const auto x = word(bits ^ ((bits >> 15) & elements::max_word));
        found = x > found ? x : found;
    }
    return convert<float>(std::bit_cast<T>(word(found ^ ((found >> 15) & elements::max_word))));
}

/// Exponentials of runs of N elements of a row, and their sum in N parts.
template <int Bytes, class T, int N>
class cpu_exponentials {
    using lanes = atom::lanes_of<float, Bytes>;
    static constexpr int vectors = N / lanes::count;

public:
    /// Of a block of columns: no member, so that they stay in registers.
    struct sums {
        typename lanes::vector of[vectors] = {};
    };
    FADE_FN explicit cpu_exponentials(float base) : base_(base), below_(base) {}
    /// Adds those of a run, and writes them to `out` where that is not null.
    FADE_FN void add(sums& to, const T* run, float* out) const {
        if (out)
            add_pairs<atom::pair_order::consecutive>(to, run, out);
        else
            add_pairs<order>(to, run, nullptr);
    }
    /// The same of `count` elements.
    FADE_FN void add_some(sums& to, const T* run, int count, float* out) const {
        vec<T, N> padded;
        vec<float, N> found;
        for (int e = 0; e < N; ++e) padded[e] = convert<T>(below_all);
        std::memcpy(&padded, run, sizeof(T) * std::size_t(count));
        add_pairs<atom::pair_order::consecutive>(to, padded.e, found.e);
        if (out) std::memcpy(out, &found, sizeof(float) * std::size_t(count));
    }
    FADE_FN float base() const { return base_; }
    /// Ends a block.
    FADE_FN void add_block(sums& block) {
        for (int half = vectors / 2; half > 0; half /= 2)
            for (int v = 0; v < half; ++v) block.of[v] += block.of[v + half];
        if (blocks_++) before_.add(last_);
        last_ = atom::fold<atom::sum_of, Bytes>(block.of[0]);
    }
    /// Of all blocks.
    FADE_FN float sum() const { return before_.with(last_); }
    /// sum() without the factor that all have.
    FADE_FN float corrected_sum() const { return below_.corrected(sum()); }
    /// Is the sum below 2^20, so that no number was above the base by 13.9? By bits, since a compiler may be
    /// told that there is no NaN.
    FADE_FN bool serves() const {
        return std::bit_cast<std::uint32_t>(sum()) < std::bit_cast<std::uint32_t>(1048576.0f);
    }

private:
    static constexpr auto order =
        std::is_same_v<T, bf16> ? atom::pair_order::neighbours_apart : atom::pair_order::consecutive;
    template <atom::pair_order Order>
    FADE_FN void add_pairs(sums& to, const T* run, float* out) const {
        FADE_CPU_UNROLL(16)
        for (int v = 0; v < vectors; v += 2) {
            atom::number_pair<Bytes, Order> x;
            x.load(run + v * lanes::count);
            below_.of(x.first), below_.of(x.second);
            to.of[v] += x.first, to.of[v + 1] += x.second;
            if constexpr (Order == atom::pair_order::consecutive)
                if (out) x.store(out + v * lanes::count);
        }
    }
    float base_;
    atom::exponentials_below<Bytes, sizeof(T) == 2> below_;
    cpu_blocks before_;
    float last_ = 0;
    int blocks_ = 0;
};

}  // namespace FADE_NAMESPACE::block

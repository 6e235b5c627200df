// The largest elements of a row on a CPU, by runs of N elements of which few hold one: of the others only the
// largest lane is looked at, a vector at once. cpu_search.hpp has what is faster where there are
// instructions.
#pragma once
#include <bit>
#include <fade/atom/cpu/ordered.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/shape.hpp>

namespace FADE_NAMESPACE::block {

/// A run of N numbers as words in order, by vectors of Bytes bytes.
template <int Bytes, int N>
struct ordered_run {
    using lanes = atom::lanes_of<float, Bytes>;
    static constexpr int count = lanes::count;
    atom::ordered_words<Bytes> of[N / count];

    template <class T>
    FADE_FN explicit ordered_run(const T* from) {
        for (int v = 0; v < N / count; ++v) {
            typename lanes::vector numbers;
            lanes::load(numbers, from + v * count);
            atom::order<Bytes>(of[v], numbers);
        }
    }
    FADE_FN void largest_lanes(atom::ordered_words<Bytes>& to) const {
        to = of[0];
        for (int v = 1; v < N / count; ++v) to = to < of[v] ? of[v] : to;
    }
    /// Is a number larger than the one of this key?
    FADE_FN bool any_above(std::uint32_t key) const {
        atom::ordered_words<Bytes> maxima;
        largest_lanes(maxima);
        return atom::lanes_above<Bytes>(maxima, atom::ordered_of_key(key)) != 0;
    }
    FADE_FN std::uint32_t largest_key() const {
        atom::ordered_words<Bytes> maxima;
        largest_lanes(maxima);
        std::int32_t each[count], found = maxima[0];
        __builtin_memcpy(each, &maxima, sizeof each);
        for (int i = 1; i < count; ++i) found = found < each[i] ? each[i] : found;
        return atom::key_of_ordered(found);
    }
};

/// Adds runs of a row to what is found: no lambda, since nvcc forgets that a generic one is to vanish.
template <class Found>
struct added_runs {
    Found& found;
    template <class T>
    FADE_FN void operator()(const T* elements, int at, int count) const {
        found.add(elements, at, count);
    }
};
template <class Found>
added_runs(Found&) -> added_runs<Found>;

/// The first of the largest elements. Its place in its run is looked for once, at the end.
template <int Bytes, int N>
class cpu_largest {
public:
    /// `count` of the N elements are the row's; the first stands at `at`.
    template <class T>
    FADE_FN void add(const T* run, int at, int count) {
        if (count < N) return add_each(run, at, count);
        const ordered_run<Bytes, N> words(run);
        if (words.any_above(key_)) key_ = words.largest_key(), begin_ = at;
    }
    /// Where the run begins that holds it.
    FADE_FN int run() const { return begin_; }
    /// It, given the elements of that run.
    template <class T>
    FADE_FN placed_number in(const T* run) const {
        int e = 0;
        while (placed_number::of(convert<float>(run[e]), 0).key != key_) ++e;
        return {key_, begin_ + e};
    }

private:
    template <class T>
    FADE_FN void add_each(const T* run, int at, int count) {
        for (int e = 0; e < count; ++e)
            if (const auto key = placed_number::of(convert<float>(run[e]), 0).key; key > key_)
                key_ = key, begin_ = at;
    }
    std::uint32_t key_ = 0;
    int begin_ = 0;
};

/// The largest element of each lane over a row: N elements, so none of the `wanted` largest, up to N, is
/// below the last of as many of these.
template <int Bytes, int N>
class cpu_lane_maxima {
public:
    FADE_FN cpu_lane_maxima() {
        for (int e = 0; e < N; ++e) maxima_[e] = atom::ordered_of_key(0);
    }
    template <class T>
    FADE_FN void add(const T* run) {
        constexpr int some = ordered_run<Bytes, N>::count;
        using words = atom::ordered_words<Bytes>;
        const ordered_run<Bytes, N> here(run);
        for (int v = 0; v < N / some; ++v) {
            auto& maxima = *reinterpret_cast<words*>(maxima_ + v * some);
            maxima = maxima < here.of[v] ? here.of[v] : maxima;
        }
    }
    FADE_FN std::uint32_t key_of(int wanted) const {
        std::int32_t found = 0x7fffffff;
        for (int i = 0; i < N; ++i) {
            int above = 0;
            for (int e = 0; e < N; ++e) above += maxima_[e] > maxima_[i];
            if (above < wanted && maxima_[i] < found) found = maxima_[i];
        }
        return atom::key_of_ordered(found);
    }

private:
    std::int32_t maxima_[N];
};

/// The `wanted` largest elements in falling order, up to 64.
template <int Bytes, int N>
class cpu_largest_list {
public:
    /// `min_key`: a key that none of them is below.
    FADE_FN cpu_largest_list(int wanted, std::uint32_t min_key)
        : wanted_(wanted), below_(min_key ? min_key - 1 : 0) {
        for (int i = 0; i < wanted; ++i) found_[i] = placed_number::nothing().word();
    }
    /// `count` of the N elements are the row's; the first stands at `at`.
    template <class T>
    FADE_FN void add(const T* run, int at, int count) {
        constexpr int some = ordered_run<Bytes, N>::count;
        if (count < N) {
            for (int e = 0; e < count; ++e) insert(placed_number::of(convert<float>(run[e]), at + e).word());
            return;
        }
        const ordered_run<Bytes, N> words(run);
        if (!words.any_above(last_key())) return;
        for (int v = 0; v < N / some; ++v) {
            auto lanes = atom::lanes_above<Bytes>(words.of[v], atom::ordered_of_key(last_key()));
            for (; lanes; lanes &= lanes - 1) {
                const int e = v * some + std::countr_zero(lanes);
                insert(placed_number::of(convert<float>(run[e]), at + e).word());
            }
        }
    }
    FADE_FN placed_number operator[](int i) const { return placed_number::of_word(found_[i]); }

private:
    FADE_FN std::uint32_t last_key() const {
        const auto last = std::uint32_t(found_[wanted_ - 1] >> 32);
        return last < below_ ? below_ : last;
    }
    FADE_FN void insert(std::uint64_t x) {
        int at = wanted_ - 1;
        if (x <= found_[at]) return;
        for (; at > 0 && x > found_[at - 1]; --at) found_[at] = found_[at - 1];
        found_[at] = x;
    }
    int wanted_;
    std::uint32_t below_;
    std::uint64_t found_[64];
};

/// The `wanted` largest of some elements, in falling order.
class cpu_candidates {
public:
    static constexpr int capacity = 256;
    /// False: there is no place for another.
    FADE_FN bool add(const placed_number& one) {
        of_[count_++] = one.word();
        return count_ < capacity;
    }
    FADE_FN bool full() const { return count_ == capacity; }
    /// Calls f(i, element), i from 0 on.
    template <class F>
    FADE_FN void each_largest(int wanted, F& f) const {
        std::uint64_t in_order[capacity];
        for (int i = 0; i < count_; ++i) {
            int before = 0;
            for (int e = 0; e < count_; ++e) before += of_[e] > of_[i];
            in_order[before] = of_[i];
        }
        for (int i = 0; i < wanted; ++i) f(i, placed_number::of_word(in_order[i]));
    }

private:
    int count_ = 0;
    std::uint64_t of_[capacity];
};

}  // namespace FADE_NAMESPACE::block

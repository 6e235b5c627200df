// Primitives by the standard library, on memory of this CPU.
#pragma once
#include <algorithm>
#include <cstddef>
#include <fade/core/call/primitives.hpp>
#include <numeric>
#include <vector>

namespace FADE_NAMESPACE::backend::host {

/// A key as an unsigned number in its order, and where it stands. Radix sorts order keys alike: a NaN with
/// its sign before all numbers, another behind them, and both zeros equal.
template <class K>
struct placed_key {
    using word = std::conditional_t<sizeof(K) == 8, std::uint64_t,
                                    std::conditional_t<sizeof(K) == 4, std::uint32_t, std::uint16_t>>;
    word order;
    int place;

    static constexpr word order_of(K key) {
        constexpr word sign = word(word(1) << (8 * sizeof(K) - 1));
        const word bits = std::bit_cast<word>(key);
        if constexpr (std::is_integral_v<K>)
            return std::is_signed_v<K> ? word(bits ^ sign) : bits;
        else
            return bits == sign ? sign : word(bits & sign ? word(~bits) : word(bits | sign));
    }
    constexpr bool operator<(const placed_key& o) const {
        return order < o.order || (order == o.order && place < o.place);
    }
};

/// All keys of a list with their places, in the list's order. Sorted, equal keys keep theirs.
template <class K>
std::vector<placed_key<K>> placed_keys(const K* keys, index count, bool descending) {
    using key = placed_key<K>;
    std::vector<key> out(static_cast<std::size_t>(count));
    for (index i = 0; i < count; ++i) {
        const auto order = key::order_of(keys[i]);
        out[std::size_t(i)] = {descending ? typename key::word(~order) : order, int(i)};
    }
    return out;
}

template <class K>
void primitive(const sort_arguments<K>& a) {
    auto all = placed_keys(a.keys, a.count, a.descending);
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size(); ++i) a.sorted[i] = a.keys[all[i].place];
}

template <class K, class V>
void primitive(const sort_pairs_arguments<K, V>& a) {
    auto all = placed_keys(a.keys, a.count, a.descending);
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size(); ++i)
        a.sorted[i] = a.keys[all[i].place], a.sorted_values[i] = a.values[all[i].place];
}

template <class K>
void primitive(const top_k_arguments<K>& a) {
    auto all = placed_keys(a.x, a.count, true);
    std::partial_sort(all.begin(), all.begin() + a.k, all.end());
    for (index i = 0; i < a.k; ++i) {
        const int place = all[std::size_t(i)].place;
        if (a.values) a.values[i] = a.x[place];
        if (a.places) a.places[i] = place;
    }
}

/// As std::inclusive_scan and std::exclusive_scan; f32 is summed in f64.
template <class T>
void primitive(const scan_arguments<T>& a) {
    using sum = std::conditional_t<std::is_same_v<T, float>, double, T>;
    const reduce_pair<reduce_op::sum> add;
    sum all = a.exclusive ? sum(a.first) : sum(0);
    for (index i = 0; i < a.count; ++i) {
        const sum with = add(all, sum(a.x[i]));
        a.out[i] = T(a.exclusive ? all : with), all = with;
    }
}

template <class T>
void primitive(const select_arguments<T>& a) {
    index selected = 0;
    for (index i = 0; i < a.count; ++i)
        if (a.flags[i]) a.out[selected++] = a.x[i];
    *a.selected = int(selected);
}

/// Floats are summed in f64, so that the sum of many is as good as one of few.
template <reduce_op Op, class T>
reduced_t<T> reduced(const T* begin, const T* end) {
    using result = reduced_t<T>;
    using sum = std::conditional_t<std::is_same_v<result, float>, double, result>;
    return result(std::transform_reduce(begin, end, reduce_identity<Op, sum>(), reduce_pair<Op>{},
                                        [](const T& x) { return sum(widened<T>{}(x)); }));
}

template <class T>
void primitive(const reduce_arguments<T>& a) {
    with_reduce_op(a.op, [&](auto op) { *a.out = reduced<op.value>(a.x, a.x + a.count); });
}

template <class T>
void primitive(const segmented_reduce_arguments<T>& a) {
    const segment_edge begin{a.offsets, int(a.count), false}, end{a.offsets, int(a.count), true};
    with_reduce_op(a.op, [&](auto op) {
        for (int s = 0; s < int(a.segments); ++s) a.out[s] = reduced<op.value>(a.x + begin(s), a.x + end(s));
    });
}

template <class T>
void primitive(const histogram_arguments<T>& a) {
    std::fill_n(a.counts, a.bin.bins, 0);
    for (index i = 0; i < a.count; ++i)
        if (const int bin = a.bin(a.x[i]); bin >= 0) ++a.counts[bin];
}

}  // namespace FADE_NAMESPACE::backend::host

namespace FADE_NAMESPACE::backend {

/// Who computes the primitives of a device: the standard library on this CPU. Backends of GPUs say otherwise.
template <class Device>
struct primitive_library {
    static constexpr const char* name = "the C++ standard library";
    static constexpr bool vendor = false;

    template <class Arguments>
    static std::size_t workspace_bytes(Device&, const Arguments&) {
        return 0;
    }
    template <class Arguments>
    static void run(Device&, const Arguments& args, void*, std::size_t) {
        host::primitive(args);
    }
};

}  // namespace FADE_NAMESPACE::backend

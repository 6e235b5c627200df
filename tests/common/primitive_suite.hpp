// Every primitive against references of independent code, over random lists, on one device.
#pragma once
#include "common/property.hpp"
#include <cmath>
#include <cstring>
#include <fade/primitives.hpp>
#include <limits>
#include <map>
#include <random>
#include <vector>

namespace primitives {

/// A list of 0 to a few thousand elements, some of which are equal or special.
template <class T>
std::vector<T> drawn_list() {
    const int max = *rc::gen::element(0, 1, 7, 300, 5000);
    const int count = *rc::gen::inRange(0, max + 1);
    std::mt19937_64 g(std::uint64_t(*rc::gen::arbitrary<int>()));
    std::vector<T> out;
    for (int i = 0; i < count; ++i) {
        if constexpr (std::is_integral_v<T>) {
            out.push_back(T(g() % 3 ? T(g() % 50) : T(g())));
        } else {
            const float special[] = {0.0f, -0.0f, INFINITY, -INFINITY, 1.5f};
            const float x = g() % 5 ? std::normal_distribution<float>{}(g) : special[g() % 5];
            out.push_back(fade::convert<T>(x));
        }
    }
    return out;
}

template <class T>
double number(T x) {
    if constexpr (fade::is_storage<T>)
        return double(fade::to_f32(x));
    else
        return double(x);
}
template <class T>
bool less(const T& a, const T& b) {
    if constexpr (std::is_integral_v<T>)
        return a < b;
    else
        return number(a) < number(b);
}
template <class T>
bool same_bits(const T& a, const T& b) {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

constexpr int poison = -77;

/// A key may stand once before each larger one: an insertion into a map of lists, as no sort does it.
template <class K>
std::vector<int> ordered_places(const std::vector<K>& keys, bool descending) {
    const auto first = [&](const K& a, const K& b) { return descending ? less(b, a) : less(a, b); };
    std::map<K, std::vector<int>, decltype(first)> found(first);
    for (int i = 0; i < int(keys.size()); ++i) found[keys[std::size_t(i)]].push_back(i);
    std::vector<int> out;
    for (const auto& [key, places] : found) out.insert(out.end(), places.begin(), places.end());
    return out;
}

template <class K, class Device>
void check_sorts(Device& device) {
    fade::test::holds("sorted keys and values", 100, [&] {
        const auto keys = drawn_list<K>();
        const bool descending = *rc::gen::arbitrary<bool>();
        const auto count = fade::index(keys.size());
        std::vector<int> values(keys.size()), sorted_values(keys.size() + 1, poison);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = int(i);
        std::vector<K> sorted(keys.size() + 1), alone(keys.size() + 1);
        const auto places = ordered_places(keys, descending);
        fade::sort(device, {count, descending}, keys.data(), alone.data());
        fade::sort_pairs(device, {count, descending}, keys.data(), values.data(), sorted.data(),
                         sorted_values.data());
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const K& right = keys[std::size_t(places[i])];
            RC_ASSERT(same_bits(alone[i], right) && same_bits(sorted[i], right));
            RC_ASSERT(sorted_values[i] == places[i]);
        }
        RC_ASSERT(sorted_values.back() == poison);
    });
}

template <class K, class Device>
void check_top_k(Device& device) {
    fade::test::holds("the k largest", 100, [&] {
        const auto x = drawn_list<K>();
        const auto count = fade::index(x.size());
        const int k = *rc::gen::inRange(0, int(count) + 1);
        std::vector<K> values(std::size_t(k) + 1);
        std::vector<int> places(std::size_t(k) + 1, poison);
        fade::list_top_k(device, {count, k}, x.data(), values.data(), places.data());
        const auto right = ordered_places(x, true);
        for (std::size_t i = 0; i < std::size_t(k); ++i) {
            RC_ASSERT(places[i] == right[i]);
            RC_ASSERT(same_bits(values[i], x[std::size_t(right[i])]));
        }
        RC_ASSERT(places.back() == poison);
    });
}

template <class T, class Device>
void check_scans(Device& device) {
    fade::test::holds("running sums", 100, [&] {
        auto x = drawn_list<T>();
        for (T& e : x)
            if (!std::isfinite(double(e))) e = 2;
        const auto count = fade::index(x.size());
        const T first = T(*rc::gen::inRange(-5, 5));
        std::vector<T> inclusive(x.size()), exclusive = x;
        fade::inclusive_scan(device, {count, true}, x.data(), inclusive.data());
        fade::exclusive_scan(device, {count, true}, exclusive.data(), exclusive.data(), first);
        using sum_type = std::conditional_t<std::is_integral_v<T>, std::uint64_t, long double>;
        sum_type sum = 0;
        long double magnitude = 8;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const auto close = [&](T got, sum_type right) {
                if constexpr (std::is_integral_v<T>)
                    return got == T(right);
                else
                    return std::fabs((long double)(got)-right) <=
                           magnitude * (long double)(i + 4) * std::numeric_limits<T>::epsilon();
            };
            RC_ASSERT(close(exclusive[i], sum + sum_type(first)));
            sum += sum_type(x[i]), magnitude += std::fabs((long double)(x[i]));
            RC_ASSERT(close(inclusive[i], sum));
        }
    });
}

template <class T, class Device>
void check_select(Device& device) {
    fade::test::holds("selected elements", 100, [&] {
        const auto x = drawn_list<T>();
        const auto flags = *rc::gen::container<std::vector<std::uint8_t>>(
            x.size(), rc::gen::element<std::uint8_t>(0, 0, 1, 200));
        std::vector<T> out(x.size() + 1, T{}), right;
        std::vector<int> selected(1, poison);
        fade::select(device, {fade::index(x.size())}, x.data(), flags.data(), out.data(), selected.data());
        for (std::size_t i = 0; i < x.size(); ++i)
            if (flags[i]) right.push_back(x[i]);
        RC_ASSERT(selected[0] == int(right.size()));
        for (std::size_t i = 0; i < right.size(); ++i) RC_ASSERT(same_bits(out[i], right[i]));
        RC_ASSERT(same_bits(out.back(), T{}));
    });
}

/// A result against long double, relative to the sum of magnitudes.
template <class T>
bool is_reduced(fade::reduced_t<T> got, const T* begin, const T* end, fade::reduce_op op) {
    using result = fade::reduced_t<T>;
    long double sum = 0, magnitude = 0;
    std::uint64_t whole = 0;
    bool has = false;
    result edge = 0;
    for (const T* p = begin; p < end; ++p) {
        const result x = result(number(*p));
        const result exact = fade::widened<T>{}(*p);
        sum += (long double)(x), magnitude += std::fabs((long double)(x)), whole += std::uint64_t(exact);
        if (!has || (op == fade::reduce_op::min ? exact < edge : exact > edge)) edge = exact;
        has = true;
    }
    if (op != fade::reduce_op::sum)
        return has ? got == edge
                   : got == (op == fade::reduce_op::min
                                 ? fade::reduce_identity<fade::reduce_op::min, result>()
                                 : fade::reduce_identity<fade::reduce_op::max, result>());
    if constexpr (std::is_integral_v<result>)
        return got == result(whole);
    else if (!std::isfinite(magnitude))
        return std::isnan(sum) ? std::isnan(got) : (long double)(got) == sum;
    else
        return std::fabs((long double)(got)-sum) <=
               magnitude * (64 + (long double)(end - begin) / 256) * std::numeric_limits<result>::epsilon();
}

template <class T, class Device>
void check_reductions(Device& device) {
    const auto ops = rc::gen::element(fade::reduce_op::sum, fade::reduce_op::min, fade::reduce_op::max);
    fade::test::holds("one value of a list", 100, [&] {
        const auto x = drawn_list<T>();
        const auto op = *ops;
        if (x.empty() && op != fade::reduce_op::sum) return;
        std::vector<fade::reduced_t<T>> out(2, fade::reduced_t<T>(poison));  // where a GPU reaches it, too
        for (auto& one : out) fade::reduce(device, {fade::index(x.size()), op}, x.data(), &one);
        RC_ASSERT(is_reduced(out[0], x.data(), x.data() + x.size(), op));
        RC_ASSERT(same_bits(out[0], out[1]));
    });
    fade::test::holds("one value of each segment", 100, [&] {
        const auto x = drawn_list<T>();
        const auto op = *ops;
        const int segments = *rc::gen::inRange(0, 20), count = int(x.size());
        const auto offsets =
            *rc::gen::container<std::vector<int>>(std::size_t(segments) + 1, rc::gen::inRange(-3, count + 4));
        std::vector<fade::reduced_t<T>> out(std::size_t(segments) + 1, fade::reduced_t<T>(poison));
        fade::segmented_reduce(device, {count, segments, op}, x.data(), offsets.data(), out.data());
        for (std::size_t s = 0; s < std::size_t(segments); ++s) {
            const int begin = std::min(std::max(offsets[s], 0), count);
            const int end = std::max(begin, std::min(std::max(offsets[s + 1], 0), count));
            RC_ASSERT(is_reduced(out[s], x.data() + begin, x.data() + end, op));
        }
        RC_ASSERT(out.back() == fade::reduced_t<T>(poison));
    });
}

template <class T, class Device>
void check_histogram(Device& device) {
    fade::test::holds("counts of bins", 100, [&] {
        const auto x = drawn_list<T>();
        const int bins = *rc::gen::element(1, 2, 10, 64);
        const double lower = *rc::gen::inRange(0, 3), upper = lower + *rc::gen::element(1, 4, 16, 64);
        std::vector<int> counts(std::size_t(bins) + 1, poison);
        fade::histogram(device, {fade::index(x.size()), bins, lower, upper}, x.data(), counts.data());
        // Widths of bins are powers of two, or of whole numbers exact: edges are where f64 has them.
        int inside = 0, found = 0;
        for (const T& e : x) inside += number(e) >= lower && number(e) < upper;
        for (int b = 0; b < bins; ++b) found += counts[std::size_t(b)];
        RC_ASSERT(found == inside);
        if (bins == 10 && !std::is_integral_v<T>) return;
        for (int b = 0; b < bins; ++b) {
            const double width = (upper - lower) / bins;
            int right = 0;
            for (const T& e : x)
                right += number(e) >= lower && number(e) < upper &&
                         (number(e) - lower) * bins >= b * (upper - lower) &&
                         (number(e) - lower) * bins < (b + 1) * (upper - lower);
            CAPTURE(width);
            RC_ASSERT(counts[std::size_t(b)] == right);
        }
        RC_ASSERT(counts.back() == poison);
    });
}

template <class Device>
void check_all(Device& device) {
    check_sorts<float>(device), check_sorts<fade::f16>(device), check_sorts<fade::bf16>(device);
    check_sorts<int>(device), check_sorts<std::uint64_t>(device), check_sorts<double>(device);
    check_top_k<float>(device), check_top_k<fade::bf16>(device), check_top_k<std::int64_t>(device);
    check_scans<int>(device), check_scans<std::uint64_t>(device), check_scans<float>(device);
    check_select<float>(device), check_select<fade::f16>(device), check_select<std::int64_t>(device);
    check_reductions<int>(device), check_reductions<float>(device), check_reductions<fade::bf16>(device);
    check_reductions<double>(device);
    check_histogram<float>(device), check_histogram<fade::f16>(device), check_histogram<int>(device);
    check_histogram<std::uint8_t>(device);
}

}  // namespace primitives

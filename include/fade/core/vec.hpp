// A short vector of elements that moves as one piece.
#pragma once
#include <fade/core/config.hpp>
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

constexpr int power_of_two_at_most(int bytes, int limit) {
    int p = 1;
    while (p * 2 <= limit && bytes % (p * 2) == 0) p *= 2;
    return p;
}

/// N elements of T, aligned so that up to 16 bytes move in one access.
template <class T, int N>
struct alignas(power_of_two_at_most(int(sizeof(T)) * N, 16)) vec {
    T e[N];  ///< the elements
    /// Element i, from 0 on.
    FADE_FN constexpr T& operator[](int i) { return e[i]; }
    /// Likewise.
    FADE_FN constexpr const T& operator[](int i) const { return e[i]; }
    static constexpr int size = N;  ///< how many there are
};

}  // namespace FADE_NAMESPACE

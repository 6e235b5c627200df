// Random numbers that are the same on every machine.
#pragma once
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace demo {

/// SplitMix64 (Steele, Lea and Flood, 2014).
class random_source {
public:
    explicit random_source(std::uint64_t seed) : state_(seed) {}

    std::uint64_t bits() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }
    /// In [0, 1), on a grid of 2^-24.
    float uniform() { return float(bits() >> 40) * 0x1p-24f; }
    int below(int n) { return int(bits() % std::uint64_t(n)); }

    /// 0 to n - 1 in any order.
    std::vector<int> permutation(int n) {
        std::vector<int> out(std::size_t(n), 0);
        std::iota(out.begin(), out.end(), 0);
        for (int i = n; i > 1; --i) std::swap(out[std::size_t(i - 1)], out[std::size_t(below(i))]);
        return out;
    }

private:
    std::uint64_t state_;
};

}  // namespace demo

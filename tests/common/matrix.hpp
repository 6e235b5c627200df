// Matrices in memory whose every other element is poison: between their rows, between batches, before and
// after.
#pragma once
#include "common/numbers.hpp"
#include <cstring>
#include <fade/core/dtype.hpp>
#include <random>
#include <vector>

namespace fade::test {

/// How the matrices of a batch lie; `shift` counts elements from an address that is a multiple of 64 bytes.
struct placement {
    index rows = 0, columns = 0, ld = 0, batch = 1, stride = 0, shift = 0;
    index at(index b, index row, index column) const { return b * stride + row * ld + column; }
    bool empty() const { return rows == 0 || columns == 0 || batch == 0; }
    index span() const { return empty() ? 0 : at(batch - 1, rows - 1, columns - 1) + 1; }
};

template <class T>
class matrix {
public:
    explicit matrix(const placement& p)
        : place_(p), memory_(std::size_t(p.span() + p.shift + 3 * guard), poison<T>()) {
        const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
        first_ = std::size_t(guard + index((64 - address % 64) % 64 / sizeof(T)) + p.shift);
    }
    matrix(const matrix&) = delete;  // a copy would lie elsewhere, aligned otherwise

    const placement& place() const { return place_; }
    T* data() { return memory_.data() + first_; }
    const T* data() const { return memory_.data() + first_; }
    T& at(index b, index row, index column) { return data()[place_.at(b, row, column)]; }
    const T& at(index b, index row, index column) const { return data()[place_.at(b, row, column)]; }

    template <class F>
    void each(F f) const {
        for (index b = 0; b < place_.batch; ++b)
            for (index i = 0; i < place_.rows; ++i)
                for (index j = 0; j < place_.columns; ++j) f(b, i, j);
    }

    /// Normal deviates times `scale`, rounded to T.
    void fill(std::mt19937_64& random, double scale) {
        std::normal_distribution<double> normal(0, scale);
        each([&](index b, index i, index j) { at(b, i, j) = nearest<T>(normal(random)); });
    }
    void copy_from(const matrix& other) {
        each([&](index b, index i, index j) { at(b, i, j) = other.at(b, i, j); });
    }

    /// How many elements that are no part of the matrices are not poison any more.
    index disturbed() const {
        std::vector<char> own(memory_.size());
        each([&](index b, index i, index j) { own[first_ + std::size_t(place_.at(b, i, j))] = 1; });
        index count = 0;
        for (std::size_t i = 0; i < memory_.size(); ++i) count += !own[i] && !is_poison(memory_[i]);
        return count;
    }
    const std::vector<T>& bytes() const { return memory_; }
    bool same_bytes(const std::vector<T>& other) const {
        return std::memcmp(memory_.data(), other.data(), memory_.size() * sizeof(T)) == 0;
    }

private:
    static constexpr index guard = 64;
    placement place_;
    std::vector<T> memory_;
    std::size_t first_;
};

}  // namespace fade::test

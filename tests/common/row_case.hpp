// Random rows for row operators, at any address and stride, and what double precision makes of them.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <doctest/doctest.h>
#include <fade/core/call/row_tensor.hpp>
#include <limits>
#include <random>
#include <vector>

namespace rows {

inline std::mt19937& generator() {
    static std::mt19937 g = [] {
        const char* given = std::getenv("ROWS_SEED");
        const unsigned seed = given ? unsigned(std::strtoul(given, nullptr, 10)) : std::random_device{}();
        MESSAGE("ROWS_SEED=" << seed);
        return std::mt19937(seed);
    }();
    return g;
}
inline fade::index drawn(fade::index min, fade::index max) {
    return std::uniform_int_distribution<fade::index>(min, max)(generator());
}

/// Rows of T with gaps between them, which begin anywhere. What is not a row is poisoned, and stays so.
template <class T>
class matrix {
public:
    matrix(fade::index rows, fade::index columns, bool packed)
        : rows_(rows), columns_(columns), stride_(packed ? columns : columns + drawn(0, 9)),
          first_(packed ? 0 : drawn(0, 17)), all_(std::size_t(first_ + rows * stride_ + 1)) {
        std::memset(static_cast<void*>(all_.data()), poison, all_.size() * sizeof(T));
    }
    /// Normal numbers, with outliers and a mean as real activations have them.
    void fill(float deviation = 1, float mean = 0) {
        std::normal_distribution<float> normal(mean, deviation);
        for (fade::index r = 0; r < rows_; ++r)
            for (fade::index c = 0; c < columns_; ++c)
                data()[r * stride_ + c] =
                    fade::convert<T>(normal(generator()) * (drawn(0, 99) == 0 ? 30.0f : 1.0f));
    }
    T* data() { return all_.data() + first_; }
    fade::index stride() const { return stride_; }
    double at(fade::index r, fade::index c) const {
        return double(fade::convert<float>(all_[std::size_t(first_ + r * stride_ + c)]));
    }
    /// Is all that is no row as it was?
    bool gaps_are_poison() const {
        for (fade::index i = 0; i < fade::index(all_.size()); ++i) {
            const fade::index at = i - first_;
            if (at >= 0 && at / stride_ < rows_ && at % stride_ < columns_) continue;
            for (std::size_t b = 0; b < sizeof(T); ++b)
                if (reinterpret_cast<const unsigned char*>(&all_[std::size_t(i)])[b] != poison) return false;
        }
        return true;
    }

private:
    static constexpr int poison = 0xfb;
    fade::index rows_, columns_, stride_, first_;
    std::vector<T> all_;
};

/// ||got - right|| / ||right|| as it grows; where a result is what cancels, `scale` is the size of its terms.
class distance {
public:
    void add(double got, double right) { add(got, right, right); }
    void add(double got, double right, double scale) {
        if (std::isnan(got) != std::isnan(right)) wrong_ = true;
        if (std::isnan(right)) return;
        differences_ += (got - right) * (got - right), squares_ += scale * scale;
    }
    double relative() const {
        if (wrong_) return std::numeric_limits<double>::infinity();
        return squares_ > 0 ? std::sqrt(differences_ / squares_) : std::sqrt(differences_);
    }

private:
    double differences_ = 0, squares_ = 0;
    bool wrong_ = false;
};

/// Half a unit in the last place of T, relative.
template <class T>
constexpr double rounding() {
    return sizeof(T) == 4 ? 0x1p-24 : std::is_same_v<T, fade::f16> ? 0x1p-11 : 0x1p-8;
}
/// What f32 sums and one rounding to Out may be off, relative to the whole.
template <class Out>
constexpr double bound() {
    return 2 * rounding<Out>() + 4e-6;
}

/// What sums of n positive f32 may be off, which at least 32 partial sums share.
inline double bound_of_sums(fade::index n) { return (double(n) / 32 + 40) * 0x1p-24; }

/// Sizes that take each kind of kernel, and their edges.
struct size {
    fade::index rows, columns;
};
inline std::vector<size> sizes() {
    return {{1, 1},       {drawn(2, 9), drawn(2, 300)}, {drawn(2, 5), 512}, {2, drawn(600, 4000)},
            {3, 8 * 200}, {1, drawn(8200, 40000)},      {2, 16384},         {1, drawn(66000, 90000)}};
}

}  // namespace rows

// Do two kernels compute the same? What one wrote is held against what another did.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fade/core/dtype.hpp>
#include <sstream>
#include <string>
#include <type_traits>

namespace FADE_NAMESPACE::detail {

/// How far two kernels of the same call may lie apart, since they add in another order: the norm of the
/// difference over the norm of what is expected (Frobenius). About one unit in the last place of types of 16
/// and 8 bits, which sums of f32 are rounded to; of others a bound that sums of a million terms keep, and
/// that operands of fewer bits break. Of i8 see difference_of_rounded(); other types have to be equal.
template <class T>
inline constexpr double may_differ = 0;
template <>
inline constexpr double may_differ<f64> = 1e-12;
template <>
inline constexpr double may_differ<f32> = 1e-4;
template <>
inline constexpr double may_differ<f16> = 1.0 / 1024;
template <>
inline constexpr double may_differ<bf16> = 1.0 / 128;
template <>
inline constexpr double may_differ<f8e4m3> = 1.0 / 8;
template <>
inline constexpr double may_differ<f8e4m3fnuz> = 1.0 / 8;
template <>
inline constexpr double may_differ<f8e5m2> = 1.0 / 4;
template <>
inline constexpr double may_differ<f8e5m2fnuz> = 1.0 / 4;

/// One number may differ by so much, of itself or of the root mean square of all: 16 times the bound, and
/// never as much as a zero in its place. A tile that is wrong is seen among many that are right.
template <class T>
inline constexpr double one_may_differ = std::min(16 * may_differ<T>, 0.5);

/// By bits: compilers that are told of no infinity forget comparisons.
inline bool is_finite(double x) { return std::bit_cast<std::uint64_t>(x) << 1 < 0xffe0000000000000u; }

/// Sums of two runs of numbers, in a unit that is not 0. NaN is NaN, and infinity itself; both are
/// equal to nothing else, and count for nothing.
class number_differences {
public:
    explicit number_differences(double unit) : unit_(unit) {}
    void add(double expected, double got) {
        if (!is_finite(expected) || !is_finite(got)) {
            const bool same = expected == got || (is_nan(expected) && is_nan(got));
            strange_ += !same;
            return;
        }
        const bool plain = unit_ == 1;
        const double e = plain ? expected : expected / unit_, between = e - (plain ? got : got / unit_);
        ++count_, squares_ += e * e, between_ += between * between;
        largest_ = std::max(largest_, std::abs(between));
    }
    double relative() const { return between_ == 0 ? 0 : std::sqrt(between_ / squares_); }
    double root_mean_square() const { return count_ == 0 ? 0 : unit_ * std::sqrt(squares_ / double(count_)); }
    /// The largest difference of two numbers.
    double largest() const { return unit_ * largest_; }
    std::size_t strange() const { return strange_; }

private:
    double unit_, squares_ = 0, between_ = 0, largest_ = 0;
    std::size_t count_ = 0, strange_ = 0;
};

/// What is wrong with `got`, or nothing: so many bytes of one type each.
using written_difference = std::string(const std::byte* expected, const std::byte* got, std::size_t bytes);

/// The i-th number there.
template <class T>
double number_at(const std::byte* from, std::size_t i) {
    T out;
    std::memcpy(&out, from + i * sizeof(T), sizeof(T));
    if constexpr (std::is_floating_point_v<T> || std::is_integral_v<T>)
        return double(out);
    else
        return double(to_f32(out));
}

/// Of integers that floating results were rounded to: a few lie between two, and are rounded the other way.
inline std::string difference_of_rounded(const std::byte* expected, const std::byte* got, std::size_t count) {
    std::size_t others = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double e = number_at<i8>(expected, i), g = number_at<i8>(got, i);
        std::ostringstream words;
        words << "a number is " << g << " in the place of " << e;
        if (std::abs(e - g) > 1) return words.str();
        others += e != g;
    }
    return others <= 1 + count / 256 ? "" : std::to_string(others) + " numbers are rounded otherwise";
}

/// That of floating numbers of T. Padding between rows has the same bits in both.
template <class T>
std::string difference_of_floats(const std::byte* expected, const std::byte* got, std::size_t count) {
    if (std::memcmp(expected, got, count * sizeof(T)) == 0) return "";
    const auto each = [&](auto f) {
        for (std::size_t i = 0; i < count; ++i) f(number_at<T>(expected, i), number_at<T>(got, i));
    };
    double unit = 0;  // the largest number; squares of smaller types neither overflow nor vanish
    if constexpr (std::is_same_v<T, f64>)
        each([&](double e, double g) {
            for (const double x : {std::abs(e), std::abs(g)})
                if (is_finite(x)) unit = std::max(unit, x);
        });
    number_differences all(unit > 0 ? unit : 1);
    each([&](double e, double g) { all.add(e, g); });
    std::ostringstream words;
    words.precision(2);
    if (all.strange() > 0) {
        words << all.strange() << " of " << count << " numbers are NaN or infinite in one of the two";
    } else if (all.relative() > may_differ<T>) {
        words << "it differs by " << all.relative() << " of its norm, and may by " << may_differ<T>;
    } else {
        const double usual = all.root_mean_square();
        if (all.largest() > one_may_differ<T> * usual)
            each([&](double e, double g) {
                const double bound = one_may_differ<T> * std::max(std::abs(e), usual);
                if (words.tellp() == 0 && is_finite(e) && std::abs(e - g) > bound)
                    words << "a number is " << g << " in the place of " << e;
            });
    }
    return words.str();
}

/// That of elements of T.
template <class T>
std::string difference_of(const std::byte* expected, const std::byte* got, std::size_t bytes) {
    if constexpr (may_differ<T> > 0)
        return difference_of_floats<T>(expected, got, bytes / sizeof(T));
    else if constexpr (std::is_same_v<T, i8>)
        return difference_of_rounded(expected, got, bytes);
    else
        return std::memcmp(expected, got, bytes) == 0 ? "" : "numbers that must be equal are not";
}

}  // namespace FADE_NAMESPACE::detail

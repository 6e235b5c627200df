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
/// that operands of fewer bits break. Other types have to be equal.
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

/// One number may differ by so many times the bound, of itself or of the root mean square of all: a tile
/// that is wrong is seen among many that are right.
inline constexpr double worst_over_bound = 16;

/// By bits: compilers that are told of no infinity forget comparisons.
inline bool is_finite(double x) { return std::bit_cast<std::uint64_t>(x) << 1 < 0xffe0000000000000u; }

/// Sums of two runs of numbers. NaN is NaN, and infinity itself; both are equal to nothing else.
class number_differences {
public:
    void add(double expected, double got) {
        ++count_;
        if (expected == got || (is_nan(expected) && is_nan(got))) {
            if (is_finite(expected)) squares_ += expected * expected;
            return;
        }
        if (!is_finite(expected) || !is_finite(got)) {
            ++strange_;
            return;
        }
        squares_ += expected * expected, between_ += (expected - got) * (expected - got);
    }
    double relative() const { return between_ == 0 ? 0 : std::sqrt(between_ / squares_); }
    double root_mean_square() const { return std::sqrt(squares_ / double(count_)); }
    std::size_t strange() const { return strange_; }

private:
    double squares_ = 0, between_ = 0;
    std::size_t count_ = 0, strange_ = 0;
};

/// What is wrong with `got`, or nothing: so many bytes of one type each.
using written_difference = std::string(const std::byte* expected, const std::byte* got, std::size_t bytes);

/// That of elements of T. Padding between rows has the same bits in both.
template <class T>
std::string difference_of(const std::byte* expected, const std::byte* got, std::size_t bytes) {
    if constexpr (may_differ<T> == 0)
        return std::memcmp(expected, got, bytes) == 0 ? "" : "numbers that must be equal are not";
    else {
        const auto at = [](const std::byte* from, std::size_t i) {
            T out;
            std::memcpy(&out, from + i * sizeof(T), sizeof(T));
            if constexpr (std::is_floating_point_v<T>)
                return double(out);
            else
                return double(to_f32(out));
        };
        const std::size_t count = bytes / sizeof(T);
        number_differences all;
        for (std::size_t i = 0; i < count; ++i) all.add(at(expected, i), at(got, i));
        std::ostringstream words;
        words.precision(2);
        if (all.strange() > 0) {
            words << all.strange() << " of " << count << " numbers are NaN or infinite in one of the two";
            return words.str();
        }
        if (all.relative() > may_differ<T>) {
            words << "it differs by " << all.relative() << " of its norm, and may by " << may_differ<T>;
            return words.str();
        }
        const double bound = worst_over_bound * may_differ<T>, usual = all.root_mean_square();
        for (std::size_t i = 0; i < count; ++i) {
            const double e = at(expected, i), g = at(got, i);
            if (std::abs(e - g) <= bound * std::max(std::abs(e), usual) || !is_finite(e)) continue;
            words << "a number is " << g << " in the place of " << e;
            return words.str();
        }
        return "";
    }
}

}  // namespace FADE_NAMESPACE::detail

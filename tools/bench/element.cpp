#include "element.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <type_traits>

namespace fade::bench {
namespace {

constexpr double power_of_two(int e) {
    double x = 1;
    for (; e > 0; --e) x *= 2;
    for (; e < 0; ++e) x /= 2;
    return x;
}

/// What the bits beside numbers say: the largest exponent is infinity and NaN, only its last number is NaN,
/// or NaN is what would be minus zero.
enum class specials { ieee, last_is_nan, minus_zero_is_nan };

/// Bits of the significand with the one that is not stored, exponents of the least and of the largest value.
struct format {
    int significand, lowest, highest;
    specials beside = specials::ieee;

    constexpr int stored() const { return significand - 1; }
    /// What the largest value has beside its exponent.
    constexpr double top() const {
        return 2 - power_of_two((beside == specials::last_is_nan ? 2 : 1) - significand);
    }
    constexpr int exponents() const {
        return highest - lowest - stored() + (beside == specials::ieee ? 3 : 2);
    }
};

/// The number that these bits are, by the definition of their format and none of the library's conversions:
/// with those a reference would read what the code under test reads, right or wrong.
double value_of(format f, int width, unsigned bits) {
    const unsigned sign = bits >> (width - 1), rest = bits - (sign << (width - 1));
    const int exponent = int(rest >> f.stored()), part = int(rest - (unsigned(exponent) << f.stored()));
    const bool last = exponent == f.exponents() - 1, full = part == (1 << f.stored()) - 1;
    if (f.beside == specials::minus_zero_is_nan && sign && rest == 0) return NAN;
    if (f.beside == specials::last_is_nan && last && full) return NAN;
    if (f.beside == specials::ieee && last) return part ? NAN : sign ? -INFINITY : INFINITY;
    const double whole = exponent ? part + (1 << f.stored()) : part;
    return (sign ? -whole : whole) * power_of_two(f.lowest + (exponent ? exponent - 1 : 0));
}

/// Of all bits of a format of 8 or 16.
template <class T, format Format>
const std::vector<double>& values() {
    static const std::vector<double> all = [] {
        std::vector<double> out(std::size_t(1) << 8 * sizeof(T));
        for (unsigned bits = 0; bits < out.size(); ++bits) out[bits] = value_of(Format, 8 * sizeof(T), bits);
        return out;
    }();
    return all;
}

template <class T>
void encode(const double* from, void* to, index count) {
    for (index i = 0; i < count; ++i) static_cast<T*>(to)[i] = convert<T>(from[i]);
}

/// Of a type that the language has.
template <class T>
void decode(const void* from, index first, index step, index count, double* to) {
    const T* at = static_cast<const T*>(from) + first;
    for (index i = 0; i < count; ++i) to[i] = double(at[i * step]);
}

template <class T, format Format>
void decode_small(const void* from, index first, index step, index count, double* to) {
    using bits = std::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint16_t>;
    const std::vector<double>& number = values<T, Format>();
    const char* at = static_cast<const char*>(from) + first * index(sizeof(T));
    for (index i = 0; i < count; ++i) {
        bits one;
        std::memcpy(&one, at + i * step * index(sizeof(T)), sizeof one);
        to[i] = number[one];
    }
}

template <class T, format Format, class Out = T>
constexpr element real() {
    element out{.name = name(dtype_v<T>),
                .type = dtype_v<T>,
                .output = dtype_v<Out>,
                .bytes = sizeof(T),
                .integer = false,
                .unit = power_of_two(-Format.significand),
                .min = power_of_two(Format.lowest),
                .max = Format.top() * power_of_two(Format.highest),
                .encode = encode<T>,
                .decode = nullptr};
    if constexpr (sizeof(T) <= 2)
        out.decode = decode_small<T, Format>;
    else
        out.decode = decode<T>;
    return out;
}

template <class T, class Out = T>
constexpr element whole(double max) {
    return {.name = name(dtype_v<T>),
            .type = dtype_v<T>,
            .output = dtype_v<Out>,
            .bytes = sizeof(T),
            .integer = true,
            .unit = 0,
            .min = 0,
            .max = max,
            .encode = encode<T>,
            .decode = decode<T>};
}

// A new type is a line here, and one in instances/output_of.hpp where its default output is another type.
constexpr element elements[] = {
    real<f64, format{53, -1074, 1023}>(),
    real<f32, format{24, -149, 127}>(),
    real<f16, format{11, -24, 15}>(),
    real<bf16, format{8, -133, 127}>(),
    real<f8e4m3, format{4, -9, 8, specials::last_is_nan}, bf16>(),
    real<f8e5m2, format{3, -16, 15}, bf16>(),
    real<f8e4m3fnuz, format{4, -10, 7, specials::minus_zero_is_nan}, bf16>(),
    real<f8e5m2fnuz, format{3, -17, 15, specials::minus_zero_is_nan}, bf16>(),
    whole<i8, i32>(127),
    whole<i32>(2147483647),
};

}  // namespace

const element* find_element(std::string_view name) {
    const auto found = std::ranges::find(elements, name, &element::name);
    return found == std::end(elements) ? nullptr : found;
}

const element& element_of(fade::dtype type) { return *std::ranges::find(elements, type, &element::type); }

std::vector<std::string_view> element_names() {
    std::vector<std::string_view> out;
    std::ranges::transform(elements, std::back_inserter(out), &element::name);
    return out;
}

}  // namespace fade::bench

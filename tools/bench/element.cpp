#include "element.hpp"
#include <algorithm>
#include <iterator>

namespace fade::bench {
namespace {

template <class T>
void encode(const double* from, void* to, index count) {
    for (index i = 0; i < count; ++i) static_cast<T*>(to)[i] = convert<T>(from[i]);
}

template <class T>
void decode(const void* from, index first, index step, index count, double* to) {
    const T* at = static_cast<const T*>(from) + first;
    for (index i = 0; i < count; ++i) to[i] = convert<double>(at[i * step]);
}

constexpr double power_of_two(int e) {
    double x = 1;
    for (; e > 0; --e) x *= 2;
    for (; e < 0; ++e) x /= 2;
    return x;
}

/// Bits of the significand, exponents of the least and the largest value, and what the latter has beside its exponent.
struct format {
    int significand, lowest, highest;
    double top = 2 - power_of_two(1 - significand);
};

template <class T, class Out = T>
constexpr element real(format f) {
    return {.name = name(dtype_v<T>), .type = dtype_v<T>, .output = dtype_v<Out>, .bytes = sizeof(T), .integer = false,
            .unit = power_of_two(-f.significand), .least = power_of_two(f.lowest), .most = f.top * power_of_two(f.highest),
            .encode = encode<T>, .decode = decode<T>};
}

template <class T, class Out = T>
constexpr element whole(double most) {
    return {.name = name(dtype_v<T>), .type = dtype_v<T>, .output = dtype_v<Out>, .bytes = sizeof(T), .integer = true,
            .unit = 0, .least = 0, .most = most, .encode = encode<T>, .decode = decode<T>};
}

// A new type is a line here, and one in instances/output_of.hpp where its default output is another type.
constexpr element elements[] = {
    real<f64>({.significand = 53, .lowest = -1074, .highest = 1023}),
    real<f32>({.significand = 24, .lowest = -149, .highest = 127}),
    real<f16>({.significand = 11, .lowest = -24, .highest = 15}),
    real<bf16>({.significand = 8, .lowest = -133, .highest = 127}),
    real<f8e4m3, bf16>({.significand = 4, .lowest = -9, .highest = 8, .top = 1.75}),
    real<f8e5m2, bf16>({.significand = 3, .lowest = -16, .highest = 15}),
    real<f8e4m3fnuz, bf16>({.significand = 4, .lowest = -10, .highest = 7}),
    real<f8e5m2fnuz, bf16>({.significand = 3, .lowest = -17, .highest = 15}),
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

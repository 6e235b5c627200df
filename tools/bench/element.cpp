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

/// Bits of the significand, least and largest exponent of a value.
struct format {
    int significand, lowest, highest;
};

constexpr double power_of_two(int e) {
    double x = 1;
    for (; e > 0; --e) x *= 2;
    for (; e < 0; ++e) x /= 2;
    return x;
}

template <class T, class Out = T>
constexpr element held(format f) {
    return {.name = name(dtype_v<T>), .type = dtype_v<T>, .output = dtype_v<Out>, .bytes = sizeof(T),
            .unit = power_of_two(-f.significand), .least = power_of_two(f.lowest),
            .most = (2 - power_of_two(1 - f.significand)) * power_of_two(f.highest),
            .encode = encode<T>, .decode = decode<T>};
}

// A new type is a line here, and one in the list of instances.
constexpr element elements[] = {
    held<f32>({.significand = 24, .lowest = -149, .highest = 127}),
    held<f16>({.significand = 11, .lowest = -24, .highest = 15}),
    held<bf16>({.significand = 8, .lowest = -133, .highest = 127}),
};

constexpr std::string_view names[] = {"f64",    "f32",    "f16",        "bf16",       "i8",
                                      "f8e4m3", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz", "i32"};

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

bool is_element_name(std::string_view name) { return std::ranges::count(names, name) > 0; }

}  // namespace fade::bench

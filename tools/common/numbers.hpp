// Words of a command line as numbers: the whole word or nothing.
#pragma once
#include "refusal.hpp"
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace fade::tools {

template <class T>
bool is_number(std::string_view word, T& value) {
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
    return failure == std::errc() && end == word.data() + word.size();
}

/// A whole number from `min` on; `what` is the argument's name in the refusal.
inline std::int64_t whole(std::string_view what, std::string_view word, std::int64_t min = 0) {
    std::int64_t value = 0;
    if (is_number(word, value) && value >= min) return value;
    throw refusal(std::string(what) + " is " + quoted(word) + ", but must be a whole number from " +
                  std::to_string(min) + " on.");
}

inline std::uint64_t seed_number(std::string_view what, std::string_view word) {
    std::uint64_t value = 0;
    if (is_number(word, value)) return value;
    throw refusal(std::string(what) + " is " + quoted(word) +
                  ", but must be a whole number from 0 to 2^64 - 1.");
}

inline double real(std::string_view what, std::string_view word) {
    double value = 0;
    if (is_number(word, value) && std::isfinite(value)) return value;
    throw refusal(std::string(what) + " is " + quoted(word) + ", but must be a finite number.");
}

}  // namespace fade::tools

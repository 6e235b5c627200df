// A value with its provenance: what it is, what was reported, from which source, and why.
#pragma once
#include <cstdint>
#include <fade/core/namespace.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace FADE_NAMESPACE::truth {

/// Unknown has no value and says why; a corrected value differs from what was reported and says why.
template <class T>
struct field {
    std::optional<T> value, reported;
    std::string source, why;
    bool corrected = false;

    explicit operator bool() const { return value.has_value(); }
    const T& operator*() const { return *value; }
};

using count = field<std::uint64_t>;
using text = field<std::string>;
using rate = field<double>;
using list = field<std::vector<std::uint64_t>>;

template <class T>
field<T> unknown(std::string why, std::optional<T> reported = {}) {
    return {.value = {}, .reported = std::move(reported), .source = {}, .why = std::move(why)};
}

/// A value and its source; it counts as corrected where something else was reported.
template <class T>
field<T> known(T value, std::string source, std::string why, std::optional<T> reported = {}) {
    const bool differs = reported && *reported != value;
    return {.value = std::move(value),
            .reported = std::move(reported),
            .source = std::move(source),
            .why = std::move(why),
            .corrected = differs};
}

/// Two sources that disagree; both are kept.
struct conflict {
    std::string field, source, said, other_source, other_said, verdict;
};

}  // namespace FADE_NAMESPACE::truth

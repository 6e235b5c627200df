// What headers ask of short lists: <algorithm> for these alone would be a tenth of what a call includes.
#pragma once
#include <cstddef>
#include <fade/core/namespace.hpp>
#include <utility>

namespace FADE_NAMESPACE {

/// Is one of the list's elements equal to the value?
template <class List, class T>
constexpr bool holds_value(const List& list, const T& value) {
    for (const auto& one : list)
        if (one == value) return true;
    return false;
}

/// Puts those in front that come before others, and leaves equal ones in their order. Takes steps of the
/// square of the length.
template <class List, class Before>
constexpr void sort_few(List& list, Before before) {
    for (std::size_t i = 1; i < list.size(); ++i)
        for (std::size_t j = i; j > 0 && before(list[j], list[j - 1]); --j) std::swap(list[j], list[j - 1]);
}

}  // namespace FADE_NAMESPACE

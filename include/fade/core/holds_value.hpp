// Whether a list holds a value, for headers that would otherwise include <algorithm> for that alone.
#pragma once
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

template <class List, class T>
constexpr bool holds_value(const List& list, const T& value) {
    for (const auto& one : list)
        if (one == value) return true;
    return false;
}

}  // namespace FADE_NAMESPACE

// The names and sizes of the element types. It comes before the types, since compilers warn of an enumerator
// that has the name of a type they have seen.
#pragma once
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

enum class dtype { f64, f32, f16, bf16, i8, i32, f8e4m3, f8e5m2, f8e4m3fnuz, f8e5m2fnuz };

constexpr const char* name(dtype t) {
    constexpr const char* names[] = {"f64", "f32",    "f16",    "bf16",       "i8",
                                     "i32", "f8e4m3", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz"};
    return names[int(t)];
}

constexpr int bytes_of(dtype t) {
    constexpr int bytes[] = {8, 4, 2, 2, 1, 4, 1, 1, 1, 1};
    return bytes[int(t)];
}

}  // namespace FADE_NAMESPACE

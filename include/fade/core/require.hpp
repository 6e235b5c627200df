// Rules that an argument must keep.
#pragma once
#include <fade/core/dtype.hpp>
#include <fade/core/error.hpp>
#include <string>

namespace FADE_NAMESPACE {

inline void require(bool holds, const char* argument, index value, const std::string& rule) {
    if (!holds) throw error(argument, std::to_string(value), rule);
}

inline void require_real(bool holds, const char* argument, double value, const std::string& rule) {
    if (!holds) throw error(argument, std::to_string(value), rule);
}

}  // namespace FADE_NAMESPACE

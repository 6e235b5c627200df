// Rules that an argument must keep.
#pragma once
#include <string>
#include <fade/core/dtype.hpp>
#include <fade/core/error.hpp>

namespace fade {

inline void require(bool holds, const char* argument, index value, const std::string& rule) {
    if (!holds) throw error(argument, std::to_string(value), rule);
}

inline void require_real(bool holds, const char* argument, double value, const std::string& rule) {
    if (!holds) throw error(argument, std::to_string(value), rule);
}

}  // namespace fade

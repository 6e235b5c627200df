// The element types by name, and their values as doubles.
#pragma once
#include <fade/core/dtype.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace fade::bench {

/// What the program must know of an element type to fill, read and judge buffers of it.
struct element {
    std::string_view name;
    fade::dtype type;
    fade::dtype output;  ///< the default type of the result
    int bytes;
    bool integer;
    double unit;  ///< the largest relative error of rounding to this type
    double min;   ///< the smallest positive value
    double max;   ///< the largest finite value
    void (*encode)(const double* from, void* to, index count);
    void (*decode)(const void* from, index first, index step, index count, double* to);
};

/// The element type of that name; nullptr where there is none.
const element* find_element(std::string_view name);

const element& element_of(fade::dtype type);

/// The names of all element types.
std::vector<std::string_view> element_names();

}  // namespace fade::bench

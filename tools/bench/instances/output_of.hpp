// The output type that this program holds for each input type. A new type is a line here and one in element.cpp.
#pragma once
#include <fade/core/dtype.hpp>

namespace fade::bench {

template <class In>
struct output_of {
    using type = In;
};
template <>
struct output_of<i8> {
    using type = i32;
};

template <class In>
using output_t = typename output_of<In>::type;

}  // namespace fade::bench

// The types that an object holds an operation of: FADE_C_TYPES, a list. What they share, words and choices
// and tuning, is compiled once for all of them.
#pragma once
#include "device.hpp"

namespace fade::c {

/// add<In>() for every type of a list.
template <class... Ins, class Add>
bool of_types(Add add) {
    (add.template operator()<Ins>(), ...);
    return true;
}

/// add<In>() for every type of this object; true, so that a constant's initialization can be it.
template <class Add>
bool of_each_type(Add add) {
    return of_types<FADE_C_TYPES>(add);
}

}  // namespace fade::c

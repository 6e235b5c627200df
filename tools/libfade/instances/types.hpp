// The types that an object holds an operation of: FADE_C_TYPES, a list. What they share, words and choices
// and tuning, is compiled once for all of them.
#pragma once
#include "device.hpp"

namespace fade::c {

/// Names a type in a call.
template <class In>
struct type_of {};

/// add(type_of<In>) for every type of a list.
template <class... Ins, class Add>
bool of_types(Add add) {
    (add(type_of<Ins>{}), ...);
    return true;
}

/// add(type_of<In>) for every type of this object; true, so that a constant can be initialized by it. Each
/// object has a list of its own, and so a function of its own.
template <class Add>
static bool of_each_type(Add add) {
    return of_types<FADE_C_TYPES>(add);
}

}  // namespace fade::c

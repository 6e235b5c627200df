// The types that an object holds an operation of: FADE_C_TYPES, a list. What they share, words and choices
// and tuning, is compiled once for all of them.
#pragma once
#include "device.hpp"

namespace fade::c {

/// Of<In> for every type of a list; its members and bases enter what they hold when they are made.
template <template <class> class Of, class... Ins>
struct of_types : Of<Ins>... {};

/// Of<In> for every type of this object.
template <template <class> class Of>
using of_each = of_types<Of, FADE_C_TYPES>;

}  // namespace fade::c

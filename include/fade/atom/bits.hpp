// Moving a vec into the compiler's own vector types and back.
#pragma once
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::atom {

template <class To, class From>
FADE_FN constexpr To bits(const From& x) {
    static_assert(sizeof(To) == sizeof(From));
    return __builtin_bit_cast(To, x);
}

}  // namespace FADE_NAMESPACE::atom

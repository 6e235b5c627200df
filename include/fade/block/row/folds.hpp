// What passes over a row fold by: types of their own, so that kernels share what combines waves.
#pragma once
#include <fade/core/config.hpp>
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE::block {

/// What row::sums() gives.
struct two_sums {
    float first;   ///< of the first function
    float second;  ///< of the second one
};

/// The largest logit of a row, and the sum of the exponentials of what lies below it.
struct row_normalizer {
    float largest, sum;
};

/// The mean of a row, and the sum of squares around it.
struct row_moments {
    float mean, squares;
};

struct add_floats {
    FADE_FN float operator()(float a, float b) const { return a + b; }
    /// The same of each lane of a CPU's vectors.
    template <class Lanes>
    FADE_FN static void fold_lanes(typename Lanes::vector& to, const typename Lanes::vector& with) {
        to += with;
    }
};
/// A NaN on the right is passed over.
struct larger_float {
    FADE_FN float operator()(float a, float b) const { return a < b ? b : a; }
    /// The same of each lane of a CPU's vectors.
    template <class Lanes>
    FADE_FN static void fold_lanes(typename Lanes::vector& to, const typename Lanes::vector& with) {
        to = to < with ? with : to;
    }
};
struct add_two_sums {
    FADE_FN two_sums operator()(const two_sums& a, const two_sums& b) const {
        return {a.first + b.first, a.second + b.second};
    }
};

}  // namespace FADE_NAMESPACE::block

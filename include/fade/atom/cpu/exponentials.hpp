// Exponentials of numbers below the largest of a row, two vectors at once.
#pragma once
#include <fade/atom/cpu/pairs.hpp>
#include <fade/atom/cpu/softmax.hpp>

namespace FADE_NAMESPACE::atom {

/// x becomes exp(x - largest), of what is not above it; below 2^-126 it may be 0, and of minus infinity it
/// is. With AVX-512 these are 2^(x factor - base) by one rounding. `base` is rounded too, so all are too
/// large by the same factor, which corrected() takes out of a sum. Beyond 2^30, where neighbours are 64
/// apart, powers of two serve as well as those of e: their base is exact. Short: the polynomial has one
/// degree less and is 2.9e-6 off at most.
template <int Bytes, bool Short>
class exponentials_below {
    using lanes = lanes_of<float, Bytes>;
    using floats = typename lanes::vector;
    static constexpr bool wide = Bytes == 64 && takes_instructions<Bytes>;

public:
    FADE_CPU explicit exponentials_below(float largest) : largest_(largest) {
        factor_ = __builtin_fabsf(largest) < 1073741824.0f ? 1.44269504f : 1.0f;
        base_ = largest * factor_;
    }
    FADE_CPU void of(floats& x) const {
        if constexpr (wide) {
            floats n;
            raise(x, n);
        } else {
            x = (x - largest_) * 1.44269504f;
            power_of_two_lanes<Bytes>(x);
        }
    }
    FADE_CPU float corrected(float sum) const {
        if constexpr (!wide) return sum;
        // What base_ has lost.
        const float lost = float(double(largest_) * double(factor_) - double(base_));
        return sum * __builtin_exp2f(-lost);
    }

private:
    FADE_CPU void raise([[maybe_unused]] floats& x, [[maybe_unused]] floats& n) const {
#if FADE_VECTOR_INSTRUCTIONS
        const floats factor = floats{} + factor_, base = floats{} + base_;
        __asm__("vfmsub132ps {%2, %3, %0|%0, %3, %2}\n\t"
                "vrndscaleps {$8, %0, %1|%1, %0, 8}"
                : "+v"(x), "=&v"(n)
                : "v"(factor), "v"(base));
        x -= n;
        power_of_fraction(x);
        __asm__("vscalefps {%1, %0, %0|%0, %0, %1}" : "+v"(x) : "v"(n));
#endif
    }
    FADE_CPU static void power_of_fraction(floats& x) {
        if constexpr (Short) {
            const floats f = x;
            x = f * 9.58281849e-3f + 5.59063703e-2f;
            x = x * f + 2.40240991e-1f, x = x * f + 6.93124175e-1f, x = x * f + 1.0f;
        } else {
            atom::power_of_fraction<Bytes>(x);
        }
    }
    float largest_, factor_, base_;
};

}  // namespace FADE_NAMESPACE::atom

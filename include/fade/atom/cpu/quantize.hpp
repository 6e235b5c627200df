// What a quantisation does with the numbers of a row on a CPU, a vector at once: their largest magnitude, and
// what they are over a factor.
#pragma once
#include <cstdint>
#include <fade/atom/cpu/isa.hpp>
#include <fade/atom/cpu/pairs.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/number/quotient.hpp>
#include <fade/core/shape.hpp>

namespace FADE_NAMESPACE::atom {

/// Raises `largest` to the largest finite magnitude of a row.
struct raise_to_magnitudes {
    template <int Bytes, class In>
    FADE_CPU static void apply(float* largest, const In* x, int count) {
        using lanes = lanes_of<float, Bytes>;
        using word = vector<std::int32_t, Bytes>;
        word found = word{} + __builtin_bit_cast(std::int32_t, *largest);
        int e = 0;
        for (; e + lanes::count <= count; e += lanes::count) {
            typename lanes::vector numbers;
            lanes::load(numbers, x + e);
            const word all = (word)numbers & 0x7fffffff, finite = all & (word)(all < 0x7f800000);
            const word more = (word)(finite > found);
            found = (more & finite) | (~more & found);
        }
        for (int lane = 0; lane < lanes::count; ++lane)
            *largest = max_of(*largest, __builtin_bit_cast(float, std::int32_t(found[lane])));
        for (; e < count; ++e) *largest = max_of(*largest, finite_magnitude(convert<float>(x[e])));
    }
};

/// out = quotient(x, factor), rounded.
struct divide_row {
    template <int Bytes, class Out, class In>
    FADE_CPU static void apply(Out* out, const In* x, float factor, int count) {
        using lanes = lanes_of<float, Bytes>;
        // A power of two leaves the bits of a number: nothing is rounded before the end.
        const bool exact = (__builtin_bit_cast(std::uint32_t, factor) & 0x7fffffu) == 0;
        int e = 0;
        for (; e + lanes::count <= count; e += lanes::count) {
            typename lanes::vector numbers;
            lanes::load(numbers, x + e);
            numbers /= factor;
            if (exact || !may_tie<Bytes>(numbers))
                lanes::store(out + e, numbers);
            else
                divide_each(out + e, x + e, factor, lanes::count);
        }
        divide_each(out + e, x + e, factor, count - e);
    }

private:
    /// Zero is none, and what became zero was closest to it.
    template <int Bytes>
    FADE_CPU static bool may_tie(const vector<float, Bytes>& quotients) {
        using word = vector<std::int32_t, Bytes>;
        const word bits = (word)quotients;
        word lower, any;
        exceeding<Bytes>(lower, bits & int(below_ties), 0), exceeding<Bytes>(any, bits & 0x7fffffff, 0);
        const word tie = ~lower & any;
        const auto& ties = (const vector<float, Bytes>&)tie;
        return any_nan<Bytes>(ties, ties);
    }
    template <class Out, class In>
    FADE_CPU static void divide_each(Out* out, const In* x, float factor, int count) {
        for (int e = 0; e < count; ++e) out[e] = convert<Out>(quotient(convert<float>(x[e]), factor));
    }
};

}  // namespace FADE_NAMESPACE::atom

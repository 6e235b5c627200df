// The CPU's atom: a micro-kernel that multiplies strips of A by panels of B.
#pragma once
#include <fade/atom/cpu/dot.hpp>
#include <fade/atom/shape.hpp>

namespace FADE_NAMESPACE::atom {

/// T: what is multiplied and summed.
template <class T>
struct cpu {
    using element = T;
    using accumulator = T;
    using whole = whole_elements<T>;
    static constexpr operand_order order = operand_order::panel;
    static constexpr int m = micro_rows, n = 128 / int(sizeof(T)), k = 1, lanes = 1;
    static constexpr bool may_pack = false;

    /// Multiplies the first of `rows` rows and says how many.
    static int execute(int rows, const micro_product<T>& p) { return micro_kernel(rows, p); }
};

/// Inputs of type In are multiplied in packs where this CPU has instructions for them, else as T.
template <class T, class In>
struct packing_cpu : cpu<T> {
    using packs = packs_for<In>;
    static constexpr bool may_pack = may_have_packs;

    using cpu<T>::execute;
    static int execute(int rows, const packed_product<T, packs>& p) { return dot_kernel(rows, p); }
};

}  // namespace FADE_NAMESPACE::atom

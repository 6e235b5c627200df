// The CPU's atom: a micro-kernel that multiplies strips of A by panels of B.
#pragma once
#include <fade/atom/cpu_micro.hpp>
#include <fade/atom/shape.hpp>

namespace fade::atom {

template <class T>
struct cpu {
    using element = T;
    using accumulator = T;
    static constexpr operand_order order = operand_order::panel;
    static constexpr int m = micro_rows, n = 128 / int(sizeof(T)), k = 1, lanes = 1;

    /// Multiplies the first of `rows` rows and says how many.
    static int execute(int rows, const micro_product<T>& p) { return micro_kernel(rows, p); }
};

}  // namespace fade::atom

// Products whose two operands have different types.
#pragma once
#include <fade/core/dtype.hpp>
#include <string>
#include <type_traits>

namespace FADE_NAMESPACE {

/// The In of a gemm whose A has elements of type A, and whose B has those of type B: two different 8-bit
/// floats of one kind (OCP, or FNUZ). Kernels move an element of either by this type, as bits alone.
template <class A, class B>
struct operand_pair {
    std::uint8_t bits;  ///< as in memory
};
template <class T>
inline constexpr bool is_fnuz = std::is_same_v<T, f8e4m3fnuz> || std::is_same_v<T, f8e5m2fnuz>;
template <class A, class B>
struct dtype_of<operand_pair<A, B>> {
    static constexpr bool floats = is_float8<A> && is_float8<B>;
    static_assert(floats,
                  "the operands of a product have two types only where both are 8-bit floats: convert "
                  "one to the type of the other");
    static_assert(!floats || !std::is_same_v<A, B>,
                  "both operands have one type: name that as In, without operand_pair");
    static_assert(!floats || is_fnuz<A> == is_fnuz<B>,
                  "no GPU multiplies OCP's 8-bit floats by FNUZ ones: convert one operand to the kind of the "
                  "other");
    using accumulator = f32;
};

template <class In>
struct operand_types {
    using a = In;
    using b = In;
    static constexpr bool differ = false;
};
template <class A, class B>
struct operand_types<operand_pair<A, B>> {
    using a = A;
    using b = B;
    static constexpr bool differ = true;
};
/// What the elements of A are, and those of B.
template <class In>
using element_of_a = typename operand_types<In>::a;
template <class In>
using element_of_b = typename operand_types<In>::b;
template <class In>
inline constexpr bool is_operand_pair = operand_types<In>::differ;

/// The type In in words.
template <class In>
std::string input_name() {
    if constexpr (is_operand_pair<In>)
        return std::string(name(dtype_v<element_of_a<In>>)) + " by " + name(dtype_v<element_of_b<In>>);
    else
        return name(dtype_v<In>);
}

}  // namespace FADE_NAMESPACE

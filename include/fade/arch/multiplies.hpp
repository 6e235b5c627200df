// Whether an architecture multiplies a type. Where not, the call does not compile, and one sentence says what
// to do.
#pragma once
#include <fade/arch/atom_list.hpp>
#include <fade/core/operand_pair.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::arch {

/// Integers are multiplied in 8 bits, on whatever architecture.
template <class In>
constexpr bool is_no_int() {
    static_assert(
        !std::is_same_v<In, i32>,
        "gemm multiplies no int: of integers it multiplies fade::i8 (std::int8_t), whose sums are int, so "
        "convert the inputs to i8 or to float");
    return !std::is_same_v<In, i32>;
}

/// Compilers name Arch and In beside the sentence.
template <class Arch, class In>
constexpr bool multiplies() {
    constexpr bool has = has_atom<Arch, In>, fnuz = has_atom<Arch, f8e4m3fnuz>, ocp = has_atom<Arch, f8e4m3>;
    constexpr bool lacks_double = !has && std::is_same_v<In, double>,
                   lacks_float8 = !has && is_float8<element_of_a<In>>;
    static_assert(!lacks_double,
                  "of AMD GPUs only gfx90a, gfx942 and gfx950 multiply double: convert the inputs to float");
    static_assert(
        !lacks_float8 || !fnuz,
        "gfx942 (MI300) has no OCP 8-bit floats, and its FNUZ ones are other numbers: convert the inputs to "
        "fade::f8e4m3fnuz or fade::f8e5m2fnuz");
    static_assert(
        !lacks_float8 || !ocp,
        "this architecture has no FNUZ 8-bit floats, and OCP's are other numbers: convert the inputs to "
        "fade::f8e4m3 or fade::f8e5m2");
    static_assert(
        !lacks_float8 || fnuz || ocp,
        "of AMD GPUs only gfx950, gfx1200 and gfx1201 multiply f8e4m3 and f8e5m2, gfx942 their FNUZ forms: "
        "convert the inputs to fade::f16, which is exact");
    static_assert(
        has || lacks_double || lacks_float8,
        "this architecture multiplies no such type: convert the inputs to float, fade::f16 or fade::bf16, "
        "which every architecture multiplies");
    return has;
}

}  // namespace FADE_NAMESPACE::arch

// Which atom multiplies which input type on an architecture: one line a type.
#pragma once
#include <fade/atom/mfma.hpp>
#include <fade/atom/outer.hpp>
#include <fade/atom/wmma_gfx11.hpp>
#include <fade/atom/wmma_gfx12.hpp>
#include <fade/core/operand_pair.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::arch {

/// Inputs of type In are multiplied by Atom, after conversion to its element type where that differs.
template <class In, class Atom>
struct takes {
    using input = In;
    using atom = Atom;
};

template <class... Takes>
struct atom_list {};

template <class List, class In>
struct find_atom;
template <class In>
struct find_atom<atom_list<>, In> {
    using type = void;
};
template <class First, class... Rest, class In>
struct find_atom<atom_list<First, Rest...>, In> {
    using type = typename std::conditional_t<std::is_same_v<typename First::input, In>,
                                             std::type_identity<typename First::atom>,
                                             find_atom<atom_list<Rest...>, In>>::type;
};

using e4m3_by_e5m2 = operand_pair<f8e4m3, f8e5m2>;
using e5m2_by_e4m3 = operand_pair<f8e5m2, f8e4m3>;
using e4m3_by_e5m2_fnuz = operand_pair<f8e4m3fnuz, f8e5m2fnuz>;
using e5m2_by_e4m3_fnuz = operand_pair<f8e5m2fnuz, f8e4m3fnuz>;

template <class Arch, class In>
inline constexpr bool has_atom = !std::is_void_v<typename find_atom<typename Arch::atoms, In>::type>;

template <class List, class In>
struct required_atom {
    using type = typename find_atom<List, In>::type;
    static_assert(!std::is_void_v<type>, "this architecture multiplies no such type: convert the inputs to a "
                                         "type that its file in fade/arch lists under atoms");
};

template <class List, class In>
using atom_for = typename required_atom<List, In>::type;

/// Multiply-add and dot instructions of the vector ALU for what has no matrix instruction; 16-bit types
/// without one are widened.
template <int Lanes>
using vector_atoms =
    atom_list<takes<float, atom::outer<float, float, Lanes, 1>>,
              takes<f16, atom::outer<f16, float, Lanes, 2>>, takes<bf16, atom::outer<float, float, Lanes, 1>>,
              takes<i8, atom::outer<i8, i32, Lanes, 4>>>;

using wmma_gfx11_atoms =
    atom_list<takes<float, atom::outer<float, float, 32, 1>>, takes<f16, atom::wmma_gfx11<f16>>,
              takes<bf16, atom::wmma_gfx11<bf16>>, takes<i8, atom::wmma_gfx11<i8>>>;

using wmma_gfx12_atoms =
    atom_list<takes<float, atom::outer<float, float, 32, 1>>, takes<f16, atom::wmma_gfx12<f16>>,
              takes<bf16, atom::wmma_gfx12<bf16>>, takes<i8, atom::wmma_gfx12<i8>>,
              takes<f8e4m3, atom::wmma_gfx12<f8e4m3>>, takes<f8e5m2, atom::wmma_gfx12<f8e5m2>>,
              takes<e4m3_by_e5m2, atom::wmma_gfx12<e4m3_by_e5m2>>,
              takes<e5m2_by_e4m3, atom::wmma_gfx12<e5m2_by_e4m3>>>;

}  // namespace FADE_NAMESPACE::arch

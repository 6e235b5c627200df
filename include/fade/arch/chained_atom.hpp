// The atom for products whose result is an operand of the next one.
#pragma once
#include <fade/arch/atom_list.hpp>
#include <fade/core/dtype.hpp>

namespace FADE_NAMESPACE::arch {

/// As what inputs are multiplied: 8-bit floats become f16 on their way into shared memory, exactly, so that
/// probabilities need not be rounded to 8 bits.
template <class In>
using multiplied_as = std::conditional_t<is_storage<In> && sizeof(In) == 1, f16, In>;

/// What multiplies in chained products: the atom of the architecture, or another one that it lists for them.
template <class Arch, class In>
struct chained_atom_of {
    using type = typename Arch::template atom<multiplied_as<In>>;
};
template <class Arch, class In>
    requires requires { typename Arch::chained_atoms; }
struct chained_atom_of<Arch, In> {
    using type = atom_for<typename Arch::chained_atoms, multiplied_as<In>>;
};
template <class Arch, class In>
using chained_atom = typename chained_atom_of<Arch, In>::type;

}  // namespace FADE_NAMESPACE::arch

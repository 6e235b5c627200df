// Where the operands of products are, what multiplies them there, and who gives them their place.
#pragma once
#include <cstdint>
#include <fade/arch/chained_atom.hpp>
#include <fade/arch/traits.hpp>
#include <fade/atom/corner.hpp>
#include <fade/block/warpgroup.hpp>

namespace FADE_NAMESPACE::tile {

using block::memory_order;

/// What multiplies T on Arch in a kernel of tiles: its matrix instruction, else an outer product.
template <class Arch, class T>
struct atom_of {
    using type = arch::chained_atom<Arch, T>;
};
template <class Arch, class T>
    requires(Arch::traits.family == arch::family::host)
struct atom_of<Arch, T> {
    using multiplied = typename arch::chained_atom<Arch, T>::element;
    using type = atom::corner<multiplied, typename arch::chained_atom<Arch, T>::accumulator, 8>;
};
template <class Arch, class T>
using atom = typename atom_of<Arch, T>::type;

/// Rows of A are whole multiples of this, and so are the rows of a wave.
template <class Arch, class T>
inline constexpr int atom_rows = atom<Arch, T>::n;
/// Columns of B are whole multiples of this.
template <class Arch, class T>
inline constexpr int atom_columns = atom<Arch, T>::m;
/// The depth of operands is a whole multiple of this.
template <class Arch, class T>
inline constexpr int atom_depth = atom<Arch, T>::lane_k * atom<Arch, T>::k_groups;

/// Does a matrix instruction multiply T, or an outer product on the vector unit?
template <class Arch, class T>
inline constexpr bool has_matrix_unit = atom<Arch, T>::order == block::operand_order::k_contiguous;

/// Where an operand A is while it is multiplied: in shared memory, from where waves read it; in registers,
/// which read it once; or in shared memory, from where the matrix unit of four waves reads it and B.
enum class storage { shared, registers, matrix_unit };

/// Where A of so many rows a wave and so much depth is best: in registers, if it takes an eighth of them or
/// less.
template <class Arch, class T>
constexpr storage storage_for(int wave_rows, int depth) {
    using instruction = atom<Arch, T>;
    constexpr int size = int(sizeof(typename instruction::element));
    const int registers = wave_rows * depth * size * instruction::b_copies / 4 / instruction::lanes;
    const bool fits = instruction::lanes > 1 && registers * 8 <= Arch::traits.vgprs_per_wave;
    return fits ? storage::registers : storage::shared;
}

/// Do four waves of Arch share a matrix unit that multiplies T and feeds one product with another?
template <class Arch, class T>
constexpr bool has_shared_matrix_unit() {
    if constexpr (requires { typename Arch::warpgroup_atoms; })
        return !std::is_void_v<typename arch::find_atom<typename Arch::warpgroup_atoms, T>::type>;
    else
        return false;
}

/// The same for so many waves: by a matrix unit that four of them share, if there is one and each has 16
/// rows.
template <class Arch, class T>
constexpr storage storage_for(int rows, int depth, int waves) {
    const bool fits = waves % 4 == 0 && rows == 16 * waves && depth * int(sizeof(T)) % 128 == 0;
    return has_shared_matrix_unit<Arch, T>() && fits ? storage::matrix_unit
                                                     : storage_for<Arch, T>(rows / waves, depth);
}

namespace detail {

/// What multiplies T that is there.
template <class Arch, class T, storage Where>
struct stored_atom {
    using type = tile::atom<Arch, T>;
};
template <class Arch, class T>
struct stored_atom<Arch, T, storage::matrix_unit> {
    static_assert(has_shared_matrix_unit<Arch, T>(),
                  "this architecture has no matrix unit that four waves share for such elements: let "
                  "storage_for choose where an operand is");
    using type = arch::atom_for<typename Arch::warpgroup_atoms, T>;
};

}  // namespace detail

/// What tiles begin at a multiple of.
template <storage Where>
inline constexpr int alignment_of = Where == storage::matrix_unit ? 1024 : 1;

/// Hands out shared memory, tile after tile. An operand that is kept in registers leaves its place to the
/// tiles made after it.
class shared_allocator {
public:
    /// Where a tile of so many bytes begins, of which the next tiles leave `lasting_bytes` alone.
    FADE_FN constexpr std::uint32_t take(int bytes, int lasting_bytes, int alignment = 1) {
        const int first = ceil_div(next_, alignment) * alignment;
        next_ = first + lasting_bytes;
        max_ = max_of(max_, first + bytes);
        return std::uint32_t(first);
    }
    /// What all tiles need together.
    FADE_FN constexpr int bytes() const { return max_; }

private:
    int next_ = 0, max_ = 0;
};

}  // namespace FADE_NAMESPACE::tile

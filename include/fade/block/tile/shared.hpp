// Operands in shared memory: tiles with shapes, and who gives them their place.
#pragma once
#include <cstdint>
#include <fade/arch/chained_atom.hpp>
#include <fade/arch/traits.hpp>
#include <fade/atom/corner.hpp>
#include <fade/block/shared_layout.hpp>
#include <fade/block/source/strided.hpp>
#include <fade/core/launch.hpp>
#include <fade/wave/chain.hpp>
#include <utility>

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

/// Where an operand A is while it is multiplied: in shared memory, or in registers, which read it once.
enum class storage { shared, registers };

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

/// Hands out shared memory, tile after tile. An operand that is kept in registers leaves its place to the
/// tiles made after it.
class shared_allocator {
public:
    /// Where a tile of so many bytes begins, of which the next tiles leave `lasting_bytes` alone.
    FADE_FN constexpr std::uint32_t take(int bytes, int lasting_bytes) {
        const int first = next_;
        next_ += lasting_bytes;
        max_ = max_of(max_, first + bytes);
        return std::uint32_t(first);
    }
    /// What all tiles need together.
    FADE_FN constexpr int bytes() const { return max_; }

private:
    int next_ = 0, max_ = 0;
};

/// Operand A of a product: Rows rows (of the result) by Depth steps of k, copied from a row-major matrix. The
/// waves of a workgroup share its rows evenly; a wave has whole rows of the result. T is the type in memory.
template <class Arch, class T, int Rows, int Depth, storage Where = storage::shared>
struct a_tile {
    using arch = Arch;                                              ///< that it is made for
    using atom = tile::atom<Arch, T>;                               ///< what multiplies it
    using layout = block::operand_layout<Arch, atom, Rows, Depth>;  ///< where elements lie
    static_assert(Rows % atom::n == 0 && Depth % (atom::lane_k * atom::k_groups) == 0,
                  "an a_tile is whole atoms: let its rows be a multiple of atom_rows<Arch, T>, its depth of "
                  "atom_depth<Arch, T>");
    static constexpr memory_order order = memory_order::k_contiguous;  ///< of the matrix it is copied from
    static constexpr bool kept = Where == storage::registers;          ///< is it multiplied from registers?
    static constexpr int rows = Rows;                                  ///< of the result
    static constexpr int depth = Depth;                                ///< steps of k
    static constexpr int bytes = layout::bytes;                        ///< of shared memory
    static constexpr int lasting_bytes = kept ? 0 : bytes;             ///< that later tiles leave alone
    std::uint32_t base;                                                ///< where it begins in shared memory
    /// The next place that is free.
    FADE_FN constexpr explicit a_tile(shared_allocator& memory) : base(memory.take(bytes, lasting_bytes)) {}
};

/// Operand A that is multiplied again and again, by so many waves: in registers where these have room.
template <class Arch, class T, int Rows, int Depth, int Waves>
using kept_tile = a_tile<Arch, T, Rows, Depth, storage_for<Arch, T>(Rows / Waves, Depth)>;

/// Where the elements of a b_tile lie.
template <class Arch, class T, int Columns, int Depth, memory_order Order>
constexpr auto choose_b_layout() {
    using atom = tile::atom<Arch, T>;
    using element = typename atom::element;
    if constexpr (Order == memory_order::row_contiguous && Arch::traits.transposing_reads &&
                  sizeof(element) == 2)
        return block::transposed_layout<element, Columns, Depth>{};
    else
        return wave::chained_rows<block::operand_layout<Arch, atom, Columns, Depth>, atom>{};
}

/// Operand B of a product: Columns columns (of the result) by Depth steps of k. k_contiguous: copied from a
/// row-major matrix whose rows are columns of the result, as keys are; row_contiguous: from one whose rows
/// are steps of k, as values are.
template <class Arch, class T, int Columns, int Depth, memory_order Order = memory_order::k_contiguous>
struct b_tile {
    using atom = tile::atom<Arch, T>;  ///< what multiplies it
    /// Where elements lie.
    using layout = decltype(choose_b_layout<Arch, T, Columns, Depth, Order>());
    static_assert(
        Columns % atom::m == 0 && Depth % (atom::lane_k * atom::k_groups) == 0,
        "a b_tile is whole atoms: let its columns be a multiple of atom_columns<Arch, T>, its depth "
        "of atom_depth<Arch, T>");
    static constexpr memory_order order = Order;  ///< of the matrix it is copied from
    /// Do reads of shared memory transpose it?
    static constexpr bool transposing = !requires { typename layout::plain; };
    static constexpr int columns = Columns;      ///< of the result
    static constexpr int depth = Depth;          ///< steps of k
    static constexpr int bytes = layout::bytes;  ///< of shared memory
    static constexpr int lasting_bytes = bytes;  ///< that later tiles leave alone
    std::uint32_t base;                          ///< where it begins in shared memory
    /// The next place that is free.
    FADE_FN constexpr explicit b_tile(shared_allocator& memory) : base(memory.take(bytes, lasting_bytes)) {}

    /// The column of the result that register g of a lane holds in the i-th atom of its row.
    FADE_FN static constexpr int column_at(int lane, int i, int g) {
        if constexpr (transposing)
            return i * atom::m + atom::d_at(lane, g).major;
        else
            return wave::chain<atom>::key_at(lane, i, g);
    }
};

/// The result of A B as operand A of a next product, of Columns steps of k: it stays in registers where the
/// maps of the atom fit, and takes shared memory elsewhere.
template <class A, class B>
struct chained_tile {
    using atom = typename A::atom;  ///< what multiplies it
    /// Where elements lie, if they pass through shared memory.
    using layout = block::operand_layout<typename A::arch, atom, A::rows, B::columns>;
    static_assert(!B::transposing, "the columns of a product that becomes an operand are k_contiguous");
    static constexpr bool in_registers = wave::chain<atom>::in_registers;  ///< does it stay there?
    static constexpr int rows = A::rows;                                   ///< of the result
    static constexpr int depth = B::columns;                               ///< steps of k
    static constexpr int bytes = in_registers ? 0 : layout::bytes;         ///< of shared memory
    static constexpr int lasting_bytes = bytes;                            ///< that later tiles leave alone
    std::uint32_t base;                                                    ///< where it begins
    /// The next place that is free.
    FADE_FN constexpr explicit chained_tile(shared_allocator& memory)
        : base(memory.take(bytes, lasting_bytes)) {}
};

/// So many stages of a tile, one behind the other: some are on their way while one is multiplied. As a tile
/// it has the shape of one; operands read the stage that read_stage(n) names.
template <class Tile, int Stages>
struct ring : Tile {
    static_assert(Stages >= 2, "a ring has two stages or more: one is filled while another is read");
    static_assert(Tile::lasting_bytes == Tile::bytes,
                  "operands that are kept in registers are read once: a ring is of tiles in shared memory");
    static constexpr int stages = Stages;               ///< how many
    static constexpr int stage_bytes = Tile::bytes;     ///< of each
    static constexpr int bytes = Stages * stage_bytes;  ///< of shared memory
    static constexpr int lasting_bytes = bytes;         ///< that later tiles leave alone
    /// The next place that is free.
    FADE_FN constexpr explicit ring(shared_allocator& memory) : Tile(memory) {
        memory.take(bytes - stage_bytes, bytes - stage_bytes);
    }
};

/// The tiles of a kernel, one after the other in shared memory: `const auto [q, k] = tile_set<q_tile,
/// k_tile>()`.
template <class First, class... Rest>
struct tile_set {
    First first;             ///< the first tile
    tile_set<Rest...> rest;  ///< the others
    /// From the begin of shared memory on.
    FADE_FN constexpr tile_set() : tile_set(shared_allocator()) {}
    /// Behind what was handed out.
    FADE_FN constexpr explicit tile_set(shared_allocator memory) : first(memory), rest(memory) {}
    /// Tile I, for structured bindings.
    template <std::size_t I>
    FADE_FN constexpr auto get() const {
        if constexpr (I == 0)
            return first;
        else
            return rest.template get<I - 1>();
    }
    /// What they need of shared memory.
    static constexpr int bytes(shared_allocator memory = {}) {
        memory.take(First::bytes, First::lasting_bytes);
        return tile_set<Rest...>::bytes(memory);
    }
};
/// One tile: the end of the list.
template <class Last>
struct tile_set<Last> {
    Last first;  ///< the tile
    /// From the begin of shared memory on.
    FADE_FN constexpr tile_set() : tile_set(shared_allocator()) {}
    /// Behind what was handed out.
    FADE_FN constexpr explicit tile_set(shared_allocator memory) : first(memory) {}
    /// The tile.
    template <std::size_t>
    FADE_FN constexpr auto get() const {
        return first;
    }
    /// What it needs of shared memory.
    static constexpr int bytes(shared_allocator memory = {}) {
        memory.take(Last::bytes, Last::lasting_bytes);
        return memory.bytes();
    }
};

/// What a kernel of a tile_set asks of Arch, where it wants so many waves, and so many registers a lane: as
/// many waves share a SIMD as those and shared memory have room for. A workgroup of the host is one wave.
template <class Arch, class Tiles>
constexpr launch_shape shape_of(int waves, int registers = 256) {
    constexpr arch::arch_traits t = Arch::traits;
    constexpr int bytes = max_of(Tiles::bytes(), 16);
    static_assert(bytes <= t.lds_per_workgroup,
                  "the tiles of this kernel do not fit the shared memory that a workgroup of this "
                  "architecture has: take fewer rows, columns or steps of k");
    if (t.wave_size == 1) return {.waves = 1, .shared_bytes = bytes};
    const int by_memory = t.lds_per_cu / bytes * waves / t.simds_per_cu,
              by_registers = t.vgprs_per_simd / registers;
    return {.waves = waves,
            .shared_bytes = bytes,
            .waves_per_simd = max_of(min_of(min_of(by_memory, by_registers), t.waves_per_simd), 1)};
}

}  // namespace FADE_NAMESPACE::tile

/// @cond structured bindings
template <class... Tiles>
struct std::tuple_size<fade::tile::tile_set<Tiles...>>
    : std::integral_constant<std::size_t, sizeof...(Tiles)> {};
template <std::size_t I, class... Tiles>
struct std::tuple_element<I, fade::tile::tile_set<Tiles...>> {
    using type = decltype(std::declval<const fade::tile::tile_set<Tiles...>&>().template get<I>());
};
/// @endcond

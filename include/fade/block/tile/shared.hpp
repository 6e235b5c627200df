// Operands in shared memory: tiles with shapes, and who gives them their place.
#pragma once
#include <fade/block/shared_layout.hpp>
#include <fade/block/source/strided.hpp>
#include <fade/block/tile/place.hpp>
#include <fade/core/launch.hpp>
#include <fade/wave/chain.hpp>
#include <utility>

namespace FADE_NAMESPACE::tile {

/// Where the elements of an a_tile lie.
template <class Arch, class T, int Rows, int Depth, storage Where>
constexpr auto choose_a_layout() {
    using atom = typename detail::stored_atom<Arch, T, Where>::type;
    if constexpr (Where == storage::matrix_unit)
        return block::k_warpgroup_layout<T, Rows, Depth>{};
    else
        return block::operand_layout<Arch, atom, Rows, Depth>{};
}

/// Operand A of a product: Rows rows (of the result) by Depth steps of k, copied from a row-major matrix. The
/// waves of a workgroup share its rows evenly; a wave has whole rows of the result. T is the type in memory.
template <class Arch, class T, int Rows, int Depth, storage Where = storage::shared>
struct a_tile {
    using arch = Arch;                                                ///< that it is made for
    using stored = T;                                                 ///< in memory
    using atom = typename detail::stored_atom<Arch, T, Where>::type;  ///< what multiplies it
    /// Where elements lie.
    using layout = decltype(choose_a_layout<Arch, T, Rows, Depth, Where>());
    static_assert(Rows % atom::n == 0 && Depth % (atom::lane_k * atom::k_groups) == 0,
                  "an a_tile is whole atoms: let its rows be a multiple of atom_rows<Arch, T>, its depth of "
                  "atom_depth<Arch, T>");
    static constexpr memory_order order = memory_order::k_contiguous;  ///< of the matrix it is copied from
    static constexpr storage where = Where;                            ///< while it is multiplied
    static constexpr bool kept = Where == storage::registers;          ///< is it multiplied from registers?
    static constexpr int rows = Rows;                                  ///< of the result
    static constexpr int depth = Depth;                                ///< steps of k
    static constexpr int bytes = layout::bytes;                        ///< of shared memory
    static constexpr int lasting_bytes = kept ? 0 : bytes;             ///< that later tiles leave alone
    static constexpr int alignment = alignment_of<Where>;              ///< of its first byte
    std::uint32_t base;                                                ///< where it begins in shared memory
    /// The next place that is free.
    FADE_FN constexpr explicit a_tile(shared_allocator& memory)
        : base(memory.take(bytes, lasting_bytes, alignment)) {}
};

/// Operand A that is multiplied again and again, by so many waves: in registers where these have room.
template <class Arch, class T, int Rows, int Depth, int Waves>
using kept_tile = a_tile<Arch, T, Rows, Depth, storage_for<Arch, T>(Rows / Waves, Depth)>;

/// The same, but where four waves share a matrix unit that reads shared memory, and each has 16 rows, it
/// multiplies. Operands B and results of its products follow it: b_tile_of, chained_tile.
template <class Arch, class T, int Rows, int Depth, int Waves>
using warpgroup_tile = a_tile<Arch, T, Rows, Depth, storage_for<Arch, T>(Rows, Depth, Waves)>;

/// Where the elements of a b_tile lie.
template <class Arch, class T, int Columns, int Depth, memory_order Order, storage Where>
constexpr auto choose_b_layout() {
    using atom = tile::atom<Arch, T>;
    using element = typename atom::element;
    if constexpr (Where == storage::matrix_unit && Order == memory_order::row_contiguous)
        return block::row_warpgroup_layout<T, Columns, Depth>{};
    else if constexpr (Where == storage::matrix_unit)
        return block::k_warpgroup_layout<T, Columns, Depth>{};
    else if constexpr (Order == memory_order::row_contiguous && Arch::traits.transposing_reads &&
                       sizeof(element) == 2)
        return block::transposed_layout<element, Columns, Depth>{};
    else
        return wave::chained_rows<block::operand_layout<Arch, atom, Columns, Depth>, atom>{};
}

/// Operand B of a product: Columns columns (of the result) by Depth steps of k. k_contiguous: copied from a
/// row-major matrix whose rows are columns of the result, as keys are; row_contiguous: from one whose rows
/// are steps of k, as values are. Where: matrix_unit if A is there, else shared.
template <class Arch, class T, int Columns, int Depth, memory_order Order = memory_order::k_contiguous,
          storage Where = storage::shared>
struct b_tile {
    static_assert(Where != storage::registers, "waves read all of operand B: let it be in shared memory");
    using atom = typename detail::stored_atom<Arch, T, Where>::type;  ///< what multiplies it
    /// Where elements lie.
    using layout = decltype(choose_b_layout<Arch, T, Columns, Depth, Order, Where>());
    static_assert(
        Columns % atom::m == 0 && Depth % (atom::lane_k * atom::k_groups) == 0,
        "a b_tile is whole atoms: let its columns be a multiple of atom_columns<Arch, T>, its depth "
        "of atom_depth<Arch, T>");
    static constexpr storage where = Where;       ///< while it is multiplied
    static constexpr memory_order order = Order;  ///< of the matrix it is copied from
    /// Do reads of shared memory transpose it?
    static constexpr bool transposing = !requires { typename layout::plain; };
    static constexpr int columns = Columns;                ///< of the result
    static constexpr int depth = Depth;                    ///< steps of k
    static constexpr int bytes = layout::bytes;            ///< of shared memory
    static constexpr int lasting_bytes = bytes;            ///< that later tiles leave alone
    static constexpr int alignment = alignment_of<Where>;  ///< of its first byte
    std::uint32_t base;                                    ///< where it begins in shared memory
    /// The next place that is free.
    FADE_FN constexpr explicit b_tile(shared_allocator& memory)
        : base(memory.take(bytes, lasting_bytes, alignment)) {}

    /// The column of the result that register g of a lane holds in the i-th atom of its row.
    FADE_FN static constexpr int column_at(int lane, int i, int g) {
        if constexpr (transposing)
            return i * atom::m + atom::d_at(lane, g).major;
        else
            return wave::chain<atom>::key_at(lane, i, g);
    }
};

/// Operand B of products with A, or with the result of a product with A.
template <class A, int Columns, int Depth, memory_order Order = memory_order::k_contiguous>
using b_tile_of = b_tile<typename A::arch, typename A::stored, Columns, Depth, Order,
                         A::where == storage::matrix_unit ? storage::matrix_unit : storage::shared>;

/// The result of A B as operand A of a next product, of Columns steps of k: it stays in registers where the
/// maps of the atom fit, and takes shared memory elsewhere.
template <class A, class B>
struct chained_tile {
    using atom = typename A::atom;  ///< what multiplies it
    /// Where elements lie, if they pass through shared memory.
    using layout = block::operand_layout<typename A::arch, atom, A::rows, B::columns>;
    static constexpr storage where = A::where;  ///< of A
    static_assert(!B::transposing || where == storage::matrix_unit,
                  "the columns of a product that becomes an operand are k_contiguous");
    static constexpr bool in_registers =
        where == storage::matrix_unit || wave::chain<atom>::in_registers;  ///< does it stay there?
    static constexpr int rows = A::rows;                                   ///< of the result
    static constexpr int depth = B::columns;                               ///< steps of k
    static constexpr int bytes = in_registers ? 0 : layout::bytes;         ///< of shared memory
    static constexpr int lasting_bytes = bytes;                            ///< that later tiles leave alone
    static constexpr int alignment = 1;                                    ///< of its first byte
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

namespace detail {

template <class Tile>
struct streamed_tile {
    using type = Tile;
};
template <class Tile>
    requires(Tile::where == storage::matrix_unit)
struct streamed_tile<Tile> {
    static_assert(Tile::bytes % Tile::alignment == 0, "all stages of a ring begin where the first one may");
    using type = ring<Tile, 2>;
};

}  // namespace detail

/// A tile for a `stream`: as many stages of it as the architecture fills while one is read, which is one
/// where tiles wait in registers.
template <class Tile>
using streamed = typename detail::streamed_tile<Tile>::type;

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
        memory.take(First::bytes, First::lasting_bytes, First::alignment);
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
        memory.take(Last::bytes, Last::lasting_bytes, Last::alignment);
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

// How an operand tile lies in shared memory: the byte of (row, k), chosen so that an atom's lanes read 16
// bytes without bank conflicts.
#pragma once
#include <cstdint>
#include <fade/atom/shape.hpp>
#include <fade/core/shape.hpp>

namespace FADE_NAMESPACE::block {

using atom::operand_order;

/// Rows of consecutive k, in lines of Wrap bytes after which banks repeat (128 on 32 banks, 256 on 64).
/// The 16-byte slots of a line are exchanged by XOR with the line (or row). So lanes that read the same k of
/// neighbouring rows meet all banks, and so do lanes that write `k_span` steps of k of every fourth row, as
/// they do where rows become columns. The exchange repeats with Period rows, those of an atom, so that a
/// lane's rows of all atoms lie at constant distances.
template <class T, int Rows, int Depth, int Wrap, int Period = 16>
struct k_contiguous_layout {
    using element = T;
    static constexpr operand_order order = operand_order::k_contiguous;
    static constexpr int rows = Rows, depth = Depth, k_run = max_of(4 / int(sizeof(T)), 1);
    static constexpr int pitch = Depth * int(sizeof(T)), chunk = 16 / int(sizeof(T)), bytes = Rows * pitch;
    // Of atoms of 8 rows only two lines could be told apart by a lane that writes every fourth row.
    static constexpr bool few_lines = Period == 8 && Wrap == 128 && pitch == 64;
    static constexpr int k_span = Wrap > 128 || few_lines ? Depth : Depth / 2;
    static_assert(pitch % 16 == 0 && (pitch & (pitch - 1)) == 0,
                  "a row of a shared tile is a power of two of 16-byte chunks");

    FADE_FN static constexpr std::uint32_t offset(int row, int k) {
        return std::uint32_t((row * pitch + k * int(sizeof(T))) ^ slot_swizzle(row) * 16);
    }

private:
    FADE_FN static constexpr int slot_swizzle(int row) {
        const int line = row / max_of(Wrap / pitch, 1);
        if constexpr (Wrap > 128 && pitch <= 64) return line % 4 + line % 2 * 4;
        if constexpr (few_lines) return line / 2 % 2 * 4;
        // Patches of f64 have two rows, so every second row is written: its bit takes the place of the
        // fourth row's.
        if constexpr (sizeof(T) == 8 && Wrap == 128 && pitch == Wrap && Period > 8)
            return line % 2 + line / 2 % 2 * 4 + line / 4 % 2 * 2;
        // Atoms of 8 rows: eight lanes read four slots of two neighbouring rows, and write four slots of
        // every fourth row; each pair needs both halves of a line.
        if constexpr (Period == 8 && Wrap == 128 && pitch >= Wrap)
            return (line % 2 * 4) ^ (line / 2 % 2 * 2) ^ (line / 4 % 2 * 5);
        return line % min_of(pitch < Wrap ? 8 : Wrap / 16, max_of(Period * pitch / Wrap, 1));
    }
};

/// Packs of Pack consecutive k, four bytes each, row after row; used where lanes multiply outer products.
/// Gaps between runs of four packs turn the banks: lanes that each write a run (16 bytes of a row in memory)
/// meet all of them.
template <class T, int Rows, int Depth, int Pack>
struct row_contiguous_layout {
    using element = T;
    static constexpr operand_order order = operand_order::row_contiguous;
    static constexpr int rows = Rows, depth = Depth, k_run = Pack;
    static constexpr int pitch = Rows * Pack * int(sizeof(T)), runs = max_of(Depth / Pack / 4, 1),
                         gap = 128 / min_of(runs, 8), bytes = Depth / Pack * pitch + (runs - 1) * gap;

    FADE_FN static constexpr std::uint32_t offset(int row, int k) {
        return std::uint32_t(k / Pack * pitch + k / Pack / 4 * gap +
                             (row * Pack + k % Pack) * int(sizeof(T)));
    }
};

/// Lines of consecutive rows, one for each k, whose columns transposing reads gather: four lines at once, of
/// each the 64 bytes that are an atom's rows. These pieces are exchanged by XOR with the line, so that those
/// of four lines meet all 64 banks.
template <class T, int Rows, int Depth>
struct transposed_layout {
    using element = T;
    static constexpr operand_order order = operand_order::row_contiguous;
    static constexpr int rows = Rows, depth = Depth, k_run = 1;
    static constexpr int pitch = Rows * int(sizeof(T)), bytes = Depth * pitch,
                         piece_rows = 64 / int(sizeof(T)), pieces = min_of(pitch / 64, 4);
    static_assert(sizeof(T) == 2 && pitch % 64 == 0 && (pitch & (pitch - 1)) == 0,
                  "a line of a transposed tile is a power of two of 64-byte pieces of 16-bit elements");

    FADE_FN static constexpr std::uint32_t offset(int row, int k) {
        return std::uint32_t((k * pitch + row * int(sizeof(T))) ^ k / (4 / pieces) % pieces * 64);
    }
};

/// Lines of consecutive rows, one for each k, of elements that lanes read one by one: half a wave four rows
/// of every second line. Pieces of 32 bytes are exchanged by XOR with pairs of lines, so that those of four
/// pairs meet all banks.
template <class T, int Rows, int Depth>
struct line_layout {
    using element = T;
    static constexpr operand_order order = operand_order::row_contiguous;
    static constexpr int rows = Rows, depth = Depth, k_run = 1;
    static constexpr int lines_alike = 2, lines_period = 8, rows_alike = 128 / int(sizeof(T));
    static constexpr int pitch = Rows * int(sizeof(T)), bytes = Depth * pitch;
    static_assert(sizeof(T) == 8 && pitch % 128 == 0,
                  "a line is whole rounds of the banks, of 8-byte elements");

    FADE_FN static constexpr std::uint32_t offset(int row, int k) {
        return std::uint32_t((k * pitch + row * int(sizeof(T))) ^ k / lines_alike % 4 * 32);
    }
};

template <class Arch, class Atom, int Rows, int Depth>
constexpr auto choose_operand_layout() {
    using T = typename Atom::element;
    static_assert(Atom::order != operand_order::panel,
                  "this kernel is written in tiles for the waves of a GPU, and the host's atoms read panels: "
                  "launch it on an emulated_device, hip_device or cuda_device");
    if constexpr (Atom::order != operand_order::row_contiguous)
        return k_contiguous_layout<T, Rows, Depth, Arch::traits.lds_wrap,
                                   min_of(16, min_of(Atom::m, Atom::n))>{};
    else
        return row_contiguous_layout<T, Rows, Depth, Atom::lane_k>{};
}

/// How an architecture keeps Rows x Depth elements of an atom's operand in shared memory.
template <class Arch, class Atom, int Rows, int Depth>
using operand_layout = decltype(choose_operand_layout<Arch, Atom, Rows, Depth>());

/// A tile at a byte of the workgroup's shared memory.
template <class Layout>
struct shared_tile {
    using layout = Layout;
    std::uint32_t base;
    FADE_FN constexpr std::uint32_t at(int row, int k) const { return base + Layout::offset(row, k); }
};

/// The shared tiles of A and B for one step.
template <class LayoutA, class LayoutB>
struct tile_pair {
    shared_tile<LayoutA> a;
    shared_tile<LayoutB> b;
};

}  // namespace FADE_NAMESPACE::block

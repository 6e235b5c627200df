// The atoms of one wave: executed by the instruction itself on a GPU, through its lane maps in emulation.
#pragma once
#include <cstring>
#include <fade/atom/emulate.hpp>
#include <fade/wave/fragment.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::wave {

/// The Size elements of slice s (an atom's worth of k) of what a lane loaded: rows of LaneK elements, of
/// which a slice takes Step. `loaded` holds elements, or whole registers of them.
template <class T, int Size, int LaneK, int Step, class V, class ElementOf>
FADE_FN vec<T, Size> slice(const V& loaded, int s, ElementOf element_of) {
    using unit = std::remove_cvref_t<decltype(loaded[0])>;
    constexpr int size = int(sizeof(T)), unit_size = int(sizeof(unit));
    vec<unit, Size * size / unit_size> out;
    FADE_UNROLL
    for (int u = 0; u < out.size; ++u) {
        const auto [row, k] = element_of(u * unit_size / size);
        out[u] = loaded[((row * LaneK + s * Step + k) * size + u * unit_size % size) / unit_size];
    }
    return __builtin_bit_cast(vec<T, Size>, out);
}

/// The same in emulation, where what lies in one piece moves as one.
template <class T, int Size, int LaneK, int Step, auto ElementOf, class V>
FADE_FN vec<T, Size> emulated_slice(const V& loaded, int s) {
    constexpr bool in_one_piece = [] {
        for (int e = 0; e < Size; ++e)
            if (ElementOf(e).row * LaneK + ElementOf(e).k != e) return false;
        return true;
    }();
    if constexpr (in_one_piece) {
        vec<T, Size> out;
        std::memcpy(&out, reinterpret_cast<const char*>(&loaded) + s * Step * int(sizeof(T)), sizeof out);
        return out;
    } else
        return slice<T, Size, LaneK, Step>(loaded, s, ElementOf);
}

/// Rows x columns of atoms in emulation: every operand becomes numbers once, and serves a whole row or column
/// of atoms. The functions of emulation that do the work are the same for all kernels of an atom.
template <int Slices, int Rows, class Acc, class FragmentA, class FragmentB>
void emulated_mma(wave_coord w, Acc& acc, FragmentA& a, FragmentB& b, int first) {
    using instruction = typename Acc::atom;
    using element = typename instruction::element;
    constexpr int step_a = instruction::a_size / instruction::lane_rows,
                  step_b = instruction::b_size / instruction::lane_columns;
    alignas(64) typename Acc::element of_a[Slices][Rows][instruction::m * instruction::k],
        of_b[Slices][Acc::columns][instruction::k * instruction::n], product[instruction::m * instruction::n];
    atom::lanes_of_a<instruction> lanes_a;
    atom::lanes_of_b<instruction> lanes_b;
    for (int s = 0; s < Slices; ++s) {
        for (int i = 0; i < Rows; ++i) {
            for (int l = 0; l < instruction::lanes; ++l)
                lanes_a[l] = emulated_slice<element, instruction::a_size, instruction::lane_k, step_a,
                                            instruction::a_element>(a.at(l, first + i), s);
            atom::gather_a<instruction>(of_a[s][i], lanes_a);
        }
        for (int j = 0; j < Acc::columns; ++j) {
            for (int l = 0; l < instruction::lanes; ++l)
                lanes_b[l] = emulated_slice<element, instruction::b_size, instruction::lane_k, step_b,
                                            instruction::b_element>(b.at(l, j), s);
            atom::gather_b<instruction>(of_b[s][j], lanes_b);
        }
    }
    for (int i = 0; i < Rows; ++i)
        for (int j = 0; j < Acc::columns; ++j) {
            const atom::lane_registers<typename Acc::registers> registers{&acc.at(w, 0, first + i, j),
                                                                          sizeof(typename Acc::lane_tiles)};
            atom::gather<atom::tables<instruction>::d>(product, registers);
            for (int s = 0; s < Slices; ++s) atom::multiply<instruction>(product, of_a[s][i], of_b[s][j]);
            atom::scatter<atom::tables<instruction>::d>(product, registers);
        }
}

/// acc(row, column) += A B for slice s of the fragments a(., row) and b(., column). By lambdas: with operands
/// written out in the call, LLVM 22 orders gfx950's GEMM 5 % worse in the static audit.
template <class Acc, class FragmentA, class FragmentB>
FADE_FN void mma(wave_coord w, Acc& acc, FragmentA& a, FragmentB& b, int row, int column, int s) {
    using instruction = typename Acc::atom;
    constexpr int step_a = instruction::a_size / instruction::lane_rows,
                  step_b = instruction::b_size / instruction::lane_columns;
    const auto slice_a = [&](int lane) {
        return slice<typename instruction::element, instruction::a_size, instruction::lane_k, step_a>(
            a.at(lane, row), s, instruction::a_element);
    };
    const auto slice_b = [&](int lane) {
        return slice<typename instruction::element, instruction::b_size, instruction::lane_k, step_b>(
            b.at(lane, column), s, instruction::b_element);
    };
    instruction::execute(acc.at(w, 0, row, column), slice_a(0), slice_b(0));
}

/// acc += A B for Rows rows of atoms of a wave, from the first-th on, in Slices slices of the fragments a and
/// b.
template <int Slices, int Rows, class Block, class Acc, class FragmentA, class FragmentB>
FADE_FN void mma_rows(Block&, wave_coord w, Acc& acc, FragmentA& a, FragmentB& b, int first) {
    if constexpr (Block::emulated)
        emulated_mma<Slices, Rows>(w, acc, a, b, first);
    else
        FADE_UNROLL
    for (int s = 0; s < Slices; ++s) FADE_UNROLL
    for (int i = 0; i < Rows; ++i) FADE_UNROLL
    for (int j = 0; j < Acc::columns; ++j) mma(w, acc, a, b, first + i, j, s);
}

/// The same for all atoms of a wave.
template <int Slices, class Block, class Acc, class FragmentA, class FragmentB>
FADE_FN void mma_all(Block& block, wave_coord w, Acc& acc, FragmentA& a, FragmentB& b) {
    mma_rows<Slices, Acc::rows>(block, w, acc, a, b, 0);
}

}  // namespace FADE_NAMESPACE::wave

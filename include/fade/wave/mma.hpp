// The atoms of one wave: executed by the instruction itself on a GPU, through its lane maps in emulation.
#pragma once
#include <cstring>
#include <type_traits>
#include <fade/atom/emulate.hpp>
#include <fade/wave/fragment.hpp>

namespace fade::wave {

/// The Size elements of slice s (an atom's worth of k) of what a lane loaded: rows of LaneK elements, of which a slice takes Step.
/// `loaded` holds elements, or whole registers of them.
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

/// acc(row, column) += A B for slice s of the fragments a(., row) and b(., column).
template <class Block, class Acc, class FragmentA, class FragmentB>
FADE_FN void mma(Block&, wave_place w, Acc& acc, FragmentA& a, FragmentB& b, int row, int column, int s) {
    using instruction = typename Acc::atom;
    constexpr int step_a = instruction::a_size / instruction::lane_rows, step_b = instruction::b_size / instruction::lane_columns;
    const auto slice_a = [&](int lane) { return slice<typename instruction::element, instruction::a_size, instruction::lane_k, step_a>(a.at(lane, row), s, instruction::a_element); };
    const auto slice_b = [&](int lane) { return slice<typename instruction::element, instruction::b_size, instruction::lane_k, step_b>(b.at(lane, column), s, instruction::b_element); };
    if constexpr (Block::emulated) {
        vec<typename instruction::element, instruction::a_size> all_a[instruction::lanes];
        vec<typename instruction::element, instruction::b_size> all_b[instruction::lanes];
        for (int lane = 0; lane < instruction::lanes; ++lane) all_a[lane] = slice_a(lane), all_b[lane] = slice_b(lane);
        atom::emulate<instruction>([&](int lane, int g) -> auto& { return acc.at(w, lane, row, column)[g]; }, [&](int lane, int e) { return all_a[lane][e]; },
                                   [&](int lane, int e) { return all_b[lane][e]; });
    } else
        instruction::execute(acc.at(w, 0, row, column), slice_a(0), slice_b(0));
}

/// A slice in emulation, where what lies in one piece moves as one.
template <class T, int Size, int LaneK, int Step, auto ElementOf, class V>
vec<T, Size> emulated_slice(const V& loaded, int s) {
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

/// All atoms of a wave in emulation: every operand becomes numbers once, and serves a whole row or column of atoms.
template <int Slices, class Acc, class FragmentA, class FragmentB>
void emulated_mma(wave_place w, Acc& acc, FragmentA& a, FragmentB& b) {
    using instruction = typename Acc::atom;
    using element = typename instruction::element;
    constexpr int step_a = instruction::a_size / instruction::lane_rows, step_b = instruction::b_size / instruction::lane_columns;
    alignas(64) typename Acc::element of_a[Slices][Acc::rows][instruction::m * instruction::k], of_b[Slices][Acc::columns][instruction::k * instruction::n], product[instruction::m * instruction::n];
    for (int s = 0; s < Slices; ++s) {
        for (int i = 0; i < Acc::rows; ++i)
            atom::gather_a<instruction>(of_a[s][i], [&](int lane) { return emulated_slice<element, instruction::a_size, instruction::lane_k, step_a, instruction::a_element>(a.at(lane, i), s); });
        for (int j = 0; j < Acc::columns; ++j)
            atom::gather_b<instruction>(of_b[s][j], [&](int lane) { return emulated_slice<element, instruction::b_size, instruction::lane_k, step_b, instruction::b_element>(b.at(lane, j), s); });
    }
    for (int i = 0; i < Acc::rows; ++i)
        for (int j = 0; j < Acc::columns; ++j) {
            const auto registers = [&](int lane) -> auto& { return acc.at(w, lane, i, j); };
            atom::gather<atom::tables<instruction>::d>(product, registers);
            for (int s = 0; s < Slices; ++s) atom::multiply<instruction>(product, of_a[s][i], of_b[s][j]);
            atom::scatter<atom::tables<instruction>::d>(product, registers);
        }
}

/// acc += A B for all atoms of a wave, in Slices slices of the fragments a and b.
template <int Slices, class Block, class Acc, class FragmentA, class FragmentB>
FADE_FN void mma_all(Block& block, wave_place w, Acc& acc, FragmentA& a, FragmentB& b) {
    if constexpr (Block::emulated) emulated_mma<Slices>(w, acc, a, b);
    else FADE_UNROLL
        for (int s = 0; s < Slices; ++s) FADE_UNROLL
            for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
                for (int j = 0; j < Acc::columns; ++j) mma(block, w, acc, a, b, i, j, s);
}

}  // namespace fade::wave

// One atom executed by one wave: by the instruction itself on a GPU, through its lane maps in emulation.
#pragma once
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

}  // namespace fade::wave

// One atom executed by one wave: by the instruction itself on a GPU, through its lane maps in emulation.
#pragma once
#include <fade/atom/emulate.hpp>
#include <fade/wave/fragment.hpp>

namespace fade::wave {

/// The registers of one slice (an atom's worth of k) of what a lane loaded.
template <int Size, int LaneK, int Step, class V, class ElementOf>
FADE_FN auto slice(const V& loaded, int s, ElementOf element_of) {
    auto pick = [&](int e) {
        const auto [row, k] = element_of(e);
        return loaded[row * LaneK + s * Step + k];
    };
    vec<std::remove_cvref_t<decltype(loaded[0])>, Size> out;
    FADE_UNROLL
    for (int e = 0; e < Size; ++e) out[e] = pick(e);
    return out;
}

/// acc(row, column) += A B for slice s of the fragments a(., row) and b(., column).
template <class Block, class Acc, class FragmentA, class FragmentB>
FADE_FN void mma(Block&, wave_place w, Acc& acc, FragmentA& a, FragmentB& b, int row, int column, int s) {
    using instruction = typename Acc::atom;
    constexpr int step_a = instruction::a_size / instruction::lane_rows, step_b = instruction::b_size / instruction::lane_columns;
    auto slice_a = [&](int lane) { return slice<instruction::a_size, instruction::lane_k, step_a>(a.at(lane, row), s, instruction::a_element); };
    auto slice_b = [&](int lane) { return slice<instruction::b_size, instruction::lane_k, step_b>(b.at(lane, column), s, instruction::b_element); };
    if constexpr (Block::emulated)
        atom::emulate<instruction>([&](int lane, int g) -> auto& { return acc.at(w, lane, row, column)[g]; },
                            [&](int lane, int e) { return a.at(lane, row)[instruction::a_element(e).row * instruction::lane_k + s * step_a + instruction::a_element(e).k]; },
                            [&](int lane, int e) { return b.at(lane, column)[instruction::b_element(e).row * instruction::lane_k + s * step_b + instruction::b_element(e).k]; });
    else
        instruction::execute(acc.at(w, 0, row, column), slice_a(0), slice_b(0));
}

}  // namespace fade::wave

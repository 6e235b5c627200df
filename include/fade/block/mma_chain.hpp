// acc += A B step by step, where A is read from a shared tile by every wave and B comes from registers: from
// an operand that was kept, or from the accumulators of the product before.
#pragma once
#include <fade/wave/fragment.hpp>
#include <fade/wave/mma.hpp>

namespace FADE_NAMESPACE::block {

/// How such a product is cut.
struct chain_cut {
    int steps;         ///< of k, each what the lanes of an atom load at once
    int rows_at_once;  ///< atoms of A that are read before they are multiplied
    int steps_in_run;  ///< of outer products, whose reads may stand together
    bool ahead;        ///< each step is read beside the products of the one before
};

template <class Block, class Atom, int Rows>
using fragment_a =
    wave::operand_fragment<Block, typename Atom::element, Atom::lane_rows * Atom::lane_k, Rows>;
template <class Block, class Atom, int Columns>
using fragment_b =
    wave::operand_fragment<Block, typename Atom::element, Atom::lane_columns * Atom::lane_k, Columns>;

/// Slices of k that one step holds.
template <class Atom>
inline constexpr int slices_in_step = Atom::lane_k * Atom::k_groups / Atom::k;

/// One step. `take(s, b)` fills operand B of step s.
template <chain_cut Cut, class Block, class Acc, class Reader, class Take>
FADE_FN void multiply_step(Block& block, wave_coord w, Acc& acc, Reader& reader, std::uint32_t base, int s,
                           Take take) {
    using atom = typename Acc::atom;
    constexpr int rows = min_of(Cut.rows_at_once, Acc::rows);
    static_assert(Acc::rows % rows == 0, "the atoms of operand A are whole groups of what is read at once");
    fragment_b<Block, atom, Acc::columns> b;
    FADE_UNROLL
    for (int first = 0; first < Acc::rows; first += rows) {
        fragment_a<Block, atom, rows> part;
        reader.load(block, w, base, s, part, first);
        if (first == 0) take(s, b);
        wave::later_tiles<decltype(part)> a{part, first};
        wave::mma_rows<slices_in_step<atom>, rows>(block, w, acc, a, b, first);
    }
}

/// Both operands of one step.
template <class Block, class Acc>
struct stepped_operands {
    fragment_a<Block, typename Acc::atom, Acc::rows> a;
    fragment_b<Block, typename Acc::atom, Acc::columns> b;
};

/// All steps of outer products, each read beside the one before; many of them by a loop, whose last reads
/// step 0 once more, since compilers take long over long code.
template <chain_cut Cut, class Block, class Acc, class Reader, class Take>
FADE_FN void multiply_ahead(Block& block, wave_coord w, Acc& acc, Reader& reader, std::uint32_t base,
                            Take take) {
    using atom = typename Acc::atom;
    static_assert(Cut.rows_at_once >= Acc::rows,
                  "outer products read all rows of a step at once: rows_at_once is 0");
    constexpr int round = Cut.steps > 64 ? 32 : Cut.steps;
    static_assert(Cut.steps % round == 0 && round % 2 == 0, "steps come in whole turns, of pairs");
    stepped_operands<Block, Acc> even, odd;
    const auto read = [&](int s, stepped_operands<Block, Acc>& to) {
        reader.load(block, w, base, s, to.a), take(s, to.b);
    };
    const auto multiply = [&](int s, stepped_operands<Block, Acc>& by) {
        wave::mma_all<slices_in_step<atom>>(block, w, acc, by.a, by.b);
        if (s % Cut.steps_in_run == Cut.steps_in_run - 1)
            Block::template schedule<0>();  // what is read for all steps would not fit the registers
    };
    read(0, even);
    FADE_ROLLED
    for (int first = 0; first < Cut.steps; first += round) FADE_UNROLL
    for (int s = 0; s < round; s += 2) {
        read(first + s + 1, odd);
        multiply(s, even);
        if (round < Cut.steps || s + 2 < round) read(first + s + 2 < Cut.steps ? first + s + 2 : 0, even);
        multiply(s + 1, odd);
    }
}

template <chain_cut Cut, class Block, class Acc, class Reader, class Take>
FADE_FN void multiply_steps(Block& block, wave_coord w, Acc& acc, Reader& reader, std::uint32_t base,
                            Take take) {
    if constexpr (Cut.ahead) {
        multiply_ahead<Cut>(block, w, acc, reader, base, take);
    } else {
        FADE_UNROLL
        for (int s = 0; s < Cut.steps; ++s) multiply_step<Cut>(block, w, acc, reader, base, s, take);
    }
}

}  // namespace FADE_NAMESPACE::block

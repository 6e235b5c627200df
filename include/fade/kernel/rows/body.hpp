// A row operator over all rows of its tensors.
#pragma once
#include <fade/atom/cpu/isa.hpp>
#include <fade/block/row/each_row.hpp>
#include <fade/core/launch.hpp>

namespace FADE_NAMESPACE::kernel {

/// An operator is a value: tensors and numbers, `template <class Row> void operator()(Row& row) const`, and
/// `each_tensor(f)`, which calls f(name, tensor) for each of its row_tensors, those it reads most first.
template <class Operator>
struct row_arguments {
    Operator op;
    block::row_extent extent;
    /// Where rows begin that decide on runs: base address, bytes from row to row, bytes of an element.
    const char* begin;
    index row_bytes;
    int element_bytes;

    /// Elements from the aligned address before row `r` to its first.
    FADE_FN int shift(index r) const {
        return int(reinterpret_cast<std::uintptr_t>(begin + r * row_bytes) % 16) / element_bytes;
    }
};

/// What is done to a row: no lambda, since nvcc forgets that a generic one is to vanish.
template <class Operator>
struct row_call {
    const Operator& op;
    template <class Row>
    FADE_FN void operator()(Row& row) const {
        op(row);
    }
};

template <row_policy P, int VectorBytes = 16, class Block, class Args>
FADE_FN void row_body(Block& block, const Args& args) {
    const auto shift = [&](index r) FADE_LAMBDA { return args.shift(r); };
    block::each_row<P, VectorBytes>(block, args.extent, shift, row_call<decltype(args.op)>{args.op});
}

/// The same compiled for each kind of vectors that a CPU has.
template <row_policy P>
struct row_leaf {
    template <int VectorBytes, class Block, class Args>
    FADE_FN static void apply(Block* block, const Args* args) {
        row_body<P, VectorBytes>(*block, *args);
    }
};

}  // namespace FADE_NAMESPACE::kernel

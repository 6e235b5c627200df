// Between accumulators and matrices in global memory.
#pragma once
#include <fade/backend/buffer.hpp>
#include <fade/block/tile/accumulator.hpp>
#include <fade/block/tile/load.hpp>
#include <fade/core/dtype.hpp>

namespace FADE_NAMESPACE::tile {

/// How many columns of a row a lane has side by side in an atom, of what is stored in 16 bytes or less.
template <class Acc, int Bytes>
constexpr int stored_run() {
    const auto contiguous = [](int run) {
        for (int lane = 0; lane < Acc::atom::lanes; ++lane)
            for (int r = 0; r < Acc::slot_size; ++r)
                if (Acc::b::column_at(lane, 0, r * Acc::slots) !=
                    Acc::b::column_at(lane, 0, r / run * run * Acc::slots) + r % run)
                    return false;
        return Acc::slot_size % run == 0 && run * Bytes <= 16;
    };
    return contiguous(8) ? 8 : contiguous(4) ? 4 : contiguous(2) ? 2 : 1;
}

template <int Run, class Acc, class Memory, class T>
FADE_FN void store_runs(Acc& acc, lane_coord p, const Memory& memory, const matrix<T>& to) {
    FADE_UNROLL
    for (int j = 0; j < Acc::lane_rows; ++j) FADE_UNROLL
    for (int c = 0; c < Acc::slots; ++c) {
        const int row = Acc::row_at(p, j, c);
        const auto begin = std::uint32_t(row) * std::uint32_t(to.ld);
        FADE_UNROLL
        for (int i = 0; i < Acc::row_atoms; ++i) FADE_UNROLL
        for (int r = 0; r < Acc::slot_size; r += Run) {
            const int column = Acc::column_at(p, i, r * Acc::slots + c);
            vec<T, Run> run;
            FADE_UNROLL
            for (int e = 0; e < Run; ++e)
                run[e] = FADE_NAMESPACE::convert<T>(acc.at(p, i, j)[(r + e) * Acc::slots + c]);
            const bool exists = row < to.rows && column < to.columns;
            memory.store(
                exists ? (begin + std::uint32_t(column)) * std::uint32_t(sizeof(T)) : backend::outside, run);
        }
    }
}

/// Writes an accumulator, converted, to the rows and columns that the matrix has; any alignment will do, and
/// 16 bytes are fastest. The tile lies within 2 GiB.
template <class Block, class Acc, class T>
FADE_FN void store(Block& block, Acc& acc, const matrix<T>& to) {
    if (to.rows <= 0) return;
    constexpr int run = stored_run<Acc, int(sizeof(T))>();
    const auto memory = block.global(to.first, to.first, to.first + index(to.rows - 1) * to.ld + to.columns);
    const bool aligned = (to.columns | to.ld) % run == 0 &&
                         reinterpret_cast<std::uintptr_t>(to.first) % (run * sizeof(T)) == 0;
    block.each_lane([&](lane_coord p) {
        if (aligned)
            store_runs<run>(acc, p, memory, to);
        else
            store_runs<1>(acc, p, memory, to);
    });
}

template <int Run, class Acc, class Memory, class T>
FADE_FN void load_runs(Acc& acc, lane_coord p, const Memory& memory, const matrix<T>& from) {
    using element = std::remove_const_t<T>;
    FADE_UNROLL
    for (int j = 0; j < Acc::lane_rows; ++j) FADE_UNROLL
    for (int c = 0; c < Acc::slots; ++c) {
        const int row = Acc::row_at(p, j, c);
        const auto begin = std::uint32_t(row) * std::uint32_t(from.ld);
        FADE_UNROLL
        for (int i = 0; i < Acc::row_atoms; ++i) FADE_UNROLL
        for (int r = 0; r < Acc::slot_size; r += Run) {
            const int column = Acc::column_at(p, i, r * Acc::slots + c);
            const bool exists = row < from.rows && column < from.columns;
            const auto run = memory.template load<vec<element, Run>>(
                exists ? (begin + std::uint32_t(column)) * std::uint32_t(sizeof(T)) : backend::outside);
            FADE_UNROLL
            for (int e = 0; e < Run; ++e)
                acc.at(p, i, j)[(r + e) * Acc::slots + c] = FADE_NAMESPACE::convert<float>(run[e]);
        }
    }
}

/// Reads an accumulator from the rows and columns that the matrix has, and zeros elsewhere: what a product is
/// added to. Any alignment will do, and 16 bytes are fastest. The tile lies within 2 GiB.
template <class Block, class Acc, class T>
FADE_FN void load(Block& block, Acc& acc, const matrix<T>& from) {
    constexpr int run = stored_run<Acc, int(sizeof(T))>();
    const bool some = from.rows > 0;
    const auto memory =
        block.global(from.first, from.first,
                     some ? from.first + index(from.rows - 1) * from.ld + from.columns : from.first);
    const bool aligned = (from.columns | from.ld) % run == 0 &&
                         reinterpret_cast<std::uintptr_t>(from.first) % (run * sizeof(T)) == 0;
    block.each_lane([&](lane_coord p) {
        if (aligned)
            load_runs<run>(acc, p, memory, from);
        else
            load_runs<1>(acc, p, memory, from);
    });
}

/// Rounds each element to what T holds: the numbers that a store of T and a load would leave.
template <class T, class Block, class Acc>
FADE_FN void convert(Block& block, Acc& acc) {
    map(block, acc, [](float& x) { x = FADE_NAMESPACE::convert<float>(FADE_NAMESPACE::convert<T>(x)); });
}

}  // namespace FADE_NAMESPACE::tile

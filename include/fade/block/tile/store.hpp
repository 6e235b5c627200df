// Between accumulators and matrices in global memory.
#pragma once
#include <cstdint>
#include <fade/backend/buffer.hpp>
#include <fade/block/tile/accumulator.hpp>
#include <fade/block/tile/load.hpp>
#include <fade/core/dtype.hpp>
#include <type_traits>

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

namespace detail {

/// Calls f(length, offset, sum) for each run of neighbours that a lane has: where it lies in the matrix,
/// `outside` if it does not, and sum(e), the accumulator of its element e.
template <int Run, class Acc, class T, class F>
FADE_FN void each_run(Acc& acc, lane_coord p, const matrix<T>& in, F f) {
    FADE_UNROLL
    for (int j = 0; j < Acc::lane_rows; ++j) FADE_UNROLL
    for (int c = 0; c < Acc::slots; ++c) {
        const int row = Acc::row_at(p, j, c);
        const auto begin = std::uint32_t(row) * std::uint32_t(in.ld);
        FADE_UNROLL
        for (int i = 0; i < Acc::row_atoms; ++i) FADE_UNROLL
        for (int r = 0; r < Acc::slot_size; r += Run) {
            const int column = Acc::column_at(p, i, r * Acc::slots + c);
            const bool exists = row < in.rows && column < in.columns;
            f(std::integral_constant<int, Run>{},
              exists ? (begin + std::uint32_t(column)) * std::uint32_t(sizeof(T)) : backend::outside,
              [&](int e) FADE_LAMBDA -> float& { return acc.at(p, i, j)[(r + e) * Acc::slots + c]; });
        }
    }
}

/// By runs where the matrix has them at every lane's addresses, else element by element.
template <class Block, class Acc, class T, class F>
FADE_FN void by_runs(Block& block, Acc& acc, const matrix<T>& in, F f) {
    constexpr int run = stored_run<Acc, int(sizeof(T))>();
    const bool aligned = (in.columns | in.ld) % run == 0 &&
                         reinterpret_cast<std::uintptr_t>(in.first) % (run * sizeof(T)) == 0;
    block.each_lane([&](lane_coord p) {
        if (aligned)
            each_run<run>(acc, p, in, f);
        else
            each_run<1>(acc, p, in, f);
    });
}

}  // namespace detail

/// Writes an accumulator, converted, to the rows and columns that the matrix has; any alignment will do, and
/// 16 bytes are fastest. The tile lies within 2 GiB.
template <class Block, class Acc, class T>
FADE_FN void store(Block& block, Acc& acc, const matrix<T>& to) {
    if (to.rows <= 0) return;
    const auto memory = block.global(to.first, to.first, to.end());
    detail::by_runs(block, acc, to, [&](auto length, std::uint32_t offset, auto sum) FADE_LAMBDA {
        vec<T, length> run;
        FADE_UNROLL
        for (int e = 0; e < length; ++e) run[e] = fade::convert<T>(sum(e));
        memory.store(offset, run);
    });
}

/// Reads an accumulator from the rows and columns that the matrix has, and zeros elsewhere: what a product is
/// added to. Any alignment will do, and 16 bytes are fastest. The tile lies within 2 GiB.
template <class Block, class Acc, class T>
FADE_FN void load(Block& block, Acc& acc, const matrix<T>& from) {
    using element = std::remove_const_t<T>;
    const auto memory = block.global(from.first, from.first, from.end());
    detail::by_runs(block, acc, from, [&](auto length, std::uint32_t offset, auto sum) FADE_LAMBDA {
        const auto run = memory.template load<vec<element, length>>(offset);
        FADE_UNROLL
        for (int e = 0; e < length; ++e) sum(e) = fade::convert<float>(run[e]);
    });
}

/// Rounds each element to what T holds: the numbers that a store of T and a load would leave.
template <class T, class Block, class Acc>
FADE_FN void convert(Block& block, Acc& acc) {
    map(block, acc, [](float& x) { x = fade::convert<float>(fade::convert<T>(x)); });
}

}  // namespace FADE_NAMESPACE::tile

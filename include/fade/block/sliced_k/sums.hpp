// What waves that shared k have summed of one tile, added up.
#pragma once
#include <fade/core/lane_coord.hpp>
#include <fade/core/number/wrap.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::block {

/// Shared memory for the sums of all waves.
template <class Acc>
constexpr int bytes_of_sums(int waves) {
    using atom = typename Acc::atom;
    return waves * Acc::rows * atom::m * Acc::columns * atom::n * int(sizeof(typename Acc::element));
}

/// Calls f(row, column, sums) for all `Joined` neighbours of a row, added in the order of the waves, so that
/// the same bits come out each time. All waves call it.
template <int Joined, class Block, class Acc, class F>
FADE_FN void each_sum_of_waves(Block& block, Acc& acc, F f) {
    using atom = typename Acc::atom;
    using value = typename Acc::element;
    using neighbours = vec<value, Joined>;
    constexpr int rows = Acc::rows * atom::m, columns = Acc::columns * atom::n;
    const auto place = [](int wave, int row, int column) {
        return std::uint32_t(((wave * rows + row) * columns + column) * int(sizeof(value)));
    };
    block.each_lane([&](lane_coord p) FADE_LAMBDA {
        FADE_UNROLL
        for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
        for (int j = 0; j < Acc::columns; ++j) FADE_UNROLL
        for (int g = 0; g < atom::d_size; ++g) {
            const auto in_atom = atom::d_at(p.lane, g);
            block.store_shared(p, place(p.wave, i * atom::m + in_atom.major, j * atom::n + in_atom.minor),
                               vec<value, 1>{acc.at(p, i, j)[g]});
        }
    });
    block.sync();
    block.each_lane([&](lane_coord p) FADE_LAMBDA {
        for (int e = p.wave * Block::wave_size + p.lane; e < rows * columns / Joined; e += Block::threads) {
            const int row = e / (columns / Joined), column = e % (columns / Joined) * Joined;
            auto sums = block.template load_shared<neighbours>(p, place(0, row, column));
            for (int w = 1; w < Block::waves; ++w) {
                const auto more = block.template load_shared<neighbours>(p, place(w, row, column));
                FADE_UNROLL
                for (int i = 0; i < Joined; ++i) sums[i] = wrapping_sum(sums[i], more[i]);
            }
            f(row, column, sums);
        }
    });
}

}  // namespace FADE_NAMESPACE::block

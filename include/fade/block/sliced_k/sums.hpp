// What waves that shared k have summed of one tile, added up.
#pragma once
#include <fade/block/sliced_k/rows.hpp>
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

/// How many sums are taken together: neighbours in a row, or in a column.
struct sum_group {
    int rows = 1, columns = 1;
    constexpr int count() const { return rows * columns; }
};
inline constexpr sum_group single_sums{};

/// Calls f(row, column, sums) for all groups, added in the order of the waves, so that the same bits come out
/// each time. `Columns` says which columns those of the atoms are. All waves call it.
template <sum_group Group, class Columns, class Block, class Acc, class F>
FADE_FN void each_sum_of_waves(Block& block, Acc& acc, F f) {
    using atom = typename Acc::atom;
    using value = typename Acc::element;
    constexpr int rows = Acc::rows * atom::m, columns = Acc::columns * atom::n,
                  across = Columns::groups * columns / Group.columns,
                  sharing = Block::waves / Columns::groups;
    static_assert(rows % Group.rows == 0 && columns % Group.columns == 0);
    const auto place = [](int wave, int row, int column) {
        return std::uint32_t(((wave * rows + row) * columns + column) * int(sizeof(value)));
    };
    block.each_lane([&](lane_coord p) FADE_LAMBDA {
        FADE_UNROLL
        for (int i = 0; i < Acc::rows; ++i) FADE_UNROLL
        for (int j = 0; j < Acc::columns; ++j) FADE_UNROLL
        for (int g = 0; g < atom::d_size; ++g) {
            const auto in_atom = atom::d_at(p.lane, g);
            block.store_shared(p,
                               place(p.wave, i * atom::m + in_atom.major, Columns::in_tile(j, in_atom.minor)),
                               vec<value, 1>{acc.at(p, i, j)[g]});
        }
    });
    block.sync();
    block.each_lane([&](lane_coord p) FADE_LAMBDA {
        for (int e = p.wave * Block::wave_size + p.lane; e < rows * Columns::groups * columns / Group.count();
             e += Block::threads) {
            const int row = e / across * Group.rows, column = e % across * Group.columns;
            const int first = Columns::groups == 1 ? 0 : column / columns * sharing;
            const auto of = [&](int wave) FADE_LAMBDA {
                vec<value, Group.count()> out;
                FADE_UNROLL
                for (int r = 0; r < Group.rows; ++r) {
                    const auto some = block.template load_shared<vec<value, Group.columns>>(
                        p, place(first + wave, row + r, Columns::groups == 1 ? column : column % columns));
                    FADE_UNROLL
                    for (int c = 0; c < Group.columns; ++c) out[r * Group.columns + c] = some[c];
                }
                return out;
            };
            auto sums = of(0);
            for (int w = 1; w < sharing; ++w) {
                const auto more = of(w);
                FADE_UNROLL
                for (int i = 0; i < Group.count(); ++i) sums[i] = wrapping_sum(sums[i], more[i]);
            }
            f(row, column, sums);
        }
    });
}

}  // namespace FADE_NAMESPACE::block

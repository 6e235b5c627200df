// Results that leave by boxes: four waves put 64 rows of 128 bytes into shared memory, and the copy unit
// takes them from there while the next ones are made.
#pragma once
#include <fade/backend/buffer.hpp>
#include <fade/core/half.hpp>
#include <fade/core/lane_coord.hpp>
#include <fade/core/tensor_map.hpp>
#include <fade/core/unrolled.hpp>
#include <fade/core/vec.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::block {

/// A corner of a matrix of `rows` x `columns` elements that exist, and how the copy unit sees the matrix.
/// `map` is null where its rows are no multiples of 16 bytes: then lanes store element by element.
template <class Out>
struct box_target {
    const tensor_map* map;
    tile_source source;
    box_place corner;  ///< the position is a row
    int rows, columns;

    FADE_FN bool is_aligned() const { return map != nullptr; }
    /// A box from shared memory to a row and a column behind the corner.
    template <class Block>
    FADE_FN void store(Block& block, std::uint32_t from, int row, int column) const {
        box_place at = corner;
        at.column += column, at.position += row;
        block.store_box(from, *map, source, at);
    }
    /// The matrix from the corner on, for lanes.
    template <class Block>
    FADE_FN auto memory(const Block& block) const {
        const auto* begin = static_cast<const Out*>(source.base) + corner.batch * source.batch;
        return block.global(begin + corner.position * source.position + corner.column, begin,
                            begin + (source.positions - 1) * source.position + source.columns);
    }
    /// The byte of an element behind the corner, and of so many to its right.
    FADE_FN std::uint32_t offset(int row, int column, int count = 1) const {
        return row < rows && column + count <= columns
                   ? std::uint32_t((row * int(source.position) + column) * int(sizeof(Out)))
                   : backend::outside;
    }
};

/// The byte of a column of a box, which is `further` behind the first of eight.
template <class T>
FADE_FN std::uint32_t box_offset_of(int row, int eighth, int further) {
    const auto size = std::uint32_t(sizeof(T)), at = std::uint32_t(further) * size;
    const std::uint32_t begin = std::uint32_t(eighth) * size, run = begin / 16 + at / 16,
                        line = std::uint32_t(row);
    return line * 128 + (run ^ line % 8) * 16 + (begin + at) % 16;
}

/// Two boxes of results for each four waves, so that one is stored while the other is filled.
template <class Grid>
struct box_staging {
    static constexpr int box_rows = 64, box_bytes = box_rows * 128, groups = Grid::rows / 4,
                         bytes = groups * 2 * box_bytes;
    std::uint32_t base;  ///< of shared memory, a multiple of 1024
    FADE_FN std::uint32_t box(int group, int pass) const {
        return base + std::uint32_t((group * 2 + pass % 2) * box_bytes);
    }
    template <class Out>
    FADE_FN static std::uint32_t offset(int row, int eighth, int further) {
        return box_offset_of<Out>(row, eighth, further);
    }
};

/// Two numbers as Out holds them; 16-bit ones of f32 by one instruction.
template <class Out, class Block, class Value>
FADE_FN vec<Out, 2> pair_of(Block& block, Value left, Value right) {
    if constexpr (std::is_same_v<Value, float> && (std::is_same_v<Out, f16> || std::is_same_v<Out, bf16>))
        return block.template narrow<Out>(left, right);
    else
        return {convert<Out>(left), convert<Out>(right)};
}

/// Columns that leave at once: 128 bytes, or a tile of fewer.
template <class Out, class Acc>
inline constexpr int columns_at_once = min_of(128 / int(sizeof(Out)), Acc::columns* Acc::atom::n);

/// What a lane has of eight columns of a box: pairs of neighbours in two rows. f(row, column, sum) counts
/// from the tile's corner.
template <class Out, class Staging, class Block, class Acc, class F>
FADE_FN void fill_corners(Block& block, lane_coord p, Acc& acc, const Staging& staging, int pass, int column,
                          F f) {
    using atom = typename Acc::atom;
    constexpr int columns = columns_at_once<Out, Acc>;
    const int first = pass * columns + column, j = first / atom::n, g = first % atom::n / 8 * 4,
              group = int(unsigned(p.wave) / 4), further = p.lane % 4 * 2;
    const std::uint32_t box = staging.box(group, pass);
    FADE_UNROLL
    for (int half = 0; half < 4; half += 2) {
        const int row = int(unsigned(p.wave) % 4) * 16 + atom::d_at(p.lane, g + half).major,
                  in_tile = group * staging.box_rows + row, left = first + further;
        const auto& sums = acc.at(p, 0, j);
        block.store_shared(
            p, box + staging.template offset<Out>(row, column, further),
            pair_of<Out>(block, f(in_tile, left, sums[g + half]), f(in_tile, left + 1, sums[g + half + 1])));
    }
}

/// The same of 16 columns of 16-bit numbers, as whole matrices: lane 8 * i + r names row r of the i-th, of
/// which there are two below each other and two beside.
template <class Out, class Staging, class Block, class Acc, class F>
FADE_FN void fill_matrices(Block& block, lane_coord p, Acc& acc, const Staging& staging, int pass, int column,
                           F f) {
    using atom = typename Acc::atom;
    constexpr int columns = columns_at_once<Out, Acc>;
    const int group = int(unsigned(p.wave) / 4), first_row = int(unsigned(p.wave) % 4) * 16,
              further = p.lane % 4 * 2;
    vec<std::uint32_t, 4> words;
    FADE_UNROLL
    for (int i = 0; i < 4; ++i) {
        const int first = pass * columns + column + i / 2 * 8, j = first / atom::n,
                  g = first % atom::n / 8 * 4 + i % 2 * 2, left = first + further,
                  row = group * staging.box_rows + first_row + atom::d_at(p.lane, g).major;
        const auto& sums = acc.at(p, 0, j);
        words[i] = __builtin_bit_cast(
            std::uint32_t, pair_of<Out>(block, f(row, left, sums[g]), f(row, left + 1, sums[g + 1])));
    }
    const std::uint32_t box = staging.box(group, pass);
    block.store_matrices(
        p,
        [&](int lane) FADE_LAMBDA {
            return box + staging.template offset<Out>(first_row + lane % 16, column + lane / 16 * 8, 0);
        },
        words);
}

/// A pass of all lanes, or the first columns of one.
template <class Out, int Columns = 0, class Staging, class Block, class Acc, class F>
FADE_FN void fill_box(Block& block, Acc& acc, const Staging& staging, int pass, F f) {
    constexpr int columns = Columns > 0 ? Columns : columns_at_once<Out, Acc>;
    block.each_lane([&](lane_coord p) FADE_LAMBDA {
        p.lane = Block::fresh(p.lane);  // addresses would wait in registers for the next tile
        if constexpr (sizeof(Out) == 2 && columns % 16 == 0) {
            FADE_UNROLL
            for (int column = 0; column < columns; column += 16)
                fill_matrices<Out>(block, p, acc, staging, pass, column, f);
        } else {
            FADE_UNROLL
            for (int column = 0; column < columns; column += 8)
                fill_corners<Out>(block, p, acc, staging, pass, column, f);
        }
    });
}

/// Puts f(row, column, sum) in the place of every sum of a tile, of which waves hold 16 rows each of all
/// columns.
template <class Block, class Acc, class F>
FADE_FN void replace_sums(Block& block, Acc& acc, F f) {
    using atom = typename Acc::atom;
    block.each_lane([&](lane_coord p) FADE_LAMBDA {
        unrolled<Acc::columns>([&](int j) FADE_LAMBDA {
            auto& sums = acc.at(p, 0, j);
            unrolled<atom::d_size>([&](int g) FADE_LAMBDA {
                const auto at = atom::d_at(p.lane, g);
                sums[g] = f(p.wave * atom::m + at.major, j * atom::n + at.minor, sums[g]);
            });
        });
    });
}

/// The same by lanes, an element each, of the rows and columns that exist: some at once, for each waits.
template <int Columns, class Out, class Grid, class Block, class Target>
FADE_FN void store_elements(Block& block, const box_staging<Grid>& staging, const Target& target, int pass) {
    constexpr int columns = Columns, lanes = 4 * Block::wave_size;
    const auto memory = target.memory(block);
    block.each_lane([&](lane_coord p) FADE_LAMBDA {
        const int group = p.wave / 4, lane = p.wave % 4 * Block::wave_size + p.lane;
        constexpr int some = 4;
        static_assert(64 * columns % (some * lanes) == 0, "boxes have multiples of 64 rows");
        FADE_ROLLED
        for (int first = lane; first < staging.box_rows * columns; first += some * lanes) {
            vec<Out, some> x;
            unrolled<some>([&](int i) FADE_LAMBDA {
                const int n = first + i * lanes, row = n / columns, column = n % columns;
                x[i] = block.template load_shared<vec<Out, 1>>(
                    p, staging.box(group, pass) +
                           staging.template offset<Out>(row, column / 8 * 8, column % 8))[0];
            });
            unrolled<some>([&](int i) FADE_LAMBDA {
                const int n = first + i * lanes, row = n / columns, column = n % columns;
                memory.store(target.offset(group * staging.box_rows + row, pass * columns + column), x[i]);
            });
        }
    });
}

/// Some neighbours of a row, of which those that exist are stored.
template <class Out, class Target, class Memory, class Sums, class F>
FADE_FN void store_run(const Target& target, const Memory& memory, int row, int column, const Sums& sums,
                       F f) {
    vec<Out, Sums::size> out;
    FADE_UNROLL
    for (int i = 0; i < Sums::size; ++i) out[i] = convert<Out>(f(row, column + i, sums[i]));
    const std::uint32_t all = target.offset(row, column, Sums::size);
    if (target.is_aligned() && all != backend::outside) return memory.store(all, out);
    FADE_UNROLL
    for (int i = 0; i < Sums::size; ++i) memory.store(target.offset(row, column + i), out[i]);
}

/// f(row, column, values) for runs of 16 bytes of a pass's boxes, as lanes read them back, side by side and
/// few at once.
template <class T, int Columns = 128 / int(sizeof(T)), class Grid, class Block, class F>
FADE_FN void read_boxes(Block& block, const box_staging<Grid>& staging, int pass, F f) {
    constexpr int columns = Columns, run = 16 / int(sizeof(T)), lanes = 4 * Block::wave_size;
    block.each_lane([&](lane_coord p) FADE_LAMBDA {
        const int group = int(unsigned(p.wave) / 4), lane = p.wave % 4 * Block::wave_size + p.lane;
        FADE_ROLLED
        for (int n = lane; n < staging.box_rows * columns / run; n += lanes) {
            const int row = n / (columns / run), column = n % (columns / run) * run;
            const auto values = block.template load_shared<vec<T, run>>(
                p, staging.box(group, pass) + staging.template offset<T>(row, column / 8 * 8, column % 8));
            f(group * staging.box_rows + row, pass * columns + column, values);
        }
    });
}

/// What of a tile's columns lies behind its last whole box goes by lanes: a box would reach into the next
/// tile.
template <class Out, class Grid, class Block, class Acc, class Target, class F>
FADE_FN void store_rest(Block& block, Acc& acc, const box_staging<Grid>& staging, const Target& target, F f) {
    constexpr int columns = columns_at_once<Out, Acc>, all = Acc::columns * Acc::atom::n,
                  pass = all / columns, rest = all - pass * columns;
    if constexpr (rest > 0) {
        const auto memory = target.memory(block);
        block.one_lane_of_group([&](int group) { block.template await_boxes<0>(group); });
        block.meet_group();
        fill_box<Out, rest>(block, acc, staging, pass, f);
        block.meet_group();
        read_boxes<Out, rest>(block, staging, pass,
                              [&](int row, int column, const auto& results) FADE_LAMBDA {
                                  store_run<Out>(target, memory, row, column + pass * (columns - rest),
                                                 results, [](int, int, Out x) FADE_LAMBDA { return x; });
                              });
    }
}

/// Stores f(row, column, sum) as Out, of all sums of a tile; the waves of Grid hold 16 rows each of all
/// columns. The target is a box_target, or what has its is_aligned, store, memory and offset.
template <class Out, class Grid, class Block, class Acc, class Target, class F>
FADE_FN void store_boxes(Block& block, Acc& acc, const box_staging<Grid>& staging, const Target& target,
                         F f) {
    using atom = typename Acc::atom;
    constexpr int columns = columns_at_once<Out, Acc>, passes = Acc::columns * atom::n / columns;
    constexpr int pending = passes % 2 == 0 ? 1 : 0;  // the next tile begins with the same box as this one
    static_assert(Grid::columns == 1 && Acc::rows == 1,
                  "boxes are stored of waves that hold 16 rows of all columns");
    constexpr bool whole = columns * int(sizeof(Out)) == 128;  // as wide as the map's boxes
    unrolled<passes>([&](int pass) FADE_LAMBDA {
        block.one_lane_of_group([&](int group) { block.template await_boxes<pending>(group); });
        block.meet_group();
        fill_box<Out>(block, acc, staging, pass, f);
        block.publish();
        block.meet_group();
        if (whole && target.is_aligned())
            block.one_lane_of_group([&](int group) {
                target.store(block, staging.box(group, pass), group * staging.box_rows, pass * columns);
                block.commit_boxes(group);
            });
        else
            store_elements<columns, Out, Grid>(block, staging, target, pass);
    });
    store_rest<Out>(block, acc, staging, target, f);
}

/// Stores f(row, column, sum), which may read memory: sums come back from shared memory in rows. The target
/// is a box_target, or what has its is_aligned, memory and offset.
template <class Out, class Grid, class Block, class Acc, class Target, class F>
FADE_FN void store_rows(Block& block, Acc& acc, const box_staging<Grid>& staging, const Target& target, F f) {
    using sum = typename Acc::element;
    constexpr int columns = 128 / int(sizeof(sum));
    const auto memory = target.memory(block);
    unrolled<Acc::columns * Acc::atom::n / columns>([&](int pass) FADE_LAMBDA {
        fill_box<sum>(block, acc, staging, pass, [](int, int, sum x) FADE_LAMBDA { return x; });
        block.meet_group();
        read_boxes<sum>(block, staging, pass, [&](int row, int column, const auto& sums) FADE_LAMBDA {
            store_run<Out>(target, memory, row, column, sums, f);
        });
    });
}

/// Stores f(row, column, left, right) of neighbours, column being the even one, to half as many columns.
template <class Out, class Grid, class Block, class Acc, class Target, class F>
FADE_FN void store_row_pairs(Block& block, Acc& acc, const box_staging<Grid>& staging, const Target& target,
                             F f) {
    using sum = typename Acc::element;
    constexpr int columns = 128 / int(sizeof(sum));
    const auto memory = target.memory(block);
    unrolled<Acc::columns * Acc::atom::n / columns>([&](int pass) FADE_LAMBDA {
        fill_box<sum>(block, acc, staging, pass, [](int, int, sum x) FADE_LAMBDA { return x; });
        block.meet_group();
        read_boxes<sum>(block, staging, pass, [&](int row, int column, const auto& sums) FADE_LAMBDA {
            constexpr int size = std::remove_cvref_t<decltype(sums)>::size / 2;
            vec<sum, size> results;
            FADE_UNROLL
            for (int i = 0; i < size; ++i) results[i] = f(row, column + 2 * i, sums[2 * i], sums[2 * i + 1]);
            store_run<Out>(target, memory, row, column / 2, results,
                           [](int, int, sum x) FADE_LAMBDA { return x; });
        });
    });
}

/// Stores as store_boxes would, where the copy unit cannot: lanes store 16 bytes each. The target is as that
/// of store_rows. Waves have met since the boxes were last used; the barrier of another pass lies between two
/// uses of a box.
template <class Out, class Grid, class Block, class Acc, class Target, class F>
FADE_FN void store_runs(Block& block, Acc& acc, const box_staging<Grid>& staging, const Target& target, F f) {
    constexpr int columns = columns_at_once<Out, Acc>, passes = Acc::columns * Acc::atom::n / columns;
    const auto memory = target.memory(block);
    unrolled<passes>([&](int pass) FADE_LAMBDA {
        fill_box<Out>(block, acc, staging, pass, f);
        block.meet_group();
        read_boxes<Out, columns>(block, staging, pass,
                                 [&](int row, int column, const auto& results) FADE_LAMBDA {
                                     store_run<Out>(target, memory, row, column, results,
                                                    [](int, int, Out x) FADE_LAMBDA { return x; });
                                 });
    });
    store_rest<Out>(block, acc, staging, target, f);
}

/// All boxes have left shared memory.
template <class Block>
FADE_FN void finish_boxes(Block& block) {
    block.one_lane_of_group([&](int group) { block.template await_boxes<0>(group); });
}

}  // namespace FADE_NAMESPACE::block

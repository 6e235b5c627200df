// Rows of a head straight from global into shared memory, in spans of 128 bytes that a matrix unit reads by
// itself.
#pragma once
#include <fade/block/async_copy.hpp>
#include <fade/block/source/rows.hpp>
#include <fade/block/warpgroup.hpp>

namespace FADE_NAMESPACE::block {

/// Positions x dimensions: spans of 128 bytes of dimensions, position after position.
template <class T, int Positions, int Dimensions>
using span_layout = row_warpgroup_layout<T, Dimensions, Positions>;

/// Finds rows when they are asked for.
template <class Block, class Rows, int WaveRows, int Copies, int AtOnce>
class row_finder {
public:
    FADE_FN void begin(Block&, const Rows&, int) {}
    FADE_FN void look(Block&, const Rows&, int, int) {}
    FADE_FN void take(Block&, const Rows&) {}
    FADE_FN void take_behind(Block&, const Rows&, const row_finder&) {}
    FADE_FN auto row(Block&, lane_coord, const Rows& rows, int, int position) const {
        return rows.at(rows.find(position));
    }
};

/// Rows at equal distances: a lane's first row of a tile is one addition behind that of the tile before.
template <class Block, even_rows Rows, int WaveRows, int Copies, int AtOnce>
class row_finder<Block, Rows, WaveRows, Copies, AtOnce> {
    static_assert(WaveRows > 0, "a wave copies whole rows");

public:
    FADE_FN void begin(Block& block, const Rows& rows, int next) {
        block.each_lane([&](lane_coord p) {
            lanes_[p] = rows.at(rows.find(next + p.wave * WaveRows + p.lane / (Block::wave_size / WaveRows)));
        });
    }
    FADE_FN void look(Block&, const Rows&, int, int) {}
    FADE_FN void take(Block&, const Rows&) {}
    FADE_FN void take_behind(Block&, const Rows&, const row_finder&) {}
    FADE_FN auto row(Block&, lane_coord p, const Rows& rows, int, int) {
        const auto* at = lanes_[p];
        lanes_[p] += rows.distance(AtOnce);
        return at;
    }

private:
    per_lane<Block, const typename Rows::element*> lanes_;
};

/// Each lane looks up one of the positions that its wave copies next, for all lanes of the wave.
template <class Block, looked_up_rows Rows, int WaveRows, int Copies, int AtOnce>
class row_finder<Block, Rows, WaveRows, Copies, AtOnce> {
    static_assert(WaveRows > 0 && Copies * WaveRows <= Block::wave_size,
                  "a lane looks up one position of a tile");
    struct lane_state {
        typename Rows::entry found, taken;
        const typename Rows::element* row;
    };

public:
    FADE_FN void begin(Block&, const Rows&, int) {}
    FADE_FN void look(Block& block, const Rows& rows, int next, int end) {
        block.each_lane([&](lane_coord p) {
            const int position = next + p.wave * WaveRows + p.lane % WaveRows + p.lane / WaveRows * AtOnce;
            lanes_[p].found =
                p.lane < Copies * WaveRows && position < end ? rows.find(position) : typename Rows::entry{};
        });
    }
    FADE_FN void take(Block& block, const Rows& rows) {
        block.each_lane([&](lane_coord p) {
            lanes_[p].taken = lanes_[p].found, lanes_[p].row = row_or_null(rows, lanes_[p].found);
        });
    }
    /// The positions that another took last, in a tensor whose rows are looked up in the same table.
    FADE_FN void take_behind(Block& block, const Rows& rows, const row_finder& other) {
        block.each_lane([&](lane_coord p) { lanes_[p].row = row_or_null(rows, other.lanes_[p].taken); });
    }
    FADE_FN auto row(Block& block, lane_coord p, const Rows&, int copy, int) const {
        return block.from_lane(p, copy * WaveRows + p.lane / (Block::wave_size / WaveRows),
                               [&](lane_coord q) { return lanes_[q].row; });
    }

private:
    FADE_FN static auto row_or_null(const Rows& rows, const typename Rows::entry& e) {
        return rows.holds(e) ? rows.at(e) : nullptr;
    }
    per_lane<Block, lane_state> lanes_;
};

/// Copies tile after tile of consecutive positions, of which `Rows` tells where each lies. What lies beyond
/// the last position, or beyond the dimensions, or looked up and not there, becomes zeros.
template <class Block, class Layout, row_source Rows>
class span_loader {
    static constexpr int run = 16 / int(sizeof(typename Rows::element)), runs = Layout::rows / run,
                         at_once = Block::threads / runs, copies = Layout::depth / at_once;
    static constexpr int together =
        !Rows::looked_up  ? copies
        : copies % 3 == 0 ? 3
        : copies % 2 == 0 ? 2
                          : copies;  // addresses of all that are looked up would take too many registers
    static_assert(
        Block::threads % runs == 0 && at_once % 8 == 0 && Layout::depth % at_once == 0,
        "every lane copies the same run of as many positions, which are whole groups of eight apart");
    struct lane_state {
        std::uint32_t shared;
        int first, column;  // the first of its positions, and its run in all of them
        int end;  // how many positions after `first` there are; none where its run is beyond the head's
                  // dimension
    };

public:
    FADE_FN span_loader(Block& block, const row_range<Rows>& from)
        : rows_(from.rows), next_(from.begin), end_(from.end) {
        block.each_lane([&](lane_coord p) {
            const int lane = p.wave * Block::wave_size + p.lane, column = lane % runs * run,
                      first = lane / runs;
            lanes_[p] = {Layout::offset(column, first), first, column,
                         column < from.columns ? end_ - first : none};
        });
        finder_.begin(block, rows_, next_);
    }

    /// Before the first copy of rows that are looked up.
    FADE_FN void look_up(Block& block) { finder_.look(block, rows_, next_, end_); }

    /// Starts copying a tile, and moves on to the next.
    FADE_FN void copy(Block& block, std::uint32_t base) {
        finder_.take(block, rows_);
        start(block, base);
        finder_.look(block, rows_, next_, end_);
    }
    /// The same of the positions that `other` copied last: they are looked up once for both.
    FADE_FN void copy_behind(Block& block, std::uint32_t base, const span_loader& other) {
        finder_.take_behind(block, rows_, other.finder_);
        start(block, base);
    }

private:
    static constexpr int none = -0x7fffffff - 1;

    FADE_FN void start(Block& block, std::uint32_t base) {
        block.each_lane([&](lane_coord p) {
            const auto& lane = lanes_[p];
            const int left = lane.end - (lane.end == none ? 0 : next_);
            FADE_ROLLED
            for (int first = 0; first < copies; first += together) FADE_UNROLL
            for (int i = first; i < first + together; ++i) {
                const auto* from = finder_.row(block, p, rows_, i, next_ + lane.first + i * at_once);
                const bool there = i * at_once < left && (!Rows::looked_up || from);
                block.copy_async(p, base + lane.shared + Layout::offset(0, i * at_once), from + lane.column,
                                 there);
            }
        });
        next_ += Layout::depth;
    }

    Rows rows_;
    int next_, end_;
    per_lane<Block, lane_state> lanes_;
    row_finder<Block, Rows, Block::wave_size / runs, copies, at_once> finder_;
};

}  // namespace FADE_NAMESPACE::block

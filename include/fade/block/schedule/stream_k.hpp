// Stream-k: workgroups stay and make whole tiles as long as there is one for each; the sums of the last tiles
// they share evenly, step by step. After Osama et al., "Stream-K: work-centric parallel decomposition for
// dense matrix-matrix multiplication on the GPU" (2023), but that a second launch adds up the shared sums, in
// the order of k: nobody waits for another workgroup, and the same bits come out each time.
#pragma once
#include <fade/block/schedule/split.hpp>

namespace FADE_NAMESPACE::block {

/// How many workgroups share a tile, as a rule.
inline constexpr int usual_sharers = 2;

/// How tiles of equally many steps fall to workgroups. The steps of shared tiles are counted on from tile to
/// tile; a part is what one workgroup sums of one tile.
struct stream_k_shares {
    int workgroups;
    int steps;   ///< of a tile
    int whole;   ///< tiles that are made whole, whose numbers are the first
    int shared;  ///< tiles behind them
    int share;   ///< steps of those that a workgroup takes

    static constexpr stream_k_shares of(index tiles, index steps, index workgroups) {
        const index shared = tiles % workgroups;
        return {int(workgroups), int(steps), int(tiles - shared), int(shared),
                int(ceil_div<index>(shared * steps, workgroups))};
    }

    /// Parts lie in the workspace in the order of their k: each begins with a workgroup or with a tile, so
    /// that those of a tile are neighbours. Where both begin at once a place stays empty.
    FADE_FN constexpr int place(int workgroup, int tile) const { return workgroup + tile; }
    constexpr int places() const { return shared > 0 ? workgroups + shared : 0; }

    /// The workgroups that share a tile: the first of them, and how many.
    FADE_FN constexpr part_range<int> sharers(int tile) const {
        const index first = index(tile) * steps;
        return {int(first / share), int((first + steps - 1) / share) + 1};
    }
};

/// A tile, or so many of its steps.
struct stream_k_work {
    tile_index tile;
    int layer, first_step, steps;
    int left;  ///< place of the part in the workspace; below 0: the tile is made whole
};

struct stream_k_schedule {
    tile_walk walk;
    stream_k_shares shares;
    int workgroup;
    index end_of_share;  ///< among the steps of all shared tiles

    template <class Block>
    FADE_FN stream_k_schedule(const Block& block, const tile_walk& tiles, const stream_k_shares& of)
        : walk(tiles), shares(of), workgroup(block.id_x()),
          end_of_share(min_of<index>(index(block.id_x() + 1) * of.share, index(of.shared) * of.steps)) {}

    FADE_FN stream_k_work item(int number, int first_step, int steps, int left) const {
        return {walk.at(int(unsigned(number) % unsigned(walk.count()))),
                int(unsigned(number) / unsigned(walk.count())), first_step, steps, left};
    }

    struct iterator {
        const stream_k_schedule* of;
        int whole;   ///< number of the next tile that is made whole
        index step;  ///< of shared ones

        FADE_FN bool makes_whole() const { return whole < of->shares.whole; }
        FADE_FN int tile() const { return int(unsigned(step) / unsigned(of->shares.steps)); }
        FADE_FN index end_of_part() const {
            return min_of<index>(index(tile() + 1) * of->shares.steps, of->end_of_share);
        }
        FADE_FN stream_k_work operator*() const {
            const stream_k_shares& all = of->shares;
            if (makes_whole()) return of->item(whole, 0, all.steps, -1);
            return of->item(all.whole + tile(), int(step - index(tile()) * all.steps),
                            int(end_of_part() - step), all.place(of->workgroup, tile()));
        }
        FADE_FN iterator& operator++() {
            if (makes_whole())
                whole += of->shares.workgroups;
            else
                step = end_of_part();
            return *this;
        }
        FADE_FN bool operator!=(const iterator&) const { return makes_whole() || step < of->end_of_share; }
    };
    FADE_FN iterator begin() const { return {this, workgroup, index(workgroup) * shares.share}; }
    FADE_FN iterator end() const { return begin(); }
};

}  // namespace FADE_NAMESPACE::block

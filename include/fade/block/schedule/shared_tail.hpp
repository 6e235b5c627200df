// Clusters that stay, and share the last tiles: stream-k of what copy units bring.
#pragma once
#include <fade/block/schedule/persistent.hpp>
#include <fade/block/schedule/stream_k.hpp>

namespace FADE_NAMESPACE::block {

/// A tile, or some of its steps.
struct tail_work {
    work_item tile;
    int first_step, steps;
    int left;  ///< place of the part in the workspace, of a tile each; below 0: the tile is made whole
};

/// As many tiles as go round are made whole. The steps of those behind them, if they are `shared`, are dealt
/// out evenly: workgroups of stream_k_shares are clusters here, and a tile is all that a cluster makes.
template <int Cluster>
struct tail_schedule : persistent_schedule<Cluster> {
    using base = persistent_schedule<Cluster>;
    stream_k_shares shares;
    int whole, end;  ///< tiles, and steps of shared tiles that are this cluster's or before

    template <class Block>
    FADE_FN tail_schedule(const Block& block, const tile_walk& tiles, int all_layers, int workgroups,
                          int cluster_columns, const stream_k_shares& of)
        : base(block, tiles, all_layers, workgroups, cluster_columns), shares(of),
          whole(of.shared > 0 ? of.whole : this->walk.count() * all_layers),
          end(of.shared > 0 ? min_of((this->first + 1) * of.share, of.shared * of.steps) : 0) {}

    /// A number of a whole tile, and a step of shared ones.
    struct place {
        int number, step;
    };
    FADE_FN place start() const { return {this->first, shares.shared > 0 ? this->first * shares.share : 0}; }
    FADE_FN bool has(const place& at) const { return at.number < whole || at.step < end; }
    FADE_FN place behind(const place& at) const {
        if (at.number < whole) return {at.number + this->clusters, at.step};
        return {at.number, end_of_part(at.step)};
    }
    FADE_FN tail_work item(const place& at) const {
        if (at.number < whole) return {base::item(at.number), 0, 0, -1};
        const int tile = tile_of(at.step);
        return {base::item(whole + tile), at.step - tile * shares.steps, end_of_part(at.step) - at.step,
                shares.place(this->first, tile) * Cluster + this->rank};
    }

private:
    FADE_FN int tile_of(int step) const { return int(unsigned(step) / unsigned(shares.steps)); }
    FADE_FN int end_of_part(int step) const { return min_of((tile_of(step) + 1) * shares.steps, end); }
};

}  // namespace FADE_NAMESPACE::block

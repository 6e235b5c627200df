// How queries, and tiles of keys and values, come to shared memory where a matrix unit reads them there:
// batch n is the keys of tile n and the values of tile n - 1, and batch 0 the queries, too.
#pragma once
#include <fade/block/span_copy.hpp>
#include <fade/core/unrolled.hpp>
#include <fade/kernel/attention/arguments.hpp>
#include <fade/kernel/attention/warpgroup/traits.hpp>

namespace FADE_NAMESPACE::kernel {

/// By lanes, which copy runs of 16 bytes each: any rows.
template <class Block, class Traits, class Rows, class Queries>
class lane_producer {
public:
    static constexpr bool by_one_lane =
        false;  ///< does one lane ask for a batch, whose wave the others wait for?
    FADE_FN lane_producer(Block& block, const block::row_range<Queries>& q, const block::row_range<Rows>& k,
                          const block::row_range<Rows>& v)
        : q_(q), keys_(block, k), values_(block, v) {}

    /// Starts batch 0.
    FADE_FN void begin(Block& block) {
        keys_.look_up(block);
        start(block, 0);
        block::span_loader<Block, typename Traits::layout_q, Queries>(block, q_).copy(block,
                                                                                      Traits::tile_q());
        block.commit_async();
    }
    FADE_FN void start(Block& block, int n) {
        if (n > 0)
            values_.copy_behind(block, Traits::tile_v(unsigned(n - 1) % Traits::stages),
                                keys_);  // of the keys that were copied last
        keys_.copy(block, Traits::tile_k(unsigned(n) % Traits::stages));
        block.commit_async();
    }
    /// Batch 0 is there, and Later batches are under way.
    template <int Later>
    FADE_FN void first(Block& block) {
        block.template wait_async<Later>();
        block.sync();
    }
    /// Nobody reads what the batch to start next takes the place of, and the next one to read is there: one
    /// barrier says both.
    FADE_FN void release(Block& block) {
        block.template wait_async<Traits::stages - 2>();
        block.sync();
    }
    FADE_FN void land(Block&, int) {}  // release() says so

private:
    using loader = block::span_loader<Block, typename Traits::layout_k, Rows>;
    block::row_range<Queries> q_;
    loader keys_, values_;
};

template <class Traits, class Block, class Rows, class Queries>
FADE_FN auto producer_by_lanes(Block& block, const block::row_range<Queries>& q,
                               const block::row_range<Rows>& k, const block::row_range<Rows>& v) {
    return lane_producer<Block, Traits, Rows, Queries>(block, q, k, v);
}

/// By hardware, in boxes of spans: rows at equal distances. What lies beyond the last key is zeros.
template <class Block, class Traits, class Args>
class box_producer {
    using layout_q = typename Traits::layout_q;
    using layout = typename Traits::layout_k;
    static_assert(Traits::stages == 2,
                  "with more stages batches would be started behind the last, and not be waited for");

public:
    static constexpr bool by_one_lane = true;
    /// `produced`: how many batches came through the same barriers before. The first box waits for all this,
    /// so most problems are spared the division.
    FADE_FN box_producer(const Args& args, const query_tile& at, int begin, int tiles, int produced)
        : args_(&args), first_query_(at.first_query), query_head_(at.head), begin_(begin),
          head_(args.group == 1 ? at.head : at.head / args.group), batch_(at.batch), tiles_(tiles),
          produced_(produced) {}

    FADE_FN void begin(Block& block) {
        block.one_lane([&] {
            if (produced_ == 0) block.begin_arrivals(Traits::arrival(0), Traits::stages);
            block.expect(arrival(0), layout_q::bytes + layout::bytes);
            copy<layout_q>(block, Traits::tile_q(), args_->q_map,
                           queries_to_map(*args_, batch_ + 1, Traits::queries),
                           {0, first_query_, query_head_, batch_}, 0);
            copy_keys(block, 0);
        });
    }
    /// From batch 1 on. Nothing comes behind the values of the last tile.
    FADE_FN void start(Block& block, int n) {
        block.one_lane([&] {
            block.expect(arrival(n), (n < tiles_ ? layout::bytes : 0) + layout::bytes);
            if (n < tiles_) copy_keys(block, n);
            copy<layout>(block, Traits::tile_v(unsigned(n - 1) % Traits::stages), args_->v_map,
                         values_to_map(*args_, batch_ + 1, Traits::keys), place_of(n - 1), n);
        });
    }
    /// Batch 0 is there; others wait for it where one lane made the barriers.
    template <int>
    FADE_FN void first(Block& block) {
        block.meet();
        land(block, 0);
    }
    /// Nobody reads what the batch to start next takes the place of.
    FADE_FN void release(Block& block) { block.meet(); }
    /// Batch n is there.
    FADE_FN void land(Block& block, int n) {
        block.await_arrival(arrival(n), int(unsigned(produced_ + n) / Traits::stages));
    }

private:
    FADE_FN std::uint32_t arrival(int n) const {
        return Traits::arrival(int(unsigned(produced_ + n) % Traits::stages));
    }
    FADE_FN box_place place_of(int tile) const { return {0, begin_ + tile * Traits::keys, head_, batch_}; }
    FADE_FN void copy_keys(Block& block, int n) {
        copy<layout>(block, Traits::tile_k(unsigned(n) % Traits::stages), args_->k_map,
                     keys_to_map(*args_, batch_ + 1, Traits::keys), place_of(n), n);
    }
    template <class Layout>
    FADE_FN void copy(Block& block, std::uint32_t to, const tensor_map& map, const tile_source& source,
                      box_place at, int n) {
        constexpr int columns = tile_source::box_columns;
        unrolled<ceil_div(Layout::rows, columns)>([&](int box) FADE_LAMBDA {
            at.column = box * columns;
            block.copy_box(to + Layout::offset(at.column, 0), map, source, at, arrival(n));
        });
    }

    const Args* args_;
    int first_query_, query_head_, begin_, head_, batch_, tiles_, produced_;
};

}  // namespace FADE_NAMESPACE::kernel

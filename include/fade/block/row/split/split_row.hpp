// A row whose columns two workgroups split: each sums over all of it, and writes its half.
#pragma once
#include <fade/block/row/column_sums.hpp>
#include <fade/block/row/each_row.hpp>
#include <fade/block/row/moments.hpp>
#include <fade/block/row/operand.hpp>
#include <fade/block/row/passes.hpp>
#include <fade/core/call/row_tensor.hpp>
#include <fade/core/workgroup.hpp>

namespace FADE_NAMESPACE::block {

/// Rows ahead of a split row's workgroup: two halves of two operands.
constexpr int split_ahead = 4;
/// Columns of a half, the last of which may have fewer: whole runs.
FADE_FN constexpr int split_width(int columns, int run) { return ceil_div(ceil_div(columns, 2), run) * run; }

/// The columns that a workgroup has, and those of the other one.
template <row_policy P>
struct row_split {
    struct half {
        int begin, count;
    };
    half own, other;
    FADE_FN static row_split of(int columns, int which) {
        const int width = split_width(columns, P.run);
        const half first{0, width}, second{width, columns - width};
        return which == 0 ? row_split{first, second} : row_split{second, first};
    }
};

/// An operand of a split row.
template <class Own, class Other>
struct split_operand {
    Own own;
    Other other;
};

/// Weights that all rows share: both halves.
template <row_policy P, class Block, class T>
FADE_FN auto hold_split_columns(Block& block, const row_tensor<const T>& t, float otherwise,
                                const row_split<P>& split) {
    using held = held_columns<Block, P, T>;
    const auto of = [&](const auto& half, int place) FADE_LAMBDA {
        return held(block, {t.data ? t.data + half.begin : nullptr, 0}, otherwise, half.count, 0, place);
    };
    return split_operand<held, held>{of(split.own, 0), of(split.other, 1)};
}

/// Made by each_split_row(). It has the verbs of block::row that gradients of norms call, whose tensors are
/// given whole; sums are of all columns, and what is written are the workgroup's own. Both halves of the next
/// row come to shared memory meanwhile: the other workgroup asks for the same bytes at about the same time,
/// so that the second cache has them. Nothing that is read may be written.
template <class Block, row_policy P>
class split_row {
    static_assert(P.shared_row && P.resident && P.whole_runs && P.ahead == split_ahead &&
                  async_workgroup<Block>);
    using passes = row_passes<Block, P>;
    using columns_type = typename passes::columns_type;
    using half = typename row_split<P>::half;
    static constexpr int held = passes::held;

    template <class T>
    struct ahead_operand : split_operand<row_operand<Block, P, T>, shared_runs<Block, P, T>> {
        row_tensor<const T> tensor;
    };

public:
    FADE_FN split_row(Block& block, const row_step& step, const row_extent& extent, const row_split<P>& split,
                      int& parity)
        : block_(block), step_(step), extent_(extent), split_(split),
          passes_(block, wave_coord{0, 0}, 0, columns_type{split.own.count, 0}, parity),
          others_(block, wave_coord{0, 0}, 0, columns_type{split.other.count, 0}, parity) {}

    FADE_FN index number() const { return step_.number; }    ///< which row this is
    FADE_FN int columns() const { return extent_.columns; }  ///< elements of it
    template <class T>
    FADE_FN T get(const T* values) const {
        return values[step_.number];
    }
    template <class T>
    FADE_FN void ask_for_next(const row_tensor<const T>&) const {}

    template <class T>
    FADE_FN auto read(const row_tensor<const T>& t) {
        static_assert(P.run * int(sizeof(T)) == 16);
        const shared_runs<Block, P, T> own(block_, place_of(reads_)), other(block_, place_of(reads_ + 2));
        ahead_operand<T> x{{row_operand<Block, P, T>(memory(t, step_.number, split_.own), T{}), other}, t};
        if (step_.first) {
            copy(t, step_.number, passes_, split_.own, own);
            copy(t, step_.number, others_, split_.other, other);
        }
        if (step_.first || reads_ == 0) block_.template wait_async<0>();
        passes_.each_lane([&](lane_coord p) FADE_LAMBDA {
            x.own.keep_copied(block_, p, [&](int i) FADE_LAMBDA { return own.at(p, i); });
        });
        if (step_.next < extent_.rows) copy(t, step_.next, passes_, split_.own, own);
        ++reads_;
        return x;
    }
    template <class T>
    FADE_FN auto read_late(const row_tensor<const T>& t) {
        return row_operand<Block, P, T, true>(memory(t, step_.number, split_.own), T{});
    }

    template <class F, class... Operands>
    FADE_FN float sum(F f, const Operands&... xs) {
        return fold<float>(add_floats{}, f, xs...);
    }
    template <class F, class G, class... Operands>
    FADE_FN two_sums sums(F f, G g, const Operands&... xs) {
        return fold<two_sums>(
            add_two_sums{}, [&](auto... x) FADE_LAMBDA { return two_sums{f(x...), g(x...)}; }, xs...);
    }
    template <class T, class F, class Sums, class G, class Op, class... Operands>
    FADE_FN void write_and_add(const row_tensor<T>& t, F f, Sums& sums, G to_add, Op op,
                               const Operands&... xs) {
        const auto to = memory(t, step_.number, split_.own);
        const columns_type& columns = passes_.columns();
        passes_.each_numbered_run(
            [&](lane_coord p, int i, const auto&... x) FADE_LAMBDA {
                to.store(columns, columns.first(p, 0, i),
                         rounded_run<Block, T, P.run>([&](int e) FADE_LAMBDA { return f(x[e]...); }));
                FADE_UNROLL
                for (int e = 0; e < P.run; ++e) sums.at(p, i, e) = op(sums.at(p, i, e), to_add(x[e]...));
            },
            own_of(xs)...);
    }

private:
    template <class Operand>
    FADE_FN static const auto& own_of(const Operand& x) {
        if constexpr (requires { x.own; })
            return x.own;
        else
            return x;
    }
    FADE_FN static int place_of(int operand) {
        return row_exchange_bytes(P) + operand * row_ahead_bytes(P, Block::wave_size);
    }
    template <class T>
    FADE_FN auto memory(const row_tensor<T>& t, index row, const half& which) const {
        return row_memory<Block, P, T>(block_, t.data ? t.data + which.begin : nullptr,
                                       t.stride < 0 ? extent_.columns : t.stride, row, extent_.rows,
                                       which.count, 0);
    }
    template <class T>
    FADE_FN void copy(const row_tensor<const T>& t, index row, const passes& lanes, const half& which,
                      const shared_runs<Block, P, T>& to) const {
        const auto from = memory(t, row, which);
        lanes.each_lane([&](lane_coord p) FADE_LAMBDA {
            FADE_UNROLL
            for (int i = 0; i < P.runs; ++i)
                from.copy_async(block_, p, lanes.columns(), lanes.columns().first(p, 0, i), to.at(p, i));
        });
        block_.commit_async();
    }
    /// What lies in shared memory alone has been read: the next row may come there.
    template <class Operand>
    FADE_FN void copy_other(const Operand& x) const {
        if constexpr (requires { x.tensor; })
            if (step_.next < extent_.rows) copy(x.tensor, step_.next, others_, split_.other, x.other);
    }
    /// op over f(elements of xs...) of all columns: T{} leaves what it is combined with.
    template <class T, class Op, class F, class... Operands>
    FADE_FN T fold(Op op, F f, const Operands&... xs) {
        constexpr int parts = 2;
        T values[held];
        passes_.each_lane([&](lane_coord p) FADE_LAMBDA {
            T some[parts]{};
            const auto add = [&](lane_coord, int, const auto&... x) FADE_LAMBDA {
                FADE_UNROLL
                for (int e = 0; e < P.run; ++e) some[e % parts] = op(some[e % parts], f(x[e]...));
            };
            passes_.each_run_of_lane(p, add, xs.own...);
            others_.each_run_of_lane(p, add, xs.other...);
            values[passes::slot_of(p)] = op(some[0], some[1]);
        });
        (copy_other(xs), ...);
        return passes_.across(values, op);
    }

    Block& block_;
    row_step step_;
    row_extent extent_;
    row_split<P> split_;
    int reads_ = 0;
    passes passes_, others_;
};

/// Calls f(row) for the rows that this workgroup and its neighbour split; `groups` of the extent counts such
/// pairs.
template <row_policy P, class Block, class F>
FADE_FN void each_split_row(Block& block, const row_extent& extent, const row_split<P>& split, F f) {
    int parity = 0;
    const index begin = block.id_x() / 2;
    for (index r = begin; r < extent.rows; r += extent.groups) {
        split_row<Block, P> here(block, {r, r + extent.groups, r == begin}, extent, split, parity);
        f(here);
    }
}

}  // namespace FADE_NAMESPACE::block

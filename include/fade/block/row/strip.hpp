// Columns of row tensors: a workgroup folds a share of the rows, a lane has a run of neighbouring columns.
#pragma once
#include <fade/block/row/cpu_row.hpp>
#include <fade/block/row/operand.hpp>
#include <fade/core/call/row_tensor.hpp>

namespace FADE_NAMESPACE::block {

/// Shared memory for what the waves of a strip have found: one run a lane, of values of so many bytes.
constexpr int strip_shared_bytes(const row_policy& p, int wave_size, int value_bytes) {
    return p.waves > 1 ? p.waves * wave_size * p.run * value_bytes : 16;
}

/// Runs of each row that a lane has. A CPU has several, so that it reads some kilobytes of a row at once,
/// while what it has found of their columns stays in its first cache.
constexpr int strip_runs(int wave_size) { return wave_size == 1 ? 16 : 1; }
/// Columns of a strip.
constexpr int strip_columns(const row_policy& p, int wave_size) {
    return wave_size * p.run * strip_runs(wave_size);
}

/// Rows [begin, end) that a workgroup folds, of `rows` rows of `columns` columns.
struct strip_extent {
    index begin, end, rows;
    int columns;
};

/// A strip of columns, from `first_column` on. Its waves take rows in turn.
template <class Block, row_policy P, class Value>
class column_strip {
    using columns_type = row_columns<Block, P>;
    using run = vec<Value, P.run>;
    static_assert(!P.shared_row && P.runs == 1);

public:
    static constexpr int columns_of = strip_columns(P, Block::wave_size);
    FADE_FN column_strip(Block& block, int first_column, const strip_extent& extent)
        : block_(block), first_column_(first_column), extent_(extent) {}

    /// op over f(row, elements of tensors...) of all rows, in a fixed order, begun with `identity`; calls
    /// done(column, value) for every column.
    template <class Op, class F, class Done, class... T>
    FADE_FN void fold(Value identity, Op op, F f, Done done, const row_tensor<const T>&... tensors) {
        if constexpr (Block::wave_size == 1)
            fold_runs(identity, op, f, done, tensors...);
        else
            fold_lanes(identity, op, f, done, tensors...);
    }

private:
    /// One thread has all columns of the strip.
    template <class Op, class F, class Done, class... T>
    FADE_FN void fold_runs(Value identity, Op& op, F& f, Done& done, const row_tensor<const T>&... tensors) {
        run found[strip_runs(1)], before[strip_runs(1)];
        for (run& some : found)
            for (int e = 0; e < P.run; ++e) some[e] = identity;
        const int runs = min_of(strip_runs(1), ceil_div(extent_.columns - first_column_, P.run));
        const int whole = min_of(runs, (extent_.columns - first_column_) / P.run);
        // In blocks of rows, since errors grow as the rows that one sum takes: a block is as long as there
        // are blocks.
        const index count = max_of<index>(extent_.end - extent_.begin, 0),
                    rows = cpu_rows * max_of(64, int(__builtin_sqrtf(float(count)) / cpu_rows));
        index r = extent_.begin, end = min_of(count, rows) + r;
        for (;; end = min_of(extent_.end - end, rows) + end) {
            for (; r + cpu_rows <= end; r += cpu_rows) {
                for (int i = 0; i < whole; ++i)
                    add_whole_runs(found[i], op, f, r, cpu_rows_of(tensors, r, first_column_ + i * P.run)...);
                for (int i = whole; i < runs; ++i)
                    for (index k = 0; k < cpu_rows; ++k)
                        add_loaded_run(found[i], op, f, r + k, i, tensors...);
            }
            for (; r < end; ++r)
                for (int i = 0; i < runs; ++i) add_loaded_run(found[i], op, f, r, i, tensors...);
            if (end >= extent_.end) break;
            const bool first = r == extent_.begin + rows;
            for (int i = 0; i < runs; ++i)
                for (int e = 0; e < P.run; ++e) {
                    before[i][e] = first ? found[i][e] : op(before[i][e], found[i][e]);
                    found[i][e] = identity;
                }
        }
        for (int i = 0; i < runs; ++i)
            for (int e = 0; e < P.run; ++e)
                if (const int c = first_column_ + i * P.run + e; c < extent_.columns)
                    done(c, count > rows ? op(before[i][e], found[i][e]) : found[i][e]);
    }
    template <class Op, class F, class Done, class... T>
    FADE_FN void fold_lanes(Value identity, Op& op, F& f, Done& done, const row_tensor<const T>&... tensors) {
        per_lane<Block, run> found;
        block_.each_wave([&](wave_coord w) FADE_LAMBDA {
            block_.each_lane_of(w, [&](lane_coord p) FADE_LAMBDA {
                FADE_UNROLL
                for (int e = 0; e < P.run; ++e) found[p][e] = identity;
            });
            index r = extent_.begin + w.wave;
            FADE_ROLLED  // loads of some rows are under way together
                for (; r + (ahead - 1) * Block::waves < extent_.end; r += ahead * Block::waves)
                    add_rows(w, r, op, f, found, tensors...);
            FADE_ROLLED
            for (; r < extent_.end; r += Block::waves) add_row(w, r, op, f, found, memory(tensors, r)...);
        });
        if constexpr (Block::waves > 1) fold_waves(op, found);
        block_.each_lane([&](lane_coord p) FADE_LAMBDA {
            if (p.wave != 0) return;
            FADE_UNROLL
            for (int e = 0; e < P.run; ++e)
                if (const int c = first(p) + e; c < extent_.columns) done(c, found[p][e]);
        });
    }

    FADE_FN int first(lane_coord p) const { return first_column_ + p.lane * P.run; }
    template <class T>
    FADE_FN row_memory<Block, P, const T> memory(const row_tensor<const T>& t, index r) {
        const index stride = t.stride < 0 ? extent_.columns : t.stride;
        return row_memory<Block, P, const T>(block_, t.data, stride, r, extent_.rows, extent_.columns, 0);
    }
    /// The same run of some rows as a CPU reads it.
    template <class T>
    struct cpu_rows_at {
        const T* first;
        index stride, ahead;  ///< to the next row, and to the row that is asked for
        FADE_FN T at(int row, int e) const { return first[row * stride + e]; }
        FADE_FN void ask() const {
            if (ahead)
                for (int row = 0; row < cpu_rows; ++row) prefetch_run<T, P.run>(first + ahead + row * stride);
        }
    };
    /// Added at once, so that what was found before is loaded and stored once for them all.
    static constexpr int cpu_rows = 4, cpu_rows_ahead = 4;
    template <class T>
    FADE_FN cpu_rows_at<T> cpu_rows_of(const row_tensor<const T>& t, index r, int first) const {
        const index stride = t.stride < 0 ? extent_.columns : t.stride;
        return {t.data + r * stride + first, stride,
                r + cpu_rows_ahead + cpu_rows <= extent_.rows ? cpu_rows_ahead * stride : 0};
    }
    template <class Op, class F, class... Rows>
    FADE_FN static void add_whole_runs(run& to, Op& op, F& f, index r, const Rows&... rows) {
        (rows.ask(), ...);
        for (int e = 0; e < P.run; ++e) {
            Value all = to[e];
            for (int k = 0; k < cpu_rows; ++k) all = op(all, f(r + k, convert<float>(rows.at(k, e))...));
            to[e] = all;
        }
    }
    template <class Op, class F, class... T>
    FADE_FN void add_loaded_run(run& to, Op& op, F& f, index r, int i,
                                const row_tensor<const T>&... tensors) {
        const int first = first_column_ + i * P.run;
        add_run(to, op, f, r,
                loaded_run<T, P.run>(cpu_rows_of(tensors, r, first).first,
                                     min_of(extent_.columns - first, P.run))...);
    }
    /// Pieces of runs that begin anywhere take twice the registers.
    static constexpr int ahead = P.whole_runs || P.run == 1 || sizeof(Value) <= 4 ? 4 : 2;
    /// What a lane has loaded of `ahead` rows of a tensor.
    template <class T>
    struct loaded_rows {
        typename row_run<Block, P, T>::type run[ahead];
    };
    template <class T>
    FADE_FN loaded_rows<T> load_rows(lane_coord p, const row_tensor<const T>& t, index r) {
        using row_type = row_memory<Block, P, const T>;
        const columns_type columns{extent_.columns, 0};
        loaded_rows<T> out;
        if constexpr (row_type::joins) {
            typename row_type::pieces_type pieces[ahead];
            FADE_UNROLL
            for (int i = 0; i < ahead; ++i)
                pieces[i] = memory(t, r + i * Block::waves).load_pieces(columns, first(p));
            FADE_UNROLL
            for (int i = 0; i < ahead; ++i)
                out.run[i] = memory(t, r + i * Block::waves).joined(columns, first(p), pieces[i]);
        } else {
            FADE_UNROLL
            for (int i = 0; i < ahead; ++i)
                out.run[i] = memory(t, r + i * Block::waves).load(columns, first(p), T{});
        }
        return out;
    }
    template <class Op, class F, class... T>
    FADE_FN void add_rows(wave_coord w, index r, Op& op, F& f, per_lane<Block, run>& found,
                          const row_tensor<const T>&... tensors) {
        block_.each_lane_of(w, [&](lane_coord p) FADE_LAMBDA {
            add_loaded(found[p], op, f, r, load_rows(p, tensors, r)...);
        });
    }
    template <class Op, class F, class... T>
    FADE_FN static void add_loaded(run& to, Op& op, F& f, index r, const loaded_rows<T>&... rows) {
        FADE_UNROLL
        for (int i = 0; i < ahead; ++i)
            add_run(to, op, f, r + i * Block::waves, row_run<Block, P, T>::unpacked(rows.run[i])...);
    }
    template <class Op, class F, class... Memory>
    FADE_FN void add_row(wave_coord w, index r, Op& op, F& f, per_lane<Block, run>& found,
                         const Memory&... rows) {
        const columns_type columns{extent_.columns, 0};
        block_.each_lane_of(w, [&](lane_coord p) FADE_LAMBDA {
            add_run(found[p], op, f, r, rows.load_run(columns, first(p))...);
        });
    }
    template <class Op, class F, class... Runs>
    FADE_FN static void add_run(run& to, Op& op, F& f, index r, const Runs&... x) {
        FADE_UNROLL
        for (int e = 0; e < P.run; ++e) to[e] = op(to[e], f(r, convert<float>(x[e])...));
    }
    /// Wave 0 adds what the others have found, in their order.
    template <class Op>
    FADE_FN void fold_waves(Op& op, per_lane<Block, run>& found) {
        constexpr int words = int(sizeof(Value)) / 4;
        using piece = vec<float, words>;
        const auto at = [](int wave, int lane, int e) FADE_LAMBDA {
            return std::uint32_t(((wave * P.run + e) * Block::wave_size + lane) * int(sizeof(Value)));
        };
        block_.each_lane([&](lane_coord p) FADE_LAMBDA {
            FADE_UNROLL
            for (int e = 0; e < P.run; ++e)
                block_.store_shared(p, at(p.wave, p.lane, e), __builtin_bit_cast(piece, found[p][e]));
        });
        block_.sync();
        block_.each_lane([&](lane_coord p) FADE_LAMBDA {
            if (p.wave != 0) return;
            FADE_UNROLL
            for (int wave = 1; wave < Block::waves; ++wave) FADE_UNROLL
            for (int e = 0; e < P.run; ++e)
                found[p][e] =
                    op(found[p][e],
                       __builtin_bit_cast(Value, block_.template load_shared<piece>(p, at(wave, p.lane, e))));
        });
    }

    Block& block_;
    int first_column_;
    strip_extent extent_;
};

}  // namespace FADE_NAMESPACE::block

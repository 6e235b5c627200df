// Sums of columns over the rows that a workgroup takes: a lane keeps those of the columns that it has.
#pragma once
#include <fade/block/row/operand.hpp>
#include <fade/block/row/passes.hpp>
#include <fade/core/call/row_tensor.hpp>
#include <fade/core/lane_coord.hpp>

namespace FADE_NAMESPACE::block {

/// Shared memory of a held_columns, behind what rows want.
constexpr int held_column_bytes(const row_policy& p, int wave_size) {
    return p.waves * wave_size * p.runs * p.run * int(sizeof(float));
}

/// Shared memory for the sums of waves that have rows of their own: one run a lane, of values of so many
/// bytes.
constexpr int column_sum_bytes(const row_policy& p, int wave_size, int value_bytes) {
    return p.shared_row ? 0 : p.waves * wave_size * p.run * value_bytes;
}

/// Where sums of columns lie: pairs of a run's neighbours, those of one pair of all lanes behind each other,
/// so that lanes store to neighbouring places.
struct column_sum_order {
    int lanes, run, runs;
    int parts = 1;  ///< of rows whose columns workgroups share, one behind the other
    int width = 0;  ///< columns of a part; of one alone it does not matter
    static constexpr column_sum_order of(const row_policy& p, int wave_size) {
        return {(p.shared_row ? p.waves : 1) * wave_size, p.run, p.runs};
    }
    /// Of what a workgroup has.
    FADE_FN constexpr int places_of_part() const { return lanes * run * runs; }
    FADE_FN constexpr int places() const { return parts * places_of_part(); }
    /// The column whose sum has this place; none where it is below 0, or the row has none such.
    FADE_FN int column(int place) const {
        if (parts == 1) return column_of_part(place);
        const int part = place / places_of_part(), column = column_of_part(place % places_of_part());
        return column < width ? part * width + column : -1;
    }
    /// The place of a column of rows that begin `shift` elements inside a run.
    FADE_FN int place(int column, int shift) const {
        if (parts == 1) return place_of_part(column + shift);
        return column / width * places_of_part() + place_of_part(column % width + shift);
    }

private:
    FADE_FN int place_of_part(int column) const {
        const int run_number = column / run, e = column % run, i = run_number / lanes,
                  lane = run_number % lanes;
        return ((i * (run / 2) + e / 2) * lanes + lane) * 2 + e % 2;
    }
    FADE_FN int column_of_part(int place) const {
        const int pair = place / 2, lane = pair % lanes, i = pair / lanes / (run / 2),
                  e = pair / lanes % (run / 2) * 2 + place % 2;
        return (i * lanes + lane) * run + e;
    }
};

/// Runs that lanes have in shared memory, each its own, as operand of passes: from byte `base` on.
template <class Block, row_policy P, class T>
class shared_runs {
    static_assert(P.resident);
    using columns = row_columns<Block, P>;
    struct no_step {};

public:
    using held = row_run<Block, P, T>;
    static constexpr int run_bytes = int(sizeof(typename held::type));
    static constexpr int bytes = Block::threads * P.runs * run_bytes;

    FADE_FN shared_runs(Block& block, int base) : block_(block), base_(base) {}
    FADE_FN no_step step_of(const columns&, lane_coord, int) const { return {}; }
    FADE_FN typename held::numbers run_of(no_step, const columns&, lane_coord p, int, int i) const {
        return held::unpacked(block_.template load_shared<typename held::type>(p, at(p, i)));
    }
    /// Where a lane's run `i` is.
    FADE_FN std::uint32_t at(lane_coord p, int i) const {
        const int lane = p.wave * Block::wave_size + p.lane;
        return std::uint32_t(base_ + (i * Block::threads + lane) * run_bytes);
    }

protected:
    Block& block_;

private:
    int base_;
};

/// A row that all rows of a workgroup share: the first `count` elements from t.data on, behind the rows that
/// are ahead. `otherwise` stands for a tensor that is left out. Rows begin `shift` elements inside a run.
template <class Block, row_policy P, class T>
class held_columns : public shared_runs<Block, P, T> {
    using columns = row_columns<Block, P>;
    using runs = shared_runs<Block, P, T>;

public:
    /// `place`: how many others lie before it.
    FADE_FN held_columns(Block& block, const row_tensor<const T>& t, float otherwise, int count, int shift,
                         int place)
        : runs(block, row_shared_bytes(P, Block::wave_size) + place * runs::bytes) {
        const columns all{count, shift};
        const row_memory<Block, P, const T> from(block, t.data, 0, 0, 1, count, shift);
        block.each_lane([&](lane_coord p) FADE_LAMBDA {
            FADE_UNROLL
            for (int i = 0; i < P.runs; ++i)
                block.store_shared(p, this->at(p, i),
                                   from.load(all, all.first(p, 0, i), convert<T>(otherwise)));
        });
    }
};

template <row_policy P, class Block, class T>
FADE_FN held_columns<Block, P, T> hold_columns(Block& block, const row_tensor<const T>& t, float otherwise,
                                               int columns, int shift) {
    return held_columns<Block, P, T>(block, t, otherwise, columns, shift, 0);
}

/// Registers hold the rows, which begin at the same place of a run, so that a lane has the same columns of
/// each. What a lane adds for places before a row or behind it is nobody's.
template <class Block, row_policy P, class Value>
class column_sums {
    static_assert(P.resident && P.rows_of_wave == 1 && (P.whole_runs || P.shared_row));
    using columns_type = row_columns<Block, P>;

public:
    FADE_FN explicit column_sums(Block& block) : block_(block) {
        block.each_lane([&](lane_coord p) FADE_LAMBDA {
            FADE_UNROLL
            for (int i = 0; i < P.runs; ++i) FADE_UNROLL
            for (int e = 0; e < P.run; ++e) held_[p].run[i][e] = Value{};
        });
    }
    /// The sum of element `e` of a lane's run `i`.
    FADE_FN Value& at(lane_coord p, int i, int e) { return held_[p].run[i][e]; }

    /// Writes what the workgroup has: `order` says where the sum of a column is. The sums of waves are added
    /// in their order.
    template <class Op>
    FADE_FN void store(Value* to, Op op) {
        FADE_UNROLL
        for (int i = 0; i < P.runs; ++i) {
            if constexpr (!P.shared_row && Block::waves > 1) fold_waves(i, op);
            block_.each_lane([&](lane_coord p) FADE_LAMBDA {
                if (!P.shared_row && p.wave != 0) return;
                FADE_UNROLL
                for (int e = 0; e < P.run; e += 2) {
                    const vec<Value, 2> two{at(p, i, e), at(p, i, e + 1)};
                    const int place =
                        (i * (P.run / 2) + e / 2) * columns_type::lanes + columns_type::lane_of(p);
                    *reinterpret_cast<vec<Value, 2>*>(to + 2 * place) = two;
                }
            });
        }
    }

private:
    struct runs {
        vec<Value, P.run> run[P.runs];
    };
    template <class Op>
    FADE_FN void fold_waves(int i, Op& op) {
        using piece = vec<float, int(sizeof(Value)) / 4>;
        const auto place = [](int wave, int lane, int e) FADE_LAMBDA {
            return std::uint32_t(((wave * P.run + e) * Block::wave_size + lane) * int(sizeof(Value)));
        };
        block_.sync();
        block_.each_lane([&](lane_coord p) FADE_LAMBDA {
            FADE_UNROLL
            for (int e = 0; e < P.run; ++e)
                block_.store_shared(p, place(p.wave, p.lane, e), __builtin_bit_cast(piece, at(p, i, e)));
        });
        block_.sync();
        block_.each_lane([&](lane_coord p) FADE_LAMBDA {
            if (p.wave != 0) return;
            FADE_UNROLL
            for (int wave = 1; wave < Block::waves; ++wave) FADE_UNROLL
            for (int e = 0; e < P.run; ++e)
                at(p, i, e) = op(at(p, i, e), __builtin_bit_cast(Value, block_.template load_shared<piece>(
                                                                            p, place(wave, p.lane, e))));
        });
    }

    Block& block_;
    per_lane<Block, runs> held_;
};

}  // namespace FADE_NAMESPACE::block

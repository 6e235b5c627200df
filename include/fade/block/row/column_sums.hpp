// Sums of columns over the rows that a workgroup takes: a lane keeps those of the columns that it has.
#pragma once
#include <fade/block/row/operand.hpp>
#include <fade/core/lane_coord.hpp>

namespace FADE_NAMESPACE::block {

/// Shared memory for the sums of waves that have rows of their own: one run a lane, of values of so many
/// bytes.
constexpr int column_sum_bytes(const row_policy& p, int wave_size, int value_bytes) {
    return p.shared_row ? 0 : p.waves * wave_size * p.run * value_bytes;
}

/// Where sums of columns lie: pairs of a run's neighbours, those of one pair of all lanes behind each other,
/// so that lanes store to neighbouring places.
struct column_sum_order {
    int lanes, run, runs;
    static constexpr column_sum_order of(const row_policy& p, int wave_size) {
        return {(p.shared_row ? p.waves : 1) * wave_size, p.run, p.runs};
    }
    FADE_FN int places() const { return lanes * run * runs; }
    /// The column whose sum has this place; there may be no such column.
    FADE_FN int column(int place) const {
        const int pair = place / 2, lane = pair % lanes, i = pair / lanes / (run / 2),
                  e = pair / lanes % (run / 2) * 2 + place % 2;
        return (i * lanes + lane) * run + e;
    }
};

/// Rows are aligned whole runs that registers hold, so that a lane has the same columns of each.
template <class Block, row_policy P, class Value>
class column_sums {
    static_assert(P.resident && P.whole_runs);
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

// Passes of lanes over a row, and how what they found is combined: what the verbs of a row are made of.
#pragma once
#include <fade/block/row/folds.hpp>
#include <fade/block/row/operand.hpp>
#include <fade/block/row/run_largest.hpp>
#include <fade/core/call/apart.hpp>
#include <fade/core/call/row_tensor.hpp>
#include <fade/wave/fold_lanes.hpp>
#include <fade/wave/keep.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::block {

/// Shared memory for what waves combine: two turns, 16 bytes a wave. Rows that are ahead, or the one that is
/// staged, lie behind it.
constexpr int row_exchange_bytes(const row_policy& p) { return p.shared_row ? 2 * 16 * p.waves : 16; }
/// The bytes of one row ahead, of all waves.
constexpr int row_ahead_bytes(const row_policy& p, int wave_size) {
    return p.waves * wave_size * p.runs * 16;
}
constexpr int row_shared_bytes(const row_policy& p, int wave_size) {
    return row_exchange_bytes(p) + p.ahead * row_ahead_bytes(p, wave_size) + p.staged;
}

/// The lanes that have a row, all of whose waves call its functions alike. A value of each lane lies in an
/// array of `held`, at slot_of(lane).
template <class Block, row_policy P>
class row_passes {
public:
    using columns_type = row_columns<Block, P>;
    static constexpr int held = columns_type::held;

    /// `part`: which of the rows that share the wave.
    FADE_FN row_passes(Block& block, wave_coord wave, int part, const columns_type& columns, int& parity)
        : block_(block), wave_(wave), part_(part), columns_(columns), parity_(parity) {}

    FADE_FN Block& block() const { return block_; }
    FADE_FN const columns_type& columns() const { return columns_; }
    /// The same for what stands in a loop, ahead of which compilers would keep what each element compares to
    /// in scalar registers.
    FADE_FN columns_type columns_anew() const {
        columns_type out = columns_;
        out.count = __builtin_bit_cast(int, wave::fenced<Block>(__builtin_bit_cast(float, out.count)));
        return out;
    }
    FADE_FN static int slot_of(lane_coord p) { return columns_type::slot_of(p); }
    /// Where the first lane of a row that shares its wave keeps its value.
    FADE_FN int first_slot() const { return held == 1 ? 0 : part_ * columns_type::lanes; }

    template <class F>
    FADE_FN void each_lane(F f) const {
        if constexpr (P.shared_row)
            block_.each_lane(f);
        else
            each_lane_of(wave_, f);
    }
    /// Calls f(place, first column, run...) for every run of the row.
    template <class F, class... Operands>
    FADE_FN void each_run(F f, const Operands&... xs) const {
        each_lane([&](lane_coord p) FADE_LAMBDA { each_run_of_lane(p, f, xs...); });
    }
    template <class F, class... Operands>
    FADE_FN void each_run_of_lane(lane_coord p, F&& f, const Operands&... xs) const {
        if constexpr (P.resident)
            each_run_of_step(p, 0, f, step_of(xs, p, 0)...);
        else
            for (int begin = 0; begin < columns_.count + columns_.shift; begin += columns_type::step)
                each_run_of_step(p, begin, f, step_of(xs, p, begin)...);
    }
    /// Calls f(place, number, run...) for the runs of a row that registers hold.
    template <class F, class... Operands>
    FADE_FN void each_numbered_run(F f, const Operands&... xs) const {
        each_lane([&](lane_coord p) FADE_LAMBDA { each_numbered_run_of_lane(p, f, xs...); });
    }
    template <class F, class... Operands>
    FADE_FN void each_numbered_run_of_lane(lane_coord p, F&& f, const Operands&... xs) const {
        static_assert(P.resident);
        each_number(p, f, step_of(xs, p, 0)...);
    }
    /// Calls f(e, elements...) for those elements of a run that the row has.
    template <class F, class... Runs>
    FADE_FN void each_element(int first, F f, const Runs&... x) const {
        if (columns_.whole(first)) {
            FADE_UNROLL
            for (int e = 0; e < P.run; ++e) f(e, x[e]...);
        } else {
            FADE_UNROLL
            for (int e = 0; e < P.run; ++e)
                if (columns_.holds(first + e)) f(e, x[e]...);
        }
    }
    /// The largest number of a run; below_all where it has no element of the row.
    template <class Run>
    FADE_FN run_largest<Block, Run, P.run> largest_of_run(int first, const Run& run) const {
        run_largest<Block, Run, P.run> largest;
        largest.add(columns_, first, run);
        return largest;
    }
    /// The same of all runs of a lane, of which NaN may be passed over.
    template <class Operand>
    FADE_FN float largest_of_lane(lane_coord p, const Operand& x) const {
        run_largest<Block, typename Operand::held::numbers, P.run> largest;
        each_run_of_lane(
            p, [&](lane_coord, int first, const auto& run) FADE_LAMBDA { largest.add(columns_, first, run); },
            x);
        return largest.number();
    }

    /// Calls f(wave, slot of its lane 0).
    template <class F>
    FADE_FN void each_wave(F f) const {
        if constexpr (P.shared_row)
            block_.each_wave([&](wave_coord w) FADE_LAMBDA { f(w, w.slot); });
        else
            f(wave_, 0);
    }
    template <class F>
    FADE_FN void each_lane_of(wave_coord w, F f) const {
        if constexpr (Block::emulated && P.rows_of_wave > 1)
            block_.each_lane_of(w, [&](lane_coord p) FADE_LAMBDA {
                if (columns_type::part_of(p) == part_) f(p);
            });
        else
            block_.each_lane_of(w, f);
    }
    /// The lanes of a wave that have one row get op over what they have.
    template <class T, class Op>
    FADE_FN void fold_wave(wave_coord w, T* values, const Op& op) const {
        if constexpr (P.rows_of_wave > 1)
            wave::fold_neighbours<columns_type::lanes>(block_, w, part_ * columns_type::lanes, values, op);
        else
            wave::fold_lanes(block_, w, values, op);
    }
    /// The same by op(mask, a, b), where the numbers of two lanes differ in the bit of `mask`: high bits
    /// first.
    template <class T, class Op>
    FADE_FN void fold_wave_by_mask(wave_coord w, T* values, const Op& op) const {
        constexpr int all = min_of(columns_type::lanes, Block::wave_size);
        each_exchange(
            w,
            [&](lane_coord p, int slot, int mask, const T* before) FADE_LAMBDA {
                const int high_first = all / 2 / mask;
                values[slot] = op(high_first, before[slot], wave::shuffled<Block>(p, before, high_first));
            },
            values);
    }
    /// `before` becomes what lanes before this one have of `all`, and `all` what lanes of the row have.
    FADE_FN void count_before(wave_coord w, int* before, int* all) const {
        each_exchange(
            w,
            [&](lane_coord p, int slot, int mask, const int* old) FADE_LAMBDA {
                const int other = wave::shuffled<Block>(p, old, mask);
                before[slot] += p.lane & mask ? other : 0;
                all[slot] += other;
            },
            all);
    }
    /// The lanes of a wave that have one row get the n-th largest of their words, by a sorting network
    /// (K. Batcher, Sorting networks and their applications, 1968). Of groups of lanes, where there are fewer
    /// of these: lanes whose numbers differ in high bits make one, and its largest word stands for it.
    template <int Groups = min_of(columns_type::lanes, Block::wave_size)>
    FADE_FN void nth_of_wave(wave_coord w, std::uint32_t* values, int n) const {
        FADE_UNROLL
        for (int mask = lanes_of_wave / 2; mask >= Groups; mask /= 2)
            exchange(
                w,
                [&](lane_coord p, int slot, const std::uint32_t* before) FADE_LAMBDA {
                    values[slot] = max_of(before[slot], wave::shuffled<Block>(p, before, mask));
                },
                values);
        FADE_UNROLL
        for (int size = 2; size <= Groups; size *= 2) FADE_UNROLL
        for (int mask = size / 2; mask > 0; mask /= 2)
            exchange(
                w,
                [&](lane_coord p, int slot, const std::uint32_t* before) FADE_LAMBDA {
                    const std::uint32_t other = wave::shuffled<Block>(p, before, mask);
                    const bool falls = size == Groups || (p.lane & size) == 0,
                               upper = falls == ((p.lane & mask) == 0);
                    values[slot] = upper ? max_of(before[slot], other) : min_of(before[slot], other);
                },
                values);
        exchange(
            w,
            [&](lane_coord p, int slot, const std::uint32_t* before) FADE_LAMBDA {
                float words[Block::wave_held];
                for (int i = 0; i < Block::wave_held; ++i) words[i] = __builtin_bit_cast(float, before[i]);
                values[slot] = __builtin_bit_cast(
                    std::uint32_t,
                    Block::shuffle_from(p, words, columns_type::part_of(p) * columns_type::lanes + n - 1));
            },
            values);
    }
    /// So many neighbours of a wave get the sum of what they have.
    template <int Lanes>
    FADE_FN void sum_of_neighbours(wave_coord w, int* values) const {
        FADE_UNROLL
        for (int mask = 1; mask < Lanes; mask *= 2)
            exchange(
                w,
                [&](lane_coord p, int slot, const int* before)
                    FADE_LAMBDA { values[slot] = before[slot] + wave::shuffled<Block>(p, before, mask); },
                values);
    }
    /// The same in every wave.
    template <class T, class Op>
    FADE_FN void fold_waves(T* values, const Op& op) const {
        each_wave([&](wave_coord w, int slot) FADE_LAMBDA { fold_wave(w, values + slot, op); });
    }
    /// The largest of numbers, none of which is NaN: where words are folded by an instruction, by words in
    /// the order of the numbers.
    FADE_FN void fold_largest(float* values) const {
        if constexpr (P.rows_of_wave == 1 && requires { Block::fold_wave(0u, larger_word{}); })
            values[0] = ordered_number(Block::fold_wave(ordered_word(values[0]), larger_word{}));
        else
            fold_waves(values, larger{});
    }
    /// f(count, of_wave), of_wave(i) being what wave i found, of which each of its lanes has one value.
    /// Memory of two turns saves a barrier: who writes a turn again has passed the barrier of the other,
    /// behind all reads of this one.
    template <class Out, class T, class F>
    FADE_FN Out of_waves(const T* values, F f) const {
        if constexpr (!P.shared_row || Block::waves == 1) {
            return f(1, [&](int) FADE_LAMBDA { return values[first_slot()]; });
        } else {
            using words = vec<float, int(sizeof(T)) / 4>;
            const int half = parity_;
            const auto at = [half](int wave)
                                FADE_LAMBDA { return std::uint32_t((half * Block::waves + wave) * 16); };
            parity_ ^= 1;
            block_.each_lane([&](lane_coord p) FADE_LAMBDA {
                if (p.lane == 0)
                    block_.store_shared(p, at(p.wave), __builtin_bit_cast(words, values[slot_of(p)]));
            });
            meet();
            Out out{};
            block_.each_lane([&](lane_coord p) FADE_LAMBDA {
                out = f(Block::waves, [&](int wave) FADE_LAMBDA {
                    return __builtin_bit_cast(T, block_.template load_shared<words>(p, at(wave)));
                });
            });
            return out;
        }
    }
    /// op over the values of all lanes, in one order, which all lanes get.
    template <class T, class Op>
    FADE_FN T across(T* values, const Op& op) const {
        const auto all = [&]() FADE_LAMBDA {
            fold_waves(values, op);
            return of_waves<T>(values, [&](int count, auto of_wave) FADE_LAMBDA {
                T sum = of_wave(0);
                FADE_UNROLL
                for (int wave = 1; wave < count; ++wave) sum = op(sum, of_wave(wave));
                return sum;
            });
        };
        if constexpr (Block::emulated)
            return apart(all);
        else
            return all();
    }

    /// No matrix unit reads what waves share here.
    FADE_FN void meet() const {
        if constexpr (requires { block_.meet(); })
            block_.meet();
        else
            block_.sync();
    }
    /// What lanes of a wave wrote to shared memory can be read by its other lanes.
    FADE_FN void meet_wave() const {
        if constexpr (requires { block_.meet_wave(); }) block_.meet_wave();
    }

private:
    struct larger {
        FADE_FN float operator()(float a, float b) const { return Block::maximum(a, b); }
    };
    template <class Operand, class Step>
    struct operand_step {
        const Operand& of;
        Step step;
    };
    template <class Operand>
    FADE_FN auto step_of(const Operand& x, lane_coord p, int begin) const {
        using step = decltype(x.step_of(columns_, p, begin));
        return operand_step<Operand, step>{x, x.step_of(columns_, p, begin)};
    }
    template <class F, class... Steps>
    FADE_FN void each_run_of_step(lane_coord p, int begin, F& f, const Steps&... xs) const {
        FADE_UNROLL
        for (int i = 0; i < P.runs; ++i) {
            const int first = columns_.first(p, begin, i);
            if (first < columns_.count) f(p, first, xs.of.run_of(xs.step, columns_, p, begin, i)...);
        }
    }
    template <class F, class... Steps>
    FADE_FN void each_number(lane_coord p, F& f, const Steps&... xs) const {
        FADE_UNROLL
        for (int i = 0; i < P.runs; ++i)
            if (columns_.first(p, 0, i) < columns_.count)
                f(p, i, xs.of.run_of(xs.step, columns_, p, 0, i)...);
    }
    template <class F, class T>
    FADE_FN void each_exchange(wave_coord w, F f, const T* values) const {
        FADE_UNROLL
        for (int mask = 1; mask < lanes_of_wave; mask *= 2)
            exchange(
                w, [&](lane_coord p, int slot, const T* before) FADE_LAMBDA { f(p, slot, mask, before); },
                values);
    }
    /// Calls f(lane, slot, what all lanes had before).
    template <class F, class T>
    FADE_FN void exchange(wave_coord w, F f, const T* values) const {
        T before[Block::wave_held];
        for (int i = 0; i < Block::wave_held; ++i) before[i] = values[i];
        each_lane_of(w, [&](lane_coord p) FADE_LAMBDA { f(p, Block::wave_held == 1 ? 0 : p.lane, before); });
    }

    static constexpr int lanes_of_wave = min_of(columns_type::lanes, Block::wave_size);  // that have one row

    Block& block_;
    wave_coord wave_;
    int part_;
    columns_type columns_;
    int& parity_;
};

}  // namespace FADE_NAMESPACE::block

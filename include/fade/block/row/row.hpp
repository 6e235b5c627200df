// A row as a row operator sees it: tensors are read, elements combined and written; no lane is named.
#pragma once
#include <fade/block/row/folds.hpp>
#include <fade/block/row/operand.hpp>
#include <fade/core/call/apart.hpp>
#include <fade/core/call/row_tensor.hpp>
#include <fade/core/number/below_all.hpp>
#include <fade/core/number/ordered.hpp>
#include <fade/wave/fold_lanes.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::block {

/// Shared memory for what waves combine: two turns, 16 bytes a wave.
constexpr int row_shared_bytes(const row_policy& p) { return p.shared_row ? 2 * 16 * p.waves : 16; }

/// Row `number` of tensors of `rows` rows. Made by each_row(); all waves that share the row call its verbs
/// alike. Elements reach functions as f32, behind a `column` where the function takes one. A CPU's is
/// block::cpu_row.
template <class Block, row_policy P>
class row {
    using columns_type = row_columns<Block, P>;
    static constexpr int held = columns_type::held;

public:
    /// `next`: the row that comes after this one here, or `rows`.
    FADE_FN row(Block& block, wave_coord wave, index number, index next, index rows,
                const columns_type& columns, int& parity)
        : block_(block), wave_(wave), number_(number), next_(next), rows_(rows), columns_(columns),
          parity_(parity) {}

    /// Does each pass read memory again?
    static constexpr bool streams = !P.resident;

    FADE_FN index number() const { return number_; }        ///< which row this is
    FADE_FN int columns() const { return columns_.count; }  ///< elements of it

    /// A row of a tensor; `otherwise` stands for its elements where the tensor is left out.
    template <class T>
    FADE_FN auto read(const row_tensor<const T>& t, float otherwise = 0) {
        row_operand<Block, P, T> x(memory(t), convert<T>(otherwise));
        if constexpr (P.resident) each_lane([&](lane_coord p) FADE_LAMBDA { x.keep(columns_, p); });
        ask_for_next(t);
        return x;
    }

    /// The same for what all rows share, or one pass alone reads: no register keeps it between passes.
    template <class T>
    FADE_FN auto read_late(const row_tensor<const T>& t, float otherwise = 0) {
        return row_operand<Block, P, T, true>(memory(t), convert<T>(otherwise));
    }

    /// x + addend, rounded to their type, and stored to `sum` unless that is left out. An addend that is left
    /// out adds nothing. `sum` may be either of both.
    template <class T>
    FADE_FN auto read_sum(const row_tensor<const T>& x, const row_tensor<const T>& addend,
                          const row_tensor<T>& sum) {
        using operand = row_operand<Block, P, T>;
        operand both = addend.data ? operand(memory(x), memory(addend)) : operand(memory(x), T{});
        if constexpr (P.resident) each_lane([&](lane_coord p) FADE_LAMBDA { both.keep(columns_, p); });
        ask_for_next(x), ask_for_next(addend);
        if (!sum.data) return both;
        write(sum, [](float element) FADE_LAMBDA { return element; }, both);
        if constexpr (!P.resident) both = operand(memory(row_tensor<const T>{sum.data, sum.stride}), T{});
        return both;
    }

    /// Writes f(elements of xs...) of every column; nothing where the tensor is left out.
    template <class T, class F, class... Operands>
    FADE_FN void write(const row_tensor<T>& t, F f, const Operands&... xs) {
        if (!t.data) return;
        const auto to = memory(t);
        each_run([&](lane_coord, int first, const auto&... x)
                     FADE_LAMBDA { to.store(columns_, first, stored_run<T>(f, first, x...)); },
                 xs...);
    }

    /// op over f(elements of xs...) of all columns, begun with `identity`: the same bits whoever asks. op is
    /// commutative and associative but for rounding; T has 4 to 16 bytes.
    template <class T, class Op, class F, class... Operands>
    FADE_FN T fold(T identity, Op op, F f, const Operands&... xs) {
        vec<T, parts_of<T>> parts[held];
        each_lane([&](lane_coord p) FADE_LAMBDA {
            FADE_UNROLL
            for (int e = 0; e < parts_of<T>; ++e) parts[columns_type::slot_of(p)][e] = identity;
        });
        each_run([&](lane_coord p, int first, const auto&... x)
                     FADE_LAMBDA { add_run(parts[columns_type::slot_of(p)], op, f, first, x...); },
                 xs...);
        T values[held];
        each_lane([&](lane_coord p) FADE_LAMBDA {
            values[columns_type::slot_of(p)] = of_lane(parts[columns_type::slot_of(p)], op);
        });
        return across(values, op);
    }
    /// The sum of f(elements of xs...), in f32.
    template <class F, class... Operands>
    FADE_FN float sum(F f, const Operands&... xs) {
        return fold(0.0f, add_floats{}, f, xs...);
    }
    /// The sums of f and of g, by one pass.
    template <class F, class G, class... Operands>
    FADE_FN two_sums sums(F f, G g, const Operands&... xs) {
        vec<float, parts_of<float>> first[held], second[held];
        each_lane([&](lane_coord p) FADE_LAMBDA {
            FADE_UNROLL
            for (int e = 0; e < parts_of<float>; ++e)
                first[columns_type::slot_of(p)][e] = second[columns_type::slot_of(p)][e] = 0;
        });
        const add_floats add;
        each_run(
            [&](lane_coord p, int at, const auto&... x) FADE_LAMBDA {
                add_run(first[columns_type::slot_of(p)], add, f, at, x...);
                add_run(second[columns_type::slot_of(p)], add, g, at, x...);
            },
            xs...);
        two_sums values[held];
        each_lane([&](lane_coord p) FADE_LAMBDA {
            const int at = columns_type::slot_of(p);
            values[at] = {of_lane<float>(first[at], add), of_lane<float>(second[at], add)};
        });
        return across(values, add_two_sums{});
    }
    /// The largest; a NaN is passed over.
    template <class F, class... Operands>
    FADE_FN float max(F f, const Operands&... xs) {
        return fold(below_all, larger_float{}, f, xs...);
    }

    /// Calls f(i, element) for the `count` largest of x, each with its place, in their order. Each lane keeps
    /// the first of its own that was not called yet, and looks again where that was.
    template <class F, class Operand>
    FADE_FN void each_largest(int count, F f, const Operand& x) {
        placed_number mine[held], values[held];
        each_lane([&](lane_coord p) FADE_LAMBDA {
            mine[columns_type::slot_of(p)] = first_behind(p, placed_number::everything(), x);
        });
        FADE_ROLLED
        for (int i = 0; i < count; ++i) {
            each_lane([&](lane_coord p)
                          FADE_LAMBDA { values[columns_type::slot_of(p)] = mine[columns_type::slot_of(p)]; });
            first_placed first;
            const placed_number found = across(values, first);
            f(i, found);
            each_lane([&](lane_coord p) FADE_LAMBDA {
                if (mine[columns_type::slot_of(p)].place == found.place)
                    mine[columns_type::slot_of(p)] = first_behind(p, found, x);
            });
        }
    }

    /// One element of a tensor's row; `column` must be one.
    template <class T>
    FADE_FN float element(const row_tensor<const T>& t, int column) const {
        return convert<float>(t.data[number_ * (t.stride < 0 ? columns_.count : t.stride) + column]);
    }
    /// What a list with one value a row says of this one, and where it is written.
    template <class T>
    FADE_FN T get(const T* values) const {
        return values[number_];
    }
    /// Writes that; null: nothing.
    template <class T>
    FADE_FN void put(T* values, T value) {
        put_at(values, number_, value);
    }
    /// The same at another place of the list.
    template <class T>
    FADE_FN void put_at(T* values, index at, T value) {
        if (!values) return;
        each_lane([&](lane_coord p) FADE_LAMBDA {
            if (columns_type::lane_of(p) == 0) values[at] = value;
        });
    }

    FADE_FN static float exp2(float x) { return Block::exp2(x); }               ///< 2 to the power of x
    FADE_FN static float log2(float x) { return Block::log2(x); }               ///< logarithm to base 2
    FADE_FN static float exp(float x) { return Block::exp2(x * 1.44269504f); }  ///< e to the power of x
    FADE_FN static float log(float x) { return Block::log2(x) * 0.69314718f; }  ///< natural logarithm

private:
    /// How many sums a lane begins, so that they do not wait for each other: a few; one of what is wider than
    /// a register.
    template <class T>
    static constexpr int parts_of = sizeof(T) != 4 ? 1 : min_of(P.run, 4);

    template <class F>
    FADE_FN void each_lane(F f) {
        if constexpr (P.shared_row)
            block_.each_lane(f);
        else
            block_.each_lane_of(wave_, f);
    }

    template <class T>
    FADE_FN auto memory(const row_tensor<T>& t) {
        const index stride = t.stride < 0 ? columns_.count : t.stride;
        return row_memory<Block, P, T>(block_, t.data, stride, number_, rows_, columns_.count,
                                       columns_.shift);
    }

    /// Rows that come after this one are on their way while this one is computed.
    template <class T>
    FADE_FN void ask_for_next(const row_tensor<const T>& t) {
        if constexpr (P.resident && requires(typename Block::buffer b) { b.prefetch(0u); }) {
            if (next_ >= rows_ || t.stride == 0) return;
            const index stride = t.stride < 0 ? columns_.count : t.stride;
            const row_memory<Block, P, const T> there(block_, t.data, stride, next_, rows_, columns_.count,
                                                      columns_.shift);
            each_lane([&](lane_coord p) FADE_LAMBDA {
                FADE_UNROLL
                for (int i = 0; i < P.runs; ++i) there.prefetch(columns_, columns_.first(p, 0, i));
            });
        }
    }

    /// The first element of a lane in the order of placed numbers, of those behind `last`.
    template <class Operand>
    FADE_FN placed_number first_behind(lane_coord p, const placed_number& last, const Operand& x) const {
        std::uint64_t out = placed_number::nothing().word();
        each_run_of_lane(
            p,
            [&](lane_coord, int first, const auto& run) FADE_LAMBDA {
                FADE_UNROLL
                for (int e = 0; e < P.run; ++e) {
                    const auto here = placed_number::of(convert<float>(run[e]), first + e).word();
                    const bool better = columns_.holds_of_run(first + e) && here < last.word() && out < here;
                    out = better ? here : out;
                }
            },
            x);
        return placed_number::of_word(out);
    }

    /// Calls f(place, first column, run...) for every run of the row.
    template <class F, class... Operands>
    FADE_FN void each_run(F f, const Operands&... xs) {
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

    template <class T, class Op, class F, class... Runs>
    FADE_FN void add_run(vec<T, parts_of<T>>& to, const Op& op, F& f, int first, const Runs&... x) const {
        constexpr int parts = parts_of<T>;
        if (columns_.whole(first)) {
            FADE_UNROLL
            for (int e = 0; e < P.run; ++e) to[e % parts] = op(to[e % parts], value(f, first + e, x[e]...));
        } else {
            FADE_UNROLL
            for (int e = 0; e < P.run; ++e)
                if (columns_.holds(first + e))
                    to[e % parts] = op(to[e % parts], value(f, first + e, x[e]...));
        }
    }
    template <class F, class... Elements>
    FADE_FN static auto value(F& f, int at, Elements... x) {
        if constexpr (std::is_invocable_v<F&, column, decltype(float(sizeof(x)))...>)
            return f(column{at}, convert<float>(x)...);
        else
            return f(convert<float>(x)...);
    }
    /// f of a run as T holds it: by pairs where the machine rounds two numbers at once.
    template <class T, class F, class... Runs>
    FADE_FN static vec<T, P.run> stored_run(F& f, int first, const Runs&... x) {
        vec<T, P.run> out;
        if constexpr (requires { Block::template round_pair<T>(0.0f, 0.0f); } && sizeof(T) == 2 &&
                      P.run > 1) {
            FADE_UNROLL
            for (int e = 0; e < P.run; e += 2) {
                const auto two = Block::template round_pair<T>(value(f, first + e, x[e]...),
                                                               value(f, first + e + 1, x[e + 1]...));
                out[e] = two[0], out[e + 1] = two[1];
            }
        } else {
            FADE_UNROLL
            for (int e = 0; e < P.run; ++e) out[e] = stored<T>(value(f, first + e, x[e]...));
        }
        return out;
    }
    template <class T, class From>
    FADE_FN static T stored(From x) {
        if constexpr (std::is_same_v<T, From>)
            return x;
        else
            return convert<T>(x);
    }

    template <class T, class Op>
    FADE_FN static T of_lane(vec<T, parts_of<T>>& parts, const Op& op) {
        FADE_UNROLL
        for (int e = 1; e < parts_of<T>; ++e) parts[0] = op(parts[0], parts[e]);
        return parts[0];
    }

    template <class T, class Op>
    FADE_FN T across(T* values, const Op& op) {
        if constexpr (Block::emulated)
            return apart([&] { return across_here(values, op); });
        else
            return across_here(values, op);
    }
    template <class T, class Op>
    FADE_FN T across_here(T* values, const Op& op) {
        if constexpr (!P.shared_row) {
            wave::fold_lanes(block_, wave_, values, op);
        } else {
            block_.each_wave([&](wave_coord w)
                                 FADE_LAMBDA { wave::fold_lanes(block_, w, values + w.slot, op); });
            if constexpr (Block::waves > 1) share(values, op);
        }
        return values[0];
    }
    /// Lane 0 of each wave gives what its wave has, and all lanes combine that. Memory of two turns saves a
    /// barrier: who writes a turn again has passed the barrier of the other, behind all reads of this one.
    template <class T, class Op>
    FADE_FN void share(T* values, const Op& op) {
        using words = vec<float, int(sizeof(T)) / 4>;
        const auto at = [&](int wave)
                            FADE_LAMBDA { return std::uint32_t((parity_ * Block::waves + wave) * 16); };
        block_.each_lane([&](lane_coord p) FADE_LAMBDA {
            if (p.lane == 0)
                block_.store_shared(p, at(p.wave),
                                    __builtin_bit_cast(words, values[columns_type::slot_of(p)]));
        });
        meet();
        block_.each_lane([&](lane_coord p) FADE_LAMBDA {
            T all = __builtin_bit_cast(T, block_.template load_shared<words>(p, at(0)));
            FADE_UNROLL
            for (int wave = 1; wave < Block::waves; ++wave)
                all = op(all, __builtin_bit_cast(T, block_.template load_shared<words>(p, at(wave))));
            values[columns_type::slot_of(p)] = all;
        });
        parity_ ^= 1;
    }

    /// No matrix unit reads what waves share here.
    FADE_FN void meet() {
        if constexpr (requires { block_.meet(); })
            block_.meet();
        else
            block_.sync();
    }

    Block& block_;
    wave_coord wave_;
    index number_, next_, rows_;
    columns_type columns_;
    int& parity_;
};

}  // namespace FADE_NAMESPACE::block

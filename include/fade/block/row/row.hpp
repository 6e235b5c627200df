// A row as a row operator sees it: tensors are read, elements combined and written; no lane is named.
#pragma once
#include <fade/block/row/operand.hpp>
#include <fade/core/below_all.hpp>
#include <fade/core/row_tensor.hpp>
#include <fade/wave/fold_lanes.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::block {

/// Shared memory for what waves combine: two turns, 16 bytes a wave.
constexpr int row_shared_bytes(const row_policy& p) { return p.shared_row ? 2 * 16 * p.waves : 16; }

/// Row `number` of tensors of `rows` rows. Made by each_row(); all waves that share the row call its verbs
/// alike. Elements reach functions as f32, behind a `column` where the function takes one.
template <class Block, row_policy P>
class row {
    using columns_type = row_columns<Block, P>;
    static constexpr int held = columns_type::held;

public:
    FADE_FN row(Block& block, wave_place wave, index number, index rows, const columns_type& columns,
                int& turn)
        : block_(block), wave_(wave), number_(number), rows_(rows), columns_(columns), turn_(turn) {}

    /// Does each pass read memory again?
    static constexpr bool streams = !P.resident && Block::wave_size > 1;

    FADE_FN index number() const { return number_; }
    FADE_FN int columns() const { return columns_.count; }

    /// A row of a tensor; `otherwise` stands for its elements where the tensor is left out.
    template <class T>
    FADE_FN auto read(const row_tensor<const T>& t, float otherwise = 0) {
        row_operand<Block, P, T> x(memory(t), convert<T>(otherwise));
        if constexpr (P.resident) each_lane([&](place p) FADE_LAMBDA { x.keep(columns_, p); });
        return x;
    }

    /// x + addend, rounded to their type, and stored to `sum` unless that is left out. An addend that is left
    /// out adds nothing. `sum` may be either of both.
    template <class T>
    FADE_FN auto read_sum(const row_tensor<const T>& x, const row_tensor<const T>& addend,
                          const row_tensor<T>& sum) {
        using operand = row_operand<Block, P, T>;
        operand both = addend.data ? operand(memory(x), memory(addend)) : operand(memory(x), T{});
        if constexpr (P.resident) each_lane([&](place p) FADE_LAMBDA { both.keep(columns_, p); });
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
        each_run([&](place, int first, const auto&... x)
                     FADE_LAMBDA { to.store(columns_, first, stored_run<T>(f, first, x...)); },
                 xs...);
    }

    /// op over f(elements of xs...) of all columns, begun with `identity`: the same bits whoever asks. op is
    /// commutative and associative but for rounding; T has 4 to 16 bytes.
    template <class T, class Op, class F, class... Operands>
    FADE_FN T fold(T identity, Op op, F f, const Operands&... xs) {
        vec<T, parts_of<T>> parts[held];
        each_lane([&](place p) FADE_LAMBDA {
            FADE_UNROLL
            for (int e = 0; e < parts_of<T>; ++e) parts[columns_type::slot_of(p)][e] = identity;
        });
        each_run([&](place p, int first, const auto&... x)
                     FADE_LAMBDA { add_run(parts[columns_type::slot_of(p)], op, f, first, x...); },
                 xs...);
        T values[held];
        each_lane([&](place p) FADE_LAMBDA {
            values[columns_type::slot_of(p)] = of_lane(parts[columns_type::slot_of(p)], op);
        });
        return across(values, op);
    }
    template <class F, class... Operands>
    FADE_FN float sum(F f, const Operands&... xs) {
        return fold(0.0f, [](float a, float b) FADE_LAMBDA { return a + b; }, f, xs...);
    }
    /// The largest; a NaN is passed over.
    template <class F, class... Operands>
    FADE_FN float max(F f, const Operands&... xs) {
        return fold(below_all, [](float a, float b) FADE_LAMBDA { return a < b ? b : a; }, f, xs...);
    }

    /// What a list with one value a row says of this one, and where it is written.
    template <class T>
    FADE_FN T get(const T* values) const {
        return values[number_];
    }
    template <class T>
    FADE_FN void put(T* values, T value) {
        put_at(values, number_, value);
    }
    template <class T>
    FADE_FN void put_at(T* values, index at, T value) {
        if (!values) return;
        each_lane([&](place p) FADE_LAMBDA {
            if (columns_type::lane_of(p) == 0) values[at] = value;
        });
    }

    FADE_FN static float exp2(float x) { return Block::exp2(x); }
    FADE_FN static float log2(float x) { return Block::log2(x); }
    FADE_FN static float exp(float x) { return Block::exp2(x * 1.44269504f); }
    FADE_FN static float log(float x) { return Block::log2(x) * 0.69314718f; }

private:
    /// How many sums a lane begins: one for each element of a run, so that they do not wait for each other
    /// and compilers make vectors of them; one of what is wider than a register.
    template <class T>
    static constexpr int parts_of = sizeof(T) == 4 ? P.run : 1;

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

    /// Calls f(place, first column, run...) for every run of the row.
    template <class F, class... Operands>
    FADE_FN void each_run(F f, const Operands&... xs) {
        each_lane([&](place p) FADE_LAMBDA {
            if constexpr (P.resident)
                each_run_of_step(p, 0, f, xs.of(columns_, p, 0)...);
            else
                for (int begin = 0; begin < columns_.count + columns_.shift; begin += columns_type::step)
                    each_run_of_step(p, begin, f, xs.of(columns_, p, begin)...);
        });
    }
    template <class F, class... Runs>
    FADE_FN void each_run_of_step(place p, int begin, F& f, const Runs&... runs) {
        FADE_UNROLL
        for (int i = 0; i < P.runs; ++i) {
            const int first = columns_.first(p, begin, i);
            if (first < columns_.count) f(p, first, runs.run[i]...);
        }
    }

    template <class T, class Op, class F, class... Runs>
    FADE_FN void add_run(vec<T, parts_of<T>>& to, Op& op, F& f, int first, const Runs&... x) const {
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
    FADE_FN static T of_lane(vec<T, parts_of<T>>& parts, Op& op) {
        FADE_UNROLL
        for (int e = 1; e < parts_of<T>; ++e) parts[0] = op(parts[0], parts[e]);
        return parts[0];
    }

    template <class T, class Op>
    FADE_FN T across(T* values, Op& op) {
        if constexpr (!P.shared_row) {
            wave::fold_lanes(block_, wave_, values, op);
        } else {
            block_.each_wave([&](wave_place w)
                                 FADE_LAMBDA { wave::fold_lanes(block_, w, values + w.slot, op); });
            if constexpr (Block::waves > 1) share(values, op);
        }
        return values[0];
    }
    /// Lane 0 of each wave gives what its wave has, and all lanes combine that. Memory of two turns saves a
    /// barrier: who writes a turn again has passed the barrier of the other, behind all reads of this one.
    template <class T, class Op>
    FADE_FN void share(T* values, Op& op) {
        using words = vec<float, int(sizeof(T)) / 4>;
        const auto at = [&](int wave)
                            FADE_LAMBDA { return std::uint32_t((turn_ * Block::waves + wave) * 16); };
        block_.each_lane([&](place p) FADE_LAMBDA {
            if (p.lane == 0)
                block_.store_shared(p, at(p.wave),
                                    __builtin_bit_cast(words, values[columns_type::slot_of(p)]));
        });
        block_.sync();
        block_.each_lane([&](place p) FADE_LAMBDA {
            T all = __builtin_bit_cast(T, block_.template load_shared<words>(p, at(0)));
            FADE_UNROLL
            for (int wave = 1; wave < Block::waves; ++wave)
                all = op(all, __builtin_bit_cast(T, block_.template load_shared<words>(p, at(wave))));
            values[columns_type::slot_of(p)] = all;
        });
        turn_ ^= 1;
    }

    Block& block_;
    wave_place wave_;
    index number_, rows_;
    columns_type columns_;
    int& turn_;
};

/// How many rows there are, of how many columns, and how many workgroups share them.
struct row_extent {
    index rows;
    int columns, groups;
};

/// Calls f(row) for every row that this workgroup takes, or with each wave for its own. `shift_of(row)` says
/// how many elements lie between a row's first and the aligned address before it.
template <row_policy P, class Block, class Shift, class F>
FADE_FN void each_row(Block& block, const row_extent& extent, Shift shift_of, F f) {
    int turn = 0;
    const auto take = [&](wave_place w, index number) FADE_LAMBDA {
        const row_columns<Block, P> columns{extent.columns, P.whole_runs ? 0 : shift_of(number)};
        row<Block, P> here(block, w, number, extent.rows, columns, turn);
        f(here);
    };
    if constexpr (P.shared_row) {
        for (index r = block.id_x(); r < extent.rows; r += extent.groups) take(wave_place{0, 0}, r);
    } else {
        for (index r = index(block.id_x()) * Block::waves; r < extent.rows;
             r += index(extent.groups) * Block::waves)
            block.each_wave([&](wave_place w) FADE_LAMBDA {
                if (r + w.wave < extent.rows) take(w, r + w.wave);
            });
    }
}

}  // namespace FADE_NAMESPACE::block

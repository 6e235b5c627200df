// A row as a row operator sees it: tensors are read, elements combined and written; no lane is named.
#pragma once
#include <fade/block/row/folds.hpp>
#include <fade/block/row/largest.hpp>
#include <fade/block/row/moments.hpp>
#include <fade/block/row/normalizer.hpp>
#include <fade/block/row/operand.hpp>
#include <fade/block/row/passes.hpp>
#include <fade/core/call/row_tensor.hpp>
#include <fade/core/number/below_all.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::block {

/// Row `number` of tensors of `rows` rows. Made by each_row(); all waves that share the row call its verbs
/// alike. Elements reach functions as f32, behind a `column` where the function takes one. A CPU's is
/// block::cpu_row.
template <class Block, row_policy P>
class row {
    using passes = row_passes<Block, P>;
    using columns_type = typename passes::columns_type;
    static constexpr int held = passes::held;

public:
    /// `next`: the row that comes after this one here, or `rows`.
    FADE_FN row(Block& block, wave_coord wave, index number, index next, index rows,
                const columns_type& columns, int& parity)
        : block_(block), number_(number), next_(next), rows_(rows), columns_(columns),
          passes_(block, wave, columns, parity) {}

    FADE_FN index number() const { return number_; }        ///< which row this is
    FADE_FN int columns() const { return columns_.count; }  ///< elements of it

    /// A row of a tensor; `otherwise` stands for its elements where the tensor is left out.
    template <class T>
    FADE_FN auto read(const row_tensor<const T>& t, float otherwise = 0) {
        row_operand<Block, P, T> x(memory(t), convert<T>(otherwise));
        if constexpr (P.resident) passes_.each_lane([&](lane_coord p) FADE_LAMBDA { x.keep(columns_, p); });
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
        if constexpr (P.resident)
            passes_.each_lane([&](lane_coord p) FADE_LAMBDA { both.keep(columns_, p); });
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
        passes_.each_run([&](lane_coord, int first, const auto&... x)
                             FADE_LAMBDA { to.store(columns_, first, stored_run<T>(f, first, x...)); },
                         xs...);
    }

    /// op over f(elements of xs...) of all columns, begun with `identity`: the same bits whoever asks. op is
    /// commutative and associative but for rounding; T has 4 to 16 bytes.
    template <class T, class Op, class F, class... Operands>
    FADE_FN T fold(T identity, Op op, F f, const Operands&... xs) {
        vec<T, parts_of<T>> parts[held];
        passes_.each_lane([&](lane_coord p) FADE_LAMBDA {
            FADE_UNROLL
            for (int e = 0; e < parts_of<T>; ++e) parts[passes::slot_of(p)][e] = identity;
        });
        passes_.each_run([&](lane_coord p, int first, const auto&... x)
                             FADE_LAMBDA { add_run(parts[passes::slot_of(p)], op, f, first, x...); },
                         xs...);
        T values[held];
        passes_.each_lane([&](lane_coord p) FADE_LAMBDA {
            values[passes::slot_of(p)] = of_lane(parts[passes::slot_of(p)], op);
        });
        return passes_.across(values, op);
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
        passes_.each_lane([&](lane_coord p) FADE_LAMBDA {
            FADE_UNROLL
            for (int e = 0; e < parts_of<float>; ++e)
                first[passes::slot_of(p)][e] = second[passes::slot_of(p)][e] = 0;
        });
        const add_floats add;
        passes_.each_run(
            [&](lane_coord p, int at, const auto&... x) FADE_LAMBDA {
                add_run(first[passes::slot_of(p)], add, f, at, x...);
                add_run(second[passes::slot_of(p)], add, g, at, x...);
            },
            xs...);
        two_sums values[held];
        passes_.each_lane([&](lane_coord p) FADE_LAMBDA {
            const int at = passes::slot_of(p);
            values[at] = {of_lane<float>(first[at], add), of_lane<float>(second[at], add)};
        });
        return passes_.across(values, add_two_sums{});
    }
    /// Combines f(elements of xs...) of every column with its sum over the rows before this one.
    template <class Sums, class F, class Op, class... Operands>
    FADE_FN void add_columns(Sums& sums, F f, Op op, const Operands&... xs) const {
        passes_.each_numbered_run(
            [&](lane_coord p, int i, const auto&... x) FADE_LAMBDA {
                FADE_UNROLL
                for (int e = 0; e < P.run; ++e)
                    sums.at(p, i, e) = op(sums.at(p, i, e), f(convert<float>(x[e])...));
            },
            xs...);
    }
    /// The largest; a NaN is passed over.
    template <class F, class... Operands>
    FADE_FN float max(F f, const Operands&... xs) {
        return fold(below_all, larger{}, f, xs...);
    }

    /// The largest of x and the sum of exp(x - largest), by one pass over memory.
    template <class Operand>
    FADE_FN row_normalizer normalizer(const Operand& x) const {
        return alone([&]() FADE_LAMBDA { return normalizer_search<Block, P>(passes_)(x); });
    }
    /// The mean of x and the sum of (x - mean)^2, by one pass over memory.
    template <class Operand>
    FADE_FN row_moments moments(const Operand& x) const {
        return alone([&]() FADE_LAMBDA { return moments_search<Block, P>(passes_)(x); });
    }
    /// The largest of x and where it stands first, by one pass over memory. A NaN is larger than all numbers.
    template <class Operand>
    FADE_FN placed_number largest(const Operand& x) const {
        return alone([&]() FADE_LAMBDA { return largest_search<Block, P>(passes_)(x); });
    }
    /// Calls f(i, element) for the `count` largest of x, each with its place, in their order.
    template <class F, class Operand>
    FADE_FN void each_largest(int count, F f, const Operand& x) const {
        largest_search<Block, P>(passes_).each(count, f, x);
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
        passes_.each_lane([&](lane_coord p) FADE_LAMBDA {
            if (columns_type::lane_of(p) == 0) values[at] = value;
        });
    }

    FADE_FN static float exp2(float x) { return Block::exp2(x); }               ///< 2 to the power of x
    FADE_FN static float log2(float x) { return Block::log2(x); }               ///< logarithm to base 2
    FADE_FN static float exp(float x) { return Block::exp2(x * 1.44269504f); }  ///< e to the power of x
    /// The same of x up to 0; what is below 2^-126 may be 0.
    FADE_FN static float exp_below(float x) { return exp(x); }
    FADE_FN static float log(float x) { return Block::log2(x) * 0.69314718f; }  ///< natural logarithm

private:
    /// How many sums a lane begins, so that they do not wait for each other: a few; one of what is wider than
    /// a register.
    template <class T>
    static constexpr int parts_of = sizeof(T) != 4 ? 1 : min_of(P.run, 4);
    /// A NaN on the right is passed over.
    struct larger {
        FADE_FN float operator()(float a, float b) const { return Block::maximum(a, b); }
    };

    template <class F>
    FADE_FN static auto alone(F f) {
        if constexpr (Block::emulated)
            return apart(f);
        else
            return f();
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
            passes_.each_lane([&](lane_coord p) FADE_LAMBDA {
                FADE_UNROLL
                for (int i = 0; i < P.runs; ++i) there.prefetch(columns_, columns_.first(p, 0, i));
            });
        }
    }

    template <class T, class Op, class F, class... Runs>
    FADE_FN void add_run(vec<T, parts_of<T>>& to, const Op& op, F& f, int first, const Runs&... x) const {
        constexpr int parts = parts_of<T>;
        passes_.each_element(
            first,
            [&](int e, auto... elements)
                FADE_LAMBDA { to[e % parts] = op(to[e % parts], value(f, first + e, elements...)); },
            x...);
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

    Block& block_;
    index number_, next_, rows_;
    columns_type columns_;
    passes passes_;
};

}  // namespace FADE_NAMESPACE::block

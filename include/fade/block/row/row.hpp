// A row as a row operator sees it: tensors are read, elements combined and written; no lane is named.
#pragma once
#include <fade/block/row/candidates.hpp>
#include <fade/block/row/folds.hpp>
#include <fade/block/row/largest.hpp>
#include <fade/block/row/moments.hpp>
#include <fade/block/row/normalizer.hpp>
#include <fade/block/row/operand.hpp>
#include <fade/block/row/passes.hpp>
#include <fade/core/call/row_tensor.hpp>
#include <fade/core/number/below_all.hpp>
#include <fade/core/workgroup.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::block {

/// A row that a workgroup takes.
struct row_step {
    index number;       ///< which row this is
    index next;         ///< the one that comes after it here, or the number of rows
    bool first;         ///< of those that the workgroup takes
    int part = 0;       ///< which of the rows that share a wave
    bool there = true;  ///< false for lanes to which no row is left: they pass through all verbs
};

/// Row `number` of tensors of `rows` rows. Made by each_row(); all waves that share the row call its verbs
/// alike. Elements reach functions as f32, behind a `column` where the function takes one. A CPU's is
/// block::cpu_row.
template <class Block, row_policy P>
class row {
    using passes = row_passes<Block, P>;
    using columns_type = typename passes::columns_type;
    static constexpr int held = passes::held;

public:
    /// For each_row(): `wave` has the row, or one of the waves that share it.
    FADE_FN row(Block& block, wave_coord wave, const row_step& step, index rows, const columns_type& columns,
                int& parity)
        : block_(block), number_(step.number), next_(step.next), rows_(rows), first_(step.first),
          there_(step.there), columns_(columns), passes_(block, wave, step.part, columns, parity) {}

    FADE_FN index number() const { return number_; }        ///< which row this is
    FADE_FN int columns() const { return columns_.count; }  ///< elements of it

    /// A row of a tensor; `otherwise` stands for its elements where the tensor is left out.
    template <class T>
    FADE_FN auto read(const row_tensor<const T>& t, float otherwise = 0) {
        row_operand<Block, P, T> x(memory(t), convert<T>(otherwise));
        if constexpr (ahead) {
            read_ahead(x, t);
            return x;
        }
        if constexpr (staged)
            if (reads_++ == 0) stage(x);
        if constexpr (P.resident) passes_.each_lane([&](lane_coord p) FADE_LAMBDA { x.keep(columns_, p); });
        return x;
    }

    /// The same for what all rows share, or one pass alone reads: no register keeps it between passes.
    template <class T>
    FADE_FN auto read_late(const row_tensor<const T>& t, float otherwise = 0) {
        using operand = row_operand<Block, P, T, true>;
        return operand(memory_of<typename operand::memory>(t, number_), convert<T>(otherwise));
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
    /// The same where results below 2^-126 may be zero: a CPU may be faster at it.
    template <class T, class F, class... Operands>
    FADE_FN void write_normal(const row_tensor<T>& t, F f, const Operands&... xs) {
        write(t, f, xs...);
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
        constexpr int parts = P.shared_row ? parts_of<float> : min_of(parts_of<float>, 2);  // of each
        vec<float, parts> first[held], second[held];
        passes_.each_lane([&](lane_coord p) FADE_LAMBDA {
            FADE_UNROLL
            for (int e = 0; e < parts; ++e) first[passes::slot_of(p)][e] = second[passes::slot_of(p)][e] = 0;
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
            values[at] = {of_lane(first[at], add), of_lane(second[at], add)};
        });
        return passes_.across(values, add_two_sums{});
    }
    /// The same, and combines to_add(elements of xs...) of every column with its sum over the rows before
    /// this one. Registers hold the row, and no column stands before f.
    template <class T, class F, class Sums, class G, class Op, class... Operands>
    FADE_FN void write_and_add(const row_tensor<T>& t, F f, Sums& sums, G to_add, Op op,
                               const Operands&... xs) {
        const auto to = memory(t);
        passes_.each_numbered_run(
            [&](lane_coord p, int i, const auto&... x) FADE_LAMBDA {
                const int first = columns_.first(p, 0, i);
                to.store(columns_, first, stored_run<T>(f, first, x...));
                FADE_UNROLL
                for (int e = 0; e < P.run; ++e) sums.at(p, i, e) = op(sums.at(p, i, e), to_add(x[e]...));
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

    /// Writes the `count` largest of x in their order, and their places, to values[number() * count] and on;
    /// null: not wanted. A lane keeps one of them until all are found.
    template <class T, class Operand>
    FADE_FN void write_largest(int count, T* values, int* places, const Operand& x) const {
        if constexpr (puts_aside(Block::wave_size)) {
            const auto put = [&](int i, const placed_number& found) FADE_LAMBDA {
                if (!there_) return;
                if (values) values[number_ * count + i] = convert<T>(found.number());
                if (places) places[number_ * count + i] = found.place;
            };
            if (candidate_search<Block, P, Operand>(passes_, x).each(count, put)) return;
        }
        constexpr int lanes = columns_type::lanes;
        placed_number kept[held];
        for (int i = 0; i < held; ++i) kept[i] = placed_number::nothing();
        const auto store = [&](int begin) FADE_LAMBDA {
            passes_.each_lane([&](lane_coord p) FADE_LAMBDA {
                const int i = begin + columns_type::lane_of(p);
                if (i >= count || !there_) return;
                const placed_number& found = kept[passes::slot_of(p)];
                if (values) values[number_ * count + i] = convert<T>(found.number());
                if (places) places[number_ * count + i] = found.place;
            });
        };
        each_largest(
            count,
            [&](int i, const placed_number& found) FADE_LAMBDA {
                if (i > 0 && i % lanes == 0) store(i - lanes);
                passes_.each_lane([&](lane_coord p) FADE_LAMBDA {
                    if (columns_type::lane_of(p) == i % lanes) kept[passes::slot_of(p)] = found;
                });
            },
            x);
        store((count - 1) / lanes * lanes);
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
            if (there_ && columns_type::lane_of(p) == 0) values[at] = value;
        });
    }

    FADE_FN static float exp2(float x) { return Block::exp2(x); }               ///< 2 to the power of x
    FADE_FN static float log2(float x) { return Block::log2(x); }               ///< logarithm to base 2
    FADE_FN static float exp(float x) { return Block::exp2(x * 1.44269504f); }  ///< e to the power of x
    /// The same of x up to 0; what is below 2^-126 may be 0.
    FADE_FN static float exp_below(float x) { return exp(x); }
    FADE_FN static float log(float x) { return Block::log2(x) * 0.69314718f; }  ///< natural logarithm

    /// Brings the row of a tensor that comes after this one nearer, while this one is computed. It is worth
    /// its requests where few workgroups have rows (H200: gradients of norms 3 %, others lose up to 12 %).
    template <class T>
    FADE_FN void ask_for_next(const row_tensor<const T>& t) {
        if constexpr (P.resident && requires(typename Block::buffer b) { b.prefetch(0u); }) {
            if (P.ahead > 0 || next_ >= rows_ || t.stride == 0) return;
            const auto there = memory(t, next_);
            passes_.each_lane([&](lane_coord p) FADE_LAMBDA {
                FADE_UNROLL
                for (int i = 0; i < P.runs; ++i) there.prefetch(columns_, columns_.first(p, 0, i));
            });
        }
    }

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
        return memory(t, number_);
    }
    template <class T>
    FADE_FN auto memory(const row_tensor<T>& t, index which) {
        return memory_of<row_memory<Block, P, T>>(t, which);
    }
    template <class Memory, class T>
    FADE_FN Memory memory_of(const row_tensor<T>& t, index which) {
        const index stride = t.stride < 0 ? columns_.count : t.stride;
        return Memory(block_, t.data, stride, which, rows_, columns_.count, columns_.shift);
    }

    /// Takes the row from shared memory, where each lane has its own runs, and starts copying the next one
    /// there. The first row comes the same way. All operands of a row have come when the first of them has.
    template <class T>
    FADE_FN void read_ahead(row_operand<Block, P, T>& x, const row_tensor<const T>& t) {
        const int base = row_exchange_bytes(P) + reads_ * row_ahead_bytes(P, Block::wave_size);
        const auto at = [base](lane_coord p, int i) FADE_LAMBDA {
            const int lane = p.wave * Block::wave_size + p.lane;
            return std::uint32_t(base + (i * Block::threads + lane) * 16);
        };
        const auto copy = [&](index which) FADE_LAMBDA {
            const auto there = memory(t, which);
            passes_.each_lane([&](lane_coord p) FADE_LAMBDA {
                FADE_UNROLL
                for (int i = 0; i < P.runs; ++i)
                    there.copy_async(block_, p, columns_, columns_.first(p, 0, i), at(p, i));
            });
            block_.commit_async();
        };
        if (first_) copy(number_);
        if (first_ || reads_ == 0) block_.template wait_async<0>();
        passes_.each_lane([&](lane_coord p) FADE_LAMBDA {
            x.keep_copied(block_, p, [&](int i) FADE_LAMBDA { return at(p, i); });
        });
        if (next_ < rows_) copy(next_);
        ++reads_;
    }
    template <class T>
    FADE_FN void stage(row_operand<Block, P, T>& x) {
        passes_.each_lane([&](lane_coord p) FADE_LAMBDA {
            x.stage(block_, columns_, p, std::uint32_t(row_exchange_bytes(P)));
        });
        block_.commit_async();
        block_.template wait_async<0>();
    }
    template <class T, int Parts, class Op, class F, class... Runs>
    FADE_FN void add_run(vec<T, Parts>& to, const Op& op, F& f, int first, const Runs&... x) const {
        passes_.each_element(
            first,
            [&](int e, auto... elements)
                FADE_LAMBDA { to[e % Parts] = op(to[e % Parts], value(f, first + e, elements...)); },
            x...);
    }
    template <class F, class... Elements>
    FADE_FN static auto value(F& f, int at, Elements... x) {
        if constexpr (std::is_invocable_v<F&, column, decltype(float(sizeof(x)))...>)
            return f(column{at}, convert<float>(x)...);
        else
            return f(convert<float>(x)...);
    }
    /// f of a run as T holds it.
    template <class T, class F, class... Runs>
    FADE_FN static vec<T, P.run> stored_run(F& f, int first, const Runs&... x) {
        return rounded_run<Block, T, P.run>([&](int e) FADE_LAMBDA { return value(f, first + e, x[e]...); });
    }

    template <class T, int Parts, class Op>
    FADE_FN static T of_lane(vec<T, Parts>& parts, const Op& op) {
        FADE_UNROLL
        for (int e = 1; e < Parts; ++e) parts[0] = op(parts[0], parts[e]);
        return parts[0];
    }

    static constexpr bool ahead = P.ahead > 0 && async_workgroup<Block>,
                          staged = P.staged > 0 && async_workgroup<Block>;

    Block& block_;
    index number_, next_, rows_;
    bool first_, there_;
    int reads_ = 0;
    columns_type columns_;
    passes passes_;
};

}  // namespace FADE_NAMESPACE::block

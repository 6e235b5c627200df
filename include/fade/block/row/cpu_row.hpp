// A row as a row operator sees it on a CPU, where one thread has all of it: each pass reads it again, by runs
// of which compilers make vectors.
#pragma once
#include <cstring>
#include <fade/atom/cpu/stream.hpp>
#include <fade/block/row/cpu_largest.hpp>
#include <fade/block/row/cpu_operand.hpp>
#include <fade/block/row/folds.hpp>
#include <fade/block/row/policy.hpp>
#include <fade/core/call/row_tensor.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/number/below_all.hpp>
#include <fade/core/number/ordered.hpp>
#include <fade/core/shape.hpp>
#include <fade/core/vec.hpp>
#include <type_traits>
#include <utility>

namespace FADE_NAMESPACE::block {

/// The verbs of block::row, which says what they do, for one thread.
/// VectorBytes: of the vectors that it is compiled for.
template <row_policy P, class Numbers, int VectorBytes>
class cpu_row {
    static constexpr int length = P.run;
    using lanes = atom::lanes_of<float, VectorBytes>;
    using floats = typename lanes::vector;
    template <class Operand>
    using run = cpu_run<Operand, length>;

public:
    FADE_FN cpu_row(index number, int columns, index rows)
        : number_(number), columns_(columns), rows_(rows) {}

    /// Of a row of f32 that an operator may keep on the stack.
    static constexpr int kept_columns = 8192;
    FADE_FN index number() const { return number_; }
    FADE_FN int columns() const { return columns_; }

    template <class T>
    FADE_FN auto read(const row_tensor<const T>& t, float otherwise = 0) const {
        return cpu_operand<T, length>(begin_of(t), convert<T>(otherwise), ahead_of(t));
    }
    template <class T>
    FADE_FN auto read_late(const row_tensor<const T>& t, float otherwise = 0) const {
        return read(t, otherwise);
    }
    template <class T>
    FADE_FN auto read_sum(const row_tensor<const T>& x, const row_tensor<const T>& addend,
                          const row_tensor<T>& sum) const {
        const cpu_sum<T, length> both(begin_of(x), begin_of(addend), ahead_of(x), ahead_of(addend));
        if (!sum.data) return both;
        T* const out = begin_of(sum);
        for (int at = 0; at < columns_; at += length) {
            vec<T, length> spare;
            copy_run<T, length>(out + at, both.run(at, count(at), spare), count(at));
        }
        return cpu_sum<T, length>(out, nullptr, 0, 0);
    }

    template <class T, class F, class... Operands>
    FADE_FN void write(const row_tensor<T>& t, F f, const Operands&... xs) const {
        T* const out = begin_of(t);
        if (!out) return;
        int at = 0;
        if (const int head = elements_before_stream(out); head >= 0) {
            if (head) write_run<false>(out, f, 0, head, run<Operands>(xs, 0, head)...);
            for (at = head; at + length <= columns_; at += length) {
                (xs.ask(at), ...);
                write_run<true>(out + at, f, at, length, run<Operands>(xs, at, length)...);
            }
            atom::end_stream();
        }
        for (; at < columns_; at += length) {
            (xs.ask(at), ...);
            write_run<false>(out + at, f, at, count(at), run<Operands>(xs, at, count(at))...);
        }
    }

    /// write(), and the sum of what f gives.
    template <class F, class... Operands>
    FADE_FN float write_sum(const row_tensor<float>& t, F f, const Operands&... xs) const {
        float* const out = begin_of(t);
        vec<float, length> to;
        for (int e = 0; e < length; ++e) to[e] = 0;
        int at = fold_whole_runs<add_floats>(to, out, f, xs...);
        if (at < columns_) {
            write_run<false>(out + at, f, at, count(at), run<Operands>(xs, at, count(at))...);
            for (int e = 0; at + e < columns_; ++e) to[e] += out[at + e];
        }
        return joined(to, add_floats{});
    }

    template <class T, class Op, class F, class... Operands>
    FADE_FN T fold(T identity, Op op, F f, const Operands&... xs) const {
        vec<T, parts<T>> to;
        for (int e = 0; e < parts<T>; ++e) to[e] = identity;
        int at = 0;
        if constexpr (folds_lanes<T, Op>) at = fold_whole_runs<Op>(to, nullptr, f, xs...);
        for (; at < columns_; at += length)
            add_run(to, op, f, at, run<Operands>(xs, at, count(at)).loaded()...);
        return joined(to, op);
    }
    template <class F, class... Operands>
    FADE_FN float sum(F f, const Operands&... xs) const {
        return fold(0.0f, add_floats{}, f, xs...);
    }
    template <class F, class G, class... Operands>
    FADE_FN two_sums sums(F f, G g, const Operands&... xs) const {
        vec<float, parts<float>> first, second;
        for (int e = 0; e < parts<float>; ++e) first[e] = second[e] = 0;
        const auto add_both = [&](int at, const auto&... x) FADE_LAMBDA {
            add_run(first, add_floats{}, f, at, x...);
            add_run(second, add_floats{}, g, at, x...);
        };
        int at = sum_whole_runs(first, second, f, g, xs...);
        for (; at < columns_; at += length) add_both(at, run<Operands>(xs, at, count(at)).loaded()...);
        return {joined(first, add_floats{}), joined(second, add_floats{})};
    }
    template <class F, class... Operands>
    FADE_FN float max(F f, const Operands&... xs) const {
        return fold(below_all, larger_float{}, f, xs...);
    }

    template <class Operand>
    FADE_FN row_normalizer normalizer(const Operand& x) const {
        const float largest = max([](float logit) FADE_LAMBDA { return logit; }, x);
        return {largest, sum([&](float logit) FADE_LAMBDA { return exp_below(logit - largest); }, x)};
    }
    template <class Operand>
    FADE_FN row_moments moments(const Operand& x) const {
        const float mean = sum([](float z) FADE_LAMBDA { return z; }, x) / float(columns_);
        return {mean, sum([&](float z) FADE_LAMBDA { return (z - mean) * (z - mean); }, x)};
    }
    template <class Operand>
    FADE_FN placed_number largest(const Operand& x) const {
        cpu_largest<VectorBytes, length> found;
        each_run(x, added_runs{found});
        return found.in(run<Operand>(x, found.run(), count(found.run())).data());
    }
    template <class F, class Operand>
    FADE_FN void each_largest(int wanted, F f, const Operand& x) const {
        cpu_largest_list<VectorBytes, length> found(wanted, min_key_of(wanted, x));
        each_run(x, added_runs{found});
        for (int i = 0; i < wanted; ++i) f(i, found[i]);
    }
    template <class T, class Operand>
    FADE_FN void write_largest(int wanted, T* values, int* places, const Operand& x) const {
        const auto write = [&](int i, const placed_number& found) FADE_LAMBDA {
            if (values) values[number_ * wanted + i] = convert<T>(found.number());
            if (places) places[number_ * wanted + i] = found.place;
        };
        each_largest(wanted, write, x);
    }

    template <class T>
    FADE_FN float element(const row_tensor<const T>& t, int column) const {
        return convert<float>(begin_of(t)[column]);
    }
    template <class T>
    FADE_FN T get(const T* values) const {
        return values[number_];
    }
    template <class T>
    FADE_FN void put(T* values, T value) const {
        put_at(values, number_, value);
    }
    template <class T>
    FADE_FN void put_at(T* values, index at, T value) const {
        if (values) values[at] = value;
    }

    FADE_FN static float exp2(float x) { return Numbers::exp2(x); }
    FADE_FN static float log2(float x) { return Numbers::log2(x); }
    FADE_FN static float exp(float x) { return Numbers::exp2(x * 1.44269504f); }
    FADE_FN static float exp_below(float x) { return Numbers::exp2_below(x * 1.44269504f); }
    FADE_FN static float log(float x) { return Numbers::log2(x) * 0.69314718f; }

private:
    /// Sums that one word holds are as many as a run has elements, of which compilers make vectors.
    template <class T>
    static constexpr int parts = sizeof(T) == 4 ? length : 1;
    template <class T, class Op>
    static constexpr bool folds_lanes =
        std::is_same_v<T, float> && requires(floats& x) { Op::template fold_lanes<lanes>(x, x); };

    template <class T>
    FADE_FN T* begin_of(const row_tensor<T>& t) const {
        return t.data ? t.data + number_ * stride_of(t) : nullptr;
    }
    /// Elements to the next row; 0: it is the same, or there is none.
    template <class T>
    FADE_FN index ahead_of(const row_tensor<T>& t) const {
        return number_ + 1 < rows_ ? stride_of(t) : 0;
    }
    template <class T>
    FADE_FN index stride_of(const row_tensor<T>& t) const {
        return t.stride < 0 ? columns_ : t.stride;
    }
    FADE_FN int count(int at) const { return min_of(columns_ - at, length); }
    /// f(elements, where they begin, how many of them are the row's) for each run.
    template <class F, class Operand>
    FADE_FN void each_run(const Operand& x, F f) const {
        for (int at = 0; at < columns_; at += length) f(run<Operand>(x, at, count(at)).data(), at, count(at));
    }

    template <class F, class... Elements>
    FADE_FN static auto value(F& f, int at, Elements... x) {
        if constexpr (std::is_invocable_v<F&, column, decltype(float(sizeof(x)))...>)
            return f(column{at}, convert<float>(x)...);
        else
            return f(convert<float>(x)...);
    }
    /// Elements as numbers of a vector's lanes.
    struct lane_numbers {
        float e[lanes::count];
        template <class T>
        FADE_FN explicit lane_numbers(const T* from) {
            floats all;
            lanes::load(all, from);
            std::memcpy(e, &all, sizeof e);
        }
    };
    /// f of each lane: a loop that compilers take for one vector.
    template <class F, class... Numbers_>
    FADE_FN static void each_lane(floats& to, F& f, int at, const Numbers_&... x) {
        float out[lanes::count];
        for (int e = 0; e < lanes::count; ++e) out[e] = value(f, at + e, x.e[e]...);
        std::memcpy(&to, out, sizeof out);
    }
    template <class F, class... Elements>
    FADE_FN static void vector_of(floats& to, F& f, int at, const Elements*... x) {
        each_lane(to, f, at, lane_numbers(x)...);
    }

    /// A key that none of the `wanted` largest elements is below; 0 where finding one does not pay.
    template <class Operand>
    FADE_FN std::uint32_t min_key_of(int wanted, const Operand& x) const {
        if (columns_ < 8 * length) return 0;
        cpu_lane_maxima<VectorBytes, length> found;
        for (int at = 0; at + length <= columns_; at += length) found.add(run<Operand>(x, at, length).data());
        return found.key_of(wanted);
    }

    /// Elements before those from which on a row of results is streamed; -1: it is not.
    template <class T>
    FADE_FN int elements_before_stream(const T* out) const {
        constexpr int bytes = VectorBytes / 4 * int(sizeof(T));
        if (index(sizeof(T)) * rows_ * columns_ < atom::streamed_bytes || bytes < 16) return -1;
        const int head = int(-reinterpret_cast<std::uintptr_t>(out) % bytes) / int(sizeof(T));
        return columns_ >= head + length ? head : -1;
    }
    template <bool Streamed, class T, class F, class... Runs>
    FADE_FN static void write_run(T* to, F& f, int at, int count, const Runs&... x) {
        using result = decltype(value(f, at, x.data()[0]...));
        vec<T, length> spare;
        T* const out = count == length ? to : spare.e;
        if constexpr (std::is_same_v<result, float> &&
                      (std::is_same_v<T, float> || atom::is_16_bit_float<T>)) {
            for (int e = 0; e < length; e += lanes::count) {
                floats some;
                vector_of(some, f, at + e, (x.data() + e)...);
                if constexpr (Streamed)
                    atom::stream_numbers<VectorBytes>(out + e, some);
                else
                    lanes::store(out + e, some);
            }
        } else {
            for (int e = 0; e < length; ++e) spare[e] = stored<T>(value(f, at + e, x.data()[e]...));
            if (out == to) copy_run<T, length>(to, spare.e, length);
        }
        if (out != to) copy_run<T, length>(to, spare.e, count);
    }
    template <class T, class From>
    FADE_FN static T stored(From x) {
        if constexpr (std::is_same_v<T, From>)
            return x;
        else
            return convert<T>(x);
    }

    /// Vectors that no loop indexes, so that they stay in registers.
    static constexpr int vectors = length / lanes::count;
    static constexpr std::make_index_sequence<vectors> each_vector{};
    struct vector_sums {
        floats of[vectors];
        FADE_FN explicit vector_sums(const vec<float, length>& from) { load(from, each_vector); }
        FADE_FN void store(vec<float, length>& to) const { store(to, each_vector); }
        template <class Op, class F, std::size_t... V, class... Elements>
        FADE_FN void add(float* out, F& f, int at, std::index_sequence<V...>, const Elements*... x) {
            (add_vector<Op, V>(out, f, at, x...), ...);
        }

    private:
        template <class Op, std::size_t V, class F, class... Elements>
        FADE_FN void add_vector(float* out, F& f, int at, const Elements*... x) {
            constexpr int first = int(V) * lanes::count;
            floats some;
            vector_of(some, f, at + first, (x + first)...);
            Op::template fold_lanes<lanes>(of[V], some);
            if (out) lanes::store(out + first, some);
        }
        template <std::size_t... V>
        FADE_FN void load(const vec<float, length>& from, std::index_sequence<V...>) {
            (lanes::load(of[V], from.e + V * lanes::count), ...);
        }
        template <std::size_t... V>
        FADE_FN void store(vec<float, length>& to, std::index_sequence<V...>) const {
            (lanes::store(to.e + V * lanes::count, of[V]), ...);
        }
    };
    /// Folds the runs that are whole, and writes them to `out` where that is not null; returns where they
    /// end.
    template <class Op, class F, class... Operands>
    FADE_FN int fold_whole_runs(vec<float, length>& to, float* out, F& f, const Operands&... xs) const {
        vector_sums sums(to);
        int at = 0;
        for (; at + length <= columns_; at += length) {
            (xs.ask(at), ...);
            sums.template add<Op>(out ? out + at : nullptr, f, at, each_vector,
                                  run<Operands>(xs, at, length).data()...);
        }
        sums.store(to);
        return at;
    }
    template <class F, class G, class... Operands>
    FADE_FN int sum_whole_runs(vec<float, length>& first, vec<float, length>& second, F& f, G& g,
                               const Operands&... xs) const {
        vector_sums one(first), other(second);
        const auto add = [&](int at, const auto&... x) FADE_LAMBDA {
            one.template add<add_floats>(nullptr, f, at, each_vector, x.data()...);
            other.template add<add_floats>(nullptr, g, at, each_vector, x.data()...);
        };
        int at = 0;
        for (; at + length <= columns_; at += length) add(at, run<Operands>(xs, at, length)...);
        one.store(first), other.store(second);
        return at;
    }

    /// Whole runs are folded, and what came from behind the row is taken back: one text for all runs.
    template <class T, int Parts, class Op, class F, class... Runs>
    FADE_FN void add_run(vec<T, Parts>& to, const Op& op, F& f, int at, const Runs&... x) const {
        const int here = count(at);
        if constexpr (Parts == 1) {
            for (int e = 0; e < here; ++e) to[0] = op(to[0], value(f, at + e, x[e]...));
        } else {
            vec<T, Parts> before;
            if (here < length) before = to;
            for (int e = 0; e < length; ++e) to[e] = op(to[e], value(f, at + e, x[e]...));
            if (here < length) std::memcpy(&to[here], &before[here], sizeof(T) * std::size_t(length - here));
        }
    }
    /// Some at once, so that they do not wait for each other.
    template <class T, int Parts, class Op>
    FADE_FN static T joined(vec<T, Parts>& parts, const Op& op) {
        constexpr int some = Parts % 16 == 0 ? 16 : 1;
        for (int begin = some; begin < Parts; begin += some)
            for (int e = 0; e < some; ++e) parts[e] = op(parts[e], parts[begin + e]);
        for (int e = 1; e < some; ++e) parts[0] = op(parts[0], parts[e]);
        return parts[0];
    }
    index number_;
    int columns_;
    index rows_;
};

}  // namespace FADE_NAMESPACE::block

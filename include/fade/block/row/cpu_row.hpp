// A row as a row operator sees it on a CPU, where one thread has all of it: each pass reads it again, by runs
// of which compilers make vectors.
#pragma once
#include <cstring>
#include <fade/block/row/folds.hpp>
#include <fade/block/row/policy.hpp>
#include <fade/core/call/row_tensor.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/number/below_all.hpp>
#include <fade/core/number/ordered.hpp>
#include <fade/core/shape.hpp>
#include <fade/core/vec.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::block {

/// `count` of the N elements of a run. Elements may lie at any address, and results where operands do: what
/// is computed lies in between.
template <class T, int N>
FADE_FN void copy_run(void* to, const void* from, int count) {
    if (count == N)
        std::memcpy(to, from, sizeof(T) * N);
    else
        std::memcpy(to, from, sizeof(T) * std::size_t(count));
}
/// The same loaded, with zeros behind them: a pass computes whole runs, and drops what is behind the row.
template <class T, int N>
FADE_FN vec<T, N> loaded_run(const T* from, int count) {
    vec<T, N> out;
    if (count < N) std::memset(static_cast<void*>(&out), 0, sizeof out);
    copy_run<T, N>(&out, from, count);
    return out;
}

/// Asks for N elements that are read soon.
template <class T, int N>
FADE_FN void prefetch_run(const T* from) {
    constexpr int line = 64 / int(sizeof(T));
    for (int e = 0; e < N; e += line) __builtin_prefetch(from + e);
}

/// A row that passes read, or one element that stands for all where the tensor is left out.
template <class T, int N>
class cpu_operand {
public:
    FADE_FN cpu_operand(const T* row, T otherwise) : row_(row) {
        if (!row)
            for (int e = 0; e < N; ++e) instead_[e] = otherwise;
    }
    FADE_FN vec<T, N> run(int first, int count) const {
        return loaded_run<T, N>(row_ ? row_ + first : instead_.e, count);
    }

private:
    const T* row_;
    vec<T, N> instead_;
};

/// The sum of two rows, rounded to their type. Null: nothing is added.
template <class T, int N>
class cpu_sum {
public:
    FADE_FN cpu_sum(const T* row, const T* addend) : row_(row), addend_(addend) {}
    FADE_FN vec<T, N> run(int first, int count) const {
        vec<T, N> out = loaded_run<T, N>(row_ + first, count);
        if (addend_) {
            const vec<T, N> more = loaded_run<T, N>(addend_ + first, count);
            for (int e = 0; e < N; ++e) out[e] = convert<T>(convert<float>(out[e]) + convert<float>(more[e]));
        }
        return out;
    }

private:
    const T *row_, *addend_;
};

/// The verbs of block::row, which says what they do, for one thread.
template <row_policy P, class Numbers>
class cpu_row {
    static constexpr int length = P.run;

public:
    FADE_FN cpu_row(index number, int columns) : number_(number), columns_(columns) {}

    /// Of a row of f32 that an operator may keep on the stack.
    static constexpr int kept_columns = 8192;
    FADE_FN index number() const { return number_; }
    FADE_FN int columns() const { return columns_; }

    template <class T>
    FADE_FN auto read(const row_tensor<const T>& t, float otherwise = 0) const {
        return cpu_operand<T, length>(begin_of(t), convert<T>(otherwise));
    }
    template <class T>
    FADE_FN auto read_late(const row_tensor<const T>& t, float otherwise = 0) const {
        return read(t, otherwise);
    }
    template <class T>
    FADE_FN auto read_sum(const row_tensor<const T>& x, const row_tensor<const T>& addend,
                          const row_tensor<T>& sum) const {
        const cpu_sum<T, length> both(begin_of(x), begin_of(addend));
        if (!sum.data) return both;
        T* const out = begin_of(sum);
        for (int at = 0; at < columns_; at += length) {
            const vec<T, length> run = both.run(at, count(at));
            copy_run<T, length>(out + at, &run, count(at));
        }
        return cpu_sum<T, length>(out, nullptr);
    }

    template <class T, class F, class... Operands>
    FADE_FN void write(const row_tensor<T>& t, F f, const Operands&... xs) const {
        T* const out = begin_of(t);
        if (!out) return;
        for (int at = 0; at < columns_; at += length) {
            const vec<T, length> run = stored_run<T>(f, at, xs.run(at, count(at))...);
            copy_run<T, length>(out + at, &run, count(at));
        }
    }

    template <class T, class Op, class F, class... Operands>
    FADE_FN T fold(T identity, Op op, F f, const Operands&... xs) const {
        vec<T, parts<T>> to;
        for (int e = 0; e < parts<T>; ++e) to[e] = identity;
        int at = 0;
        if constexpr (std::is_same_v<T, float> && length % vector_lanes == 0)
            at = fold_whole_runs<Op>(to, f, xs...);
        for (; at < columns_; at += length) add_run(to, op, f, at, xs.run(at, count(at))...);
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
        for (int at = 0; at < columns_; at += length) add_both(at, xs.run(at, count(at))...);
        return {joined(first, add_floats{}), joined(second, add_floats{})};
    }
    template <class F, class... Operands>
    FADE_FN float max(F f, const Operands&... xs) const {
        return fold(below_all, larger_float{}, f, xs...);
    }

    template <class Operand>
    FADE_FN row_normalizer normalizer(const Operand& x) const {
        const float largest = max([](float logit) FADE_LAMBDA { return logit; }, x);
        return {largest, sum([&](float logit) FADE_LAMBDA { return exp(logit - largest); }, x)};
    }
    template <class Operand>
    FADE_FN row_moments moments(const Operand& x) const {
        const float mean = sum([](float z) FADE_LAMBDA { return z; }, x) / float(columns_);
        return {mean, sum([&](float z) FADE_LAMBDA { return (z - mean) * (z - mean); }, x)};
    }
    template <class Operand>
    FADE_FN placed_number largest(const Operand& x) const {
        const auto key = [](float z) FADE_LAMBDA { return placed_number::of(z, 0).key; };
        const auto larger = [](std::uint32_t a, std::uint32_t b) FADE_LAMBDA { return a < b ? b : a; };
        const std::uint32_t found = fold(std::uint32_t(0), larger, key, x);
        const auto place = [&](column c, float z)
                               FADE_LAMBDA { return key(z) == found ? c.value : 0x7fffffff; };
        const auto lower = [](int a, int b) FADE_LAMBDA { return a < b ? a : b; };
        return {found, fold(0x7fffffff, lower, place, x)};
    }

    /// One pass finds them, since few elements pass the last of those found.
    template <class F, class Operand>
    FADE_FN void each_largest(int wanted, F f, const Operand& x) const {
        constexpr int max_found = 64;
        placed_number found[max_found];
        for (int i = 0; i < wanted; ++i) found[i] = placed_number::nothing();
        for (int at = 0; at < columns_; at += length) {
            const auto run = x.run(at, count(at));
            std::uint32_t keys[length], all = 0;
            for (int e = 0; e < length; ++e) keys[e] = placed_number::of(convert<float>(run[e]), 0).key;
            for (int e = 0; e < length; ++e) all = all < keys[e] ? keys[e] : all;
            if (all <= found[wanted - 1].key) continue;
            for (int e = 0; e < count(at); ++e)
                insert(found, wanted, placed_number::of(convert<float>(run[e]), at + e));
        }
        for (int i = 0; i < wanted; ++i) f(i, found[i]);
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
    FADE_FN static float log(float x) { return Numbers::log2(x) * 0.69314718f; }

private:
    /// Sums that one word holds are as many as a run has elements, of which compilers make vectors.
    template <class T>
    static constexpr int parts = sizeof(T) == 4 ? length : 1;

    template <class T>
    FADE_FN T* begin_of(const row_tensor<T>& t) const {
        return t.data ? t.data + number_ * (t.stride < 0 ? columns_ : t.stride) : nullptr;
    }
    FADE_FN int count(int at) const { return min_of(columns_ - at, length); }

    template <class F, class... Elements>
    FADE_FN static auto value(F& f, int at, Elements... x) {
        if constexpr (std::is_invocable_v<F&, column, decltype(float(sizeof(x)))...>)
            return f(column{at}, convert<float>(x)...);
        else
            return f(convert<float>(x)...);
    }
    template <class T, class F, class... Runs>
    FADE_FN static vec<T, length> stored_run(F& f, int at, const Runs&... x) {
        vec<T, length> out;
        for (int e = 0; e < length; ++e) out[e] = stored<T>(value(f, at + e, x[e]...));
        return out;
    }
    template <class T, class From>
    FADE_FN static T stored(From x) {
        if constexpr (std::is_same_v<T, From>)
            return x;
        else
            return convert<T>(x);
    }

    /// Folds the runs that are whole; returns where they end. Sums stay in vector registers, which compilers
    /// do with no array that lives through a loop.
    static constexpr int vector_lanes = 16;
    template <class Op, class F, class... Operands>
    FADE_FN int fold_whole_runs(vec<float, length>& to, F& f, const Operands&... xs) const {
        typedef float lanes __attribute__((vector_size(4 * vector_lanes)));
        constexpr int vectors = length / vector_lanes;
        lanes sums[vectors];
        std::memcpy(&sums, &to, sizeof sums);
        int at = 0;
        for (; at + length <= columns_; at += length) {
            const vec<float, length> run = stored_run<float>(f, at, xs.run(at, length)...);
            lanes some[vectors];
            std::memcpy(&some, &run, sizeof some);
            for (int i = 0; i < vectors; ++i) Op::fold_lanes(sums[i], some[i]);
        }
        std::memcpy(&to, &sums, sizeof sums);
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
    FADE_FN static void insert(placed_number* found, int count, const placed_number& x) {
        int at = count - 1;
        if (!x.before(found[at])) return;
        for (; at > 0 && x.before(found[at - 1]); --at) found[at] = found[at - 1];
        found[at] = x;
    }

    index number_;
    int columns_;
};

}  // namespace FADE_NAMESPACE::block

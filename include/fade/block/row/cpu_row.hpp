// A row as a row operator sees it on a CPU, where one thread has all of it: each pass reads it again, by runs
// of which compilers make vectors.
#pragma once
#include <cstring>
#include <fade/atom/cpu/pairs.hpp>
#include <fade/atom/cpu/stream.hpp>
#include <fade/block/row/cpu_exponentials.hpp>
#include <fade/block/row/cpu_folds.hpp>
#include <fade/block/row/cpu_largest.hpp>
#include <fade/block/row/cpu_operand.hpp>
#include <fade/block/row/cpu_pass.hpp>
#include <fade/block/row/cpu_search.hpp>
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
    using pass = cpu_pass<length, VectorBytes>;
    using lanes = typename pass::lanes;
    using floats = typename pass::floats;
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
        const cpu_sum<T, length, VectorBytes> both(begin_of(x), begin_of(addend), ahead_of(x),
                                                   ahead_of(addend));
        if (!sum.data) return both;
        T* const out = begin_of(sum);
        for (int at = 0; at < columns_; at += length) {
            vec<T, length> spare;
            copy_run<T, length>(out + at, both.run(at, count(at), spare), count(at));
        }
        return cpu_sum<T, length, VectorBytes>(out, nullptr, 0, 0);
    }

    template <class T, class F, class... Operands>
    FADE_FN void write(const row_tensor<T>& t, F f, const Operands&... xs) const {
        write_by<false>(t, f, xs...);
    }
    template <class T, class F, class... Operands>
    FADE_FN void write_normal(const row_tensor<T>& t, F f, const Operands&... xs) const {
        if (atom::rounds_by_instruction<T, VectorBytes>())
            write_by<std::is_same_v<T, bf16>>(t, f, xs...);
        else
            write_by<false>(t, f, xs...);
    }

    /// Writes exp(x - base), all by one factor near 1 too large, and gives their sum; the base is near the
    /// largest.
    template <class Operand>
    FADE_FN float write_exponentials(const row_tensor<float>& t, const Operand& x) const {
        return exponentials_of(x, begin_of(t)).sum();
    }

    template <class T, class Op, class F, class... Operands>
    FADE_FN T fold(T identity, Op op, F f, const Operands&... xs) const {
        vec<T, parts<T>> to;
        for (int e = 0; e < parts<T>; ++e) to[e] = identity;
        cpu_blocks blocks;
        if constexpr (folds_lanes<T, Op>)
            cpu_folds<pass>(columns_).template fold<Op, Operands...>(to, blocks, f, xs.begin()...);
        else
            for (int at = 0; at < columns_; at += length)
                add_run(to, op, f, at, run<Operands>(xs, at, count(at)).loaded()...);
        if constexpr (std::is_same_v<Op, add_floats>) return blocks.with(pass::joined(to, op));
        return pass::joined(to, op);
    }
    template <class F, class... Operands>
    FADE_FN float sum(F f, const Operands&... xs) const {
        return fold(0.0f, add_floats{}, f, xs...);
    }
    template <class F, class G, class... Operands>
    FADE_FN two_sums sums(F f, G g, const Operands&... xs) const {
        vec<float, parts<float>> first, second;
        for (int e = 0; e < parts<float>; ++e) first[e] = second[e] = 0;
        cpu_blocks of_first, of_second;
        cpu_folds<pass>(columns_).template sums<Operands...>({first, of_first}, {second, of_second}, f, g,
                                                             xs.begin()...);
        return {of_first.with(pass::joined(first, add_floats{})),
                of_second.with(pass::joined(second, add_floats{}))};
    }
    template <class F, class... Operands>
    FADE_FN float max(F f, const Operands&... xs) const {
        return fold(below_all, larger_float{}, f, xs...);
    }

    template <class Operand>
    FADE_FN row_normalizer normalizer(const Operand& x) const {
        if (columns_ == 0) return {below_all, 0};
        const auto all = exponentials_of(x, nullptr);
        return {all.base(), all.corrected_sum()};
    }
    template <class Operand>
    FADE_FN row_moments moments(const Operand& x) const {
        // Around what the first elements have; that loses digits where they are far from the mean, of which
        // a second pass around what was found loses none.
        const float count = float(columns_);
        float near = first_mean(x), squares = 0;
        for (int round = 0; round < 2; ++round) {
            const auto off = [=](float z) FADE_LAMBDA { return z - near; };
            const auto squared = [=](float z) FADE_LAMBDA { return (z - near) * (z - near); };
            const two_sums all = sums(off, squared, x);
            const float shift = all.first / count, lost = shift * all.first;
            near += shift, squares = all.second - lost;
            if (squares > lost) break;
        }
        return {near, squares < 0 ? 0 : squares};
    }
    template <class Operand>
    FADE_FN placed_number largest(const Operand& x) const {
        if constexpr (atom::has_ordered_elements<typename Operand::element, VectorBytes>) {
            int place = place_of_largest<true>(x);
            if (place < 0) place = place_of_largest<false>(x);
            if (place >= 0) return placed_number::of(convert<float>(x.row()[place]), place);
        }
        cpu_largest<VectorBytes, length> found;
        each_run(x, added_runs{found});
        return found.in(run<Operand>(x, found.run(), count(found.run())).data());
    }
    template <class F, class Operand>
    FADE_FN void each_largest(int wanted, F f, const Operand& x) const {
        if constexpr (atom::has_ordered_elements<typename Operand::element, VectorBytes>)
            if (list_found<true>(wanted, f, x) || list_found<false>(wanted, f, x)) return;
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

    template <class Operand>
    FADE_FN float first_mean(const Operand& x) const {
        const int some = min_of(columns_, 8);
        const run<Operand> first(x, 0, count(0));
        float all = 0;
        for (int e = 0; e < some; ++e) all += convert<float>(first.data()[e]);
        return all / float(some);
    }
    template <class Operand>
    FADE_FN float largest_logit(const Operand& x) const {
        using element = typename Operand::element;
        if constexpr (atom::has_ordered_elements<element, VectorBytes> && sizeof(element) == 2)
            if (x.row() && columns_ > 0) return largest_by_words<VectorBytes>(x.row(), columns_);
        return max([](float logit) FADE_LAMBDA { return logit; }, x);
    }
    /// Of x below the largest; of long rows of 16-bit numbers below the largest of the first ones, which
    /// spares a pass, unless others turn out to be far above it.
    template <class Operand>
    FADE_FN auto exponentials_of(const Operand& x, float* out) const {
        using element = typename Operand::element;
        constexpr int first = 256;
        if constexpr (atom::has_ordered_elements<element, VectorBytes> && sizeof(element) == 2)
            if (x.row() && columns_ >= 2 * first) {
                auto all = exponentials_below(x, largest_by_words<VectorBytes>(x.row(), first), out);
                if (all.serves()) return all;
            }
        return exponentials_below(x, largest_logit(x), out);
    }
    template <class Operand>
    FADE_FN auto exponentials_below(const Operand& x, float base, float* out) const {
        using exponentials = cpu_exponentials<VectorBytes, typename Operand::element, length>;
        exponentials all(base);
        const auto from = x.begin();
        for (int at = 0, end = 0; at < columns_; at = end) {
            typename exponentials::sums block;
            end = min_of(columns_ - at, cpu_blocks::columns) + at;
            for (; at + length <= end; at += length) {
                from.ask(at);
                all.add(block, run<Operand>(from, at).data(), out ? out + at : nullptr);
            }
            if (at < end)
                all.add_some(block, run<Operand>(x, at, count(at)).data(), count(at),
                             out ? out + at : nullptr);
            all.add_block(block);
        }
        return all;
    }
    template <bool Positive, bool Grouped, class Operand>
    using search = cpu_search<typename Operand::element, VectorBytes, Positive, Grouped>;
    /// -1: this search does not find it.
    template <bool Positive, class Operand>
    FADE_FN int place_of_largest(const Operand& x) const {
        search<Positive, true, Operand> here(x.row(), columns_);
        const auto from = x.begin();
        if (!x.row() || columns_ < here.lanes || !here.look([&](int at) FADE_LAMBDA { from.ask_soon(at); }) ||
            (Positive && here.largest() <= 0))
            return -1;
        return here.first_from(here.largest());
    }
    /// Calls f for the largest, or returns false where this search does not find them.
    template <bool Positive, class F, class Operand>
    FADE_FN bool list_found(int wanted, F& f, const Operand& x) const {
        search<Positive, false, Operand> here(x.row(), columns_);
        const auto from = x.begin();
        if (!x.row() || columns_ < 8 * here.lanes ||
            !here.look([&](int at) FADE_LAMBDA { from.ask_soon(at); }))
            return false;
        const auto last = here.last_of(wanted);
        if (Positive && last <= 0) return false;
        cpu_candidates found;
        const auto add = [&](int at) FADE_LAMBDA {
            return found.add(placed_number::of(convert<float>(x.row()[at]), at));
        };
        here.each_from(last, add, [&](int at) FADE_LAMBDA { from.ask(at); });
        if (found.full()) return false;
        found.each_largest(wanted, f);
        return true;
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
        if (index(sizeof(T)) * rows_ * columns_ < atom::streamed_bytes || sizeof(T) == 1) return -1;
        const auto before = -reinterpret_cast<std::uintptr_t>(out) % VectorBytes;
        const int head = int(before / sizeof(T));
        return before % sizeof(T) == 0 && columns_ >= head + length ? head : -1;
    }
    template <bool ByInstruction, class T, class F, class... Operands>
    FADE_FN void write_by(const row_tensor<T>& t, F& f, const Operands&... xs) const {
        if (T* const out = begin_of(t))
            write_runs<ByInstruction, Operands...>(out, elements_before_stream(out), f, xs.begin()...);
    }
    /// One text writes whole runs to caches; one streams, and has memory of its own for what is no whole run.
    /// The latter does all where it is long, since each copy costs compilers seconds.
    template <bool ByInstruction, class... Operands, class T, class F>
    FADE_FN void write_runs(T* out, int head, F& f, const typename Operands::cursor&... xs) const {
        const bool streamed = head >= 0;
        int at = 0;
        if constexpr (!pass::template in_loops<T, typename Operands::element...>)
            for (; !streamed && at + length <= columns_; at += length) {
                (xs.ask(at), ...);
                pass::template write_whole<ByInstruction>(out + at, false, f, at, run<Operands>(xs, at)...);
            }
        vec<T, length> spare;
        for (int here = head > 0 ? head : count(at); at < columns_; at += here, here = count(at)) {
            (xs.ask(at), ...);
            const bool whole = here == length;
            pass::template write_whole<ByInstruction>(whole ? out + at : spare.e, whole && streamed, f, at,
                                                      run<Operands>(xs, at, here)...);
            if (!whole) copy_run<T, length>(out + at, spare.e, here);
        }
    }
    /// Whole runs are folded, and what came from behind the row is taken back: one text for all runs.
    template <class T, int Parts, class Op, class F, class... Runs>
    FADE_FN void add_run(vec<T, Parts>& to, const Op& op, F& f, int at, const Runs&... x) const {
        const int here = count(at);
        if constexpr (Parts == 1) {
            for (int e = 0; e < here; ++e) to[0] = op(to[0], pass::value(f, at + e, x[e]...));
        } else {
            vec<T, Parts> before;
            if (here < length) before = to;
            for (int e = 0; e < length; ++e) to[e] = op(to[e], pass::value(f, at + e, x[e]...));
            if (here < length) std::memcpy(&to[here], &before[here], sizeof(T) * std::size_t(length - here));
        }
    }
    index number_;
    int columns_;
    index rows_;
};

}  // namespace FADE_NAMESPACE::block

// Sums and largest numbers of rows of f32 on a CPU, in vectors.
#pragma once
#include <fade/block/row/cpu_pass.hpp>
#include <fade/block/row/folds.hpp>
#include <fade/core/shape.hpp>

namespace FADE_NAMESPACE::block {

/// Over a row of so many columns, by a cpu_pass.
template <class Pass>
class cpu_folds {
    static constexpr int length = Pass::length;
    template <class Operand>
    using run = cpu_run<Operand, length>;

public:
    FADE_FN explicit cpu_folds(int columns) : columns_(columns) {}

    /// Adds whole runs to `to`, those of blocks that are full to `blocks`. The last run is folded whole, and
    /// what came from behind the row is taken back; one text for all runs where it is long.
    template <class Op, class... Operands, class F>
    FADE_FN void fold(vec<float, length>& to, cpu_blocks& blocks, F& f,
                      const typename Operands::cursor&... xs) const {
        typename Pass::vector_sums sums(to);
        const auto add = [&](int place, const auto&... x) FADE_LAMBDA {
            (xs.ask_soon(place), ...);
            sums.template add<Op>(f, place, Pass::each_pair, x.data()...);
        };
        vec<float, length> before;
        int at = 0, here = length;
        for (int end = end_of_block<Op>(0);; end = end_of_block<Op>(end)) {
            if constexpr (!Pass::template in_loops<typename Operands::element...>)
                for (; at + length <= end; at += length) add(at, run<Operands>(xs, at)...);
            for (; at < end; at += length) {
                here = count(at);
                if (here < length) sums.store(before);
                add(at, run<Operands>(xs, at, here)...);
            }
            if (end == columns_) break;
            if constexpr (std::is_same_v<Op, add_floats>) sums.move_to(blocks);
        }
        sums.store(to);
        if (here < length) Pass::template take_back<F, typename Operands::element...>(to, before, here);
    }
    /// A sum: its blocks, and what is behind the last of them.
    struct sum_parts {
        vec<float, length>& last;
        cpu_blocks& blocks;
    };
    /// The sums of two functions by one reading.
    template <class... Operands, class F, class G>
    FADE_FN void sums(sum_parts first, sum_parts second, F& f, G& g,
                      const typename Operands::cursor&... xs) const {
        typename Pass::vector_sums one(first.last), other(second.last);
        const auto add = [&](int place, const auto&... x) FADE_LAMBDA {
            (xs.ask_soon(place), ...);
            one.template add<add_floats>(f, place, Pass::each_pair, x.data()...);
            other.template add<add_floats>(g, place, Pass::each_pair, x.data()...);
        };
        vec<float, length> before[2];
        int at = 0, here = length;
        for (int end = end_of_block<add_floats>(0);; end = end_of_block<add_floats>(end)) {
            if constexpr (!Pass::template in_loops<typename Operands::element...>)
                for (; at + length <= end; at += length) add(at, run<Operands>(xs, at)...);
            for (; at < end; at += length) {
                here = count(at);
                if (here < length) one.store(before[0]), other.store(before[1]);
                add(at, run<Operands>(xs, at, here)...);
            }
            if (end == columns_) break;
            one.move_to(first.blocks), other.move_to(second.blocks);
        }
        one.store(first.last), other.store(second.last);
        if (here < length) {
            Pass::template take_back<F, typename Operands::element...>(first.last, before[0], here);
            Pass::template take_back<G, typename Operands::element...>(second.last, before[1], here);
        }
    }

private:
    FADE_FN int count(int at) const { return min_of(columns_ - at, length); }
    /// Where a block ends that begins at `at`. Only sums have more than one.
    template <class Op>
    FADE_FN int end_of_block(int at) const {
        constexpr bool sums = std::is_same_v<Op, add_floats>;
        return sums ? min_of(columns_ - at, cpu_blocks::columns) + at : columns_;
    }

    int columns_;
};

}  // namespace FADE_NAMESPACE::block

// A column operator: one value of each column, over all rows, in a fixed order.
#pragma once
#include <fade/atom/cpu/isa.hpp>
#include <fade/block/row/parts.hpp>
#include <fade/block/row/strip.hpp>
#include <fade/core/launch.hpp>
#include <fade/core/number/ordered.hpp>
#include <fade/core/shape.hpp>
#include <fade/kernel/rows/reduce.hpp>

namespace FADE_NAMESPACE::kernel {

/// An operator has a type `value`, `identity()`, `combine` (a functor), `of(row, elements...)`,
/// `each_tensor`, `with_tensors(f)`, which calls f(tensors...), and `finish(column, value)`.
template <class Operator>
struct column_arguments {
    Operator op;
    index rows;
    int columns, parts;
    typename Operator::value* found;  ///< [parts, columns]; null where one part finishes
};

/// A share of the rows of a strip of columns.
template <row_policy P, class Block, class Args>
FADE_FN void columns_body(Block& block, const Args& a) {
    using value = typename decltype(a.op)::value;
    using strip = block::column_strip<Block, P, value>;
    const index share = ceil_div(a.rows, index(a.parts)), begin = block.id_y() * share;
    strip here(block, block.id_x() * strip::columns_of,
               {begin, min_of(begin + share, a.rows), a.rows, a.columns});
    const auto of = [&](index row, auto... x) FADE_LAMBDA { return a.op.of(row, x...); };
    const auto done = [&](int column, const value& v) FADE_LAMBDA {
        if (a.found)
            a.found[index(block.id_y()) * a.columns + column] = v;
        else
            a.op.finish(column, v);
    };
    a.op.with_tensors([&](const auto&... tensors) FADE_LAMBDA {
        here.fold(a.op.identity(), typename decltype(a.op)::combine{}, of, done, tensors...);
    });
}

/// What the shares have found, added in their order.
template <class Block, class Args>
FADE_FN void finish_columns_body(Block& block, const Args& a) {
    const auto done = [&](int column, const auto& all) FADE_LAMBDA { a.op.finish(column, all); };
    block::add_parts(block, a.found, a.parts, a.columns, typename decltype(a.op)::combine{}, done);
}

template <row_policy P>
struct columns_leaf {
    template <int, class Block, class Args>
    FADE_FN static void apply(Block* block, const Args* args) {
        columns_body<P>(*block, *args);
    }
};

struct plus {
    FADE_FN float operator()(float a, float b) const { return a + b; }
};

/// out[column] = sum, mean or largest of its elements, and the row of the largest.
template <class In, class Out, reduction Kind>
struct reduce_columns {
    static constexpr bool ordered = Kind == reduction::max || Kind == reduction::argmax;
    using value = std::conditional_t<ordered, placed_number, float>;
    using combine = std::conditional_t<ordered, first_placed, plus>;
    row_tensor<const In> x;
    Out* out;
    int* places;
    float factor;  ///< of the sum: 1 / rows for the mean

    static constexpr int element_bytes = sizeof(In);
    template <class F>
    void each_tensor(F f) const {
        f("x", x);
    }
    template <class F>
    FADE_FN void with_tensors(F f) const {
        f(x);
    }
    FADE_FN value identity() const {
        if constexpr (ordered)
            return placed_number::nothing();
        else
            return 0.0f;
    }
    FADE_FN value of(index row, float element) const {
        if constexpr (ordered)
            return placed_number::of(element, int(row));
        else
            return element;
    }
    FADE_FN void finish(int column, const value& v) const {
        if constexpr (ordered) {
            if (out) out[column] = convert<Out>(v.number());
            if (places) places[column] = v.place;
        } else {
            out[column] = convert<Out>(v * factor);
        }
    }
};

}  // namespace FADE_NAMESPACE::kernel

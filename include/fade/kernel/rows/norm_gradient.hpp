// The gradients of a norm: of its input, and of its weights and biases, by one reading of both tensors.
#pragma once
#include <fade/block/row/column_sums.hpp>
#include <fade/block/row/split/split_row.hpp>
#include <fade/kernel/rows/body.hpp>
#include <fade/kernel/rows/columns.hpp>

namespace FADE_NAMESPACE::kernel {

/// The gradients of a norm's weights and biases.
struct norm_gradients {
    float weight, bias;
};
struct add_norm_gradients {
    FADE_FN norm_gradients operator()(const norm_gradients& a, const norm_gradients& b) const {
        return {a.weight + b.weight, a.bias + b.bias};
    }
};

/// dweight = sum of dy (h - mean) / root over rows, dbias = sum of dy.
template <class In, class Gradient, class Weight>
struct norm_weight_gradient {
    using value = norm_gradients;
    using combine = add_norm_gradients;
    row_tensor<const In> h;
    row_tensor<const Gradient> dy;
    const float *mean, *inverse_root;  ///< mean null: 0
    Weight *dweight, *dbias;

    static constexpr int element_bytes = sizeof(In);
    template <class F>
    void each_tensor(F f) const {
        f("h", h), f("dy", dy);
    }
    template <class F>
    FADE_FN void with_tensors(F f) const {
        f(h, dy);
    }
    FADE_FN value identity() const { return {0, 0}; }
    FADE_FN value of(index row, float z, float slope) const {
        return {slope * (z - (mean ? mean[row] : 0.0f)) * inverse_root[row], slope};
    }
    FADE_FN void finish(int column, const value& v) const {
        if (dweight) dweight[column] = convert<Weight>(v.weight);
        if (dbias) dbias[column] = convert<Weight>(v.bias);
    }
};

template <class Operator>
struct norm_gradient_arguments : row_arguments<Operator> {
    norm_gradients* found;  ///< what each workgroup has summed over its rows
};

template <class Sums>
struct finish_norm_gradient_arguments {
    row_arguments<Sums> rows;  ///< the operator, and where rows begin, of which the first are those of parts
    block::column_sum_order order;
    int columns, parts;
    const norm_gradients* found;
};

/// Writes gradient(elements of h, dy, weight and, where there is one, dsum) to the operator's dx, and adds
/// weights(the same) to the sums of columns, if they are given, by the same pass.
template <class Row, class Operator, class F, class G, class... Sums>
FADE_FN void write_norm_gradient(Row& row, const Operator& op, F gradient, G weights, const auto& in,
                                 const auto& out, const auto& w, Sums&... sums) {
    const auto more = row.read_late(op.dsum);
    if constexpr (sizeof...(Sums) == 0)
        row.write(op.dx, gradient, in, out, w, more);
    else if (op.dsum.data)
        (row.write_and_add(op.dx, gradient, sums, weights, add_norm_gradients{}, in, out, w, more), ...);
    else
        (row.write_and_add(op.dx, gradient, sums, weights, add_norm_gradients{}, in, out, w), ...);
}

/// The operator takes rows as others do, and is given the sums to which it adds. Rows of one workgroup begin
/// at the same byte of 16.
template <row_policy P, class Block, class Args>
FADE_FN void norm_gradient_body(Block& block, const Args& a) {
    block::column_sums<Block, P, norm_gradients> sums(block);
    const auto weights = block::hold_columns<P>(block, a.op.weight, a.op.no_weight(), a.extent.columns,
                                                P.whole_runs ? 0 : a.shift(block.id_x()));
    block::each_row<P>(
        block, a.extent, [&](index r) FADE_LAMBDA { return a.shift(r); },
        [&](auto& row) FADE_LAMBDA { a.op(row, weights, sums); });
    constexpr auto order = block::column_sum_order::of(P, Block::wave_size);
    sums.store(a.found + index(block.id_x()) * order.places(), add_norm_gradients{});
}

/// The same of rows whose columns two neighbouring workgroups split.
template <row_policy P, class Block, class Args>
FADE_FN void split_norm_gradient_body(Block& block, const Args& a) {
    block::column_sums<Block, P, norm_gradients> sums(block);
    const auto split = block::row_split<P>::of(a.extent.columns, block.id_x() % 2);
    const auto weights = block::hold_split_columns<P>(block, a.op.weight, a.op.no_weight(), split);
    block::each_split_row<P>(block, a.extent, split,
                             [&](auto& row) FADE_LAMBDA { a.op(row, weights, sums); });
    constexpr auto order = block::column_sum_order::of(P, Block::wave_size);
    sums.store(a.found + index(block.id_x()) * order.places(), add_norm_gradients{});
}

/// What workgroups have summed, added in their order: column by column where rows begin anywhere.
template <bool WholeRuns, class Block, class Args>
FADE_FN void finish_norm_gradient_body(Block& block, const Args& a) {
    const int places = a.order.places();
    if constexpr (WholeRuns) {
        block::add_parts(block, a.found, a.parts, places, add_norm_gradients{},
                         [&](int place, const norm_gradients& all) FADE_LAMBDA {
                             const int column = a.order.column(place);
                             if (column >= 0 && column < a.columns) a.rows.op.finish(column, all);
                         });
    } else {
        const auto found = [&](int part, int column) FADE_LAMBDA {
            return a.found[index(part) * places + a.order.place(column, a.rows.shift(part))];
        };
        block::add_parts_of<norm_gradients>(block, found, a.parts, a.columns, add_norm_gradients{},
                                            [&](int column, const norm_gradients& all)
                                                FADE_LAMBDA { a.rows.op.finish(column, all); });
    }
}

}  // namespace FADE_NAMESPACE::kernel

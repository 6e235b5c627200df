// The gradients of a norm where no workgroup has registers for the sums of all columns: one launch finds the
// sums of rows, and the next the gradients of parts of the columns.
#pragma once
#include <fade/kernel/rows/norm_gradient.hpp>

namespace FADE_NAMESPACE::kernel {

template <class Operator>
struct norm_sums_arguments : row_arguments<Operator> {
    block::two_sums* sums;  ///< of each row
};
template <class Operator>
struct norm_part_arguments : norm_gradient_arguments<Operator> {
    const block::two_sums* sums;
    int parts, width;  ///< of the columns, and columns of each, the last of which may have fewer
};

/// What an operator sees that is to find its sums alone: nothing is written but those.
template <class Row>
class summing_row {
public:
    FADE_FN summing_row(Row& row, block::two_sums* sums) : row_(row), sums_(sums) {}
    FADE_FN int columns() const { return row_.columns(); }
    template <class T>
    FADE_FN T get(const T* values) const {
        return row_.get(values);
    }
    template <class T>
    FADE_FN auto read(const row_tensor<const T>& t) {
        return row_.read(t);
    }
    template <class T>
    FADE_FN auto read_late(const row_tensor<const T>& t) {
        return row_.read_late(t);
    }
    template <class T>
    FADE_FN void ask_for_next(const row_tensor<const T>&) const {}
    template <class F, class... Operands>
    FADE_FN float sum(F f, const Operands&... xs) {
        const float all = row_.sum(f, xs...);
        row_.put(sums_, block::two_sums{all, 0});
        return all;
    }
    template <class F, class G, class... Operands>
    FADE_FN block::two_sums sums(F f, G g, const Operands&... xs) {
        const block::two_sums all = row_.sums(f, g, xs...);
        row_.put(sums_, all);
        return all;
    }
    FADE_FN void write_and_add(const auto&...) const {}

private:
    Row& row_;
    block::two_sums* sums_;
};

/// The columns from `begin` on of rows of so many.
template <class T>
FADE_FN row_tensor<T> part_of(const row_tensor<T>& t, int begin, int columns) {
    return {t.data ? t.data + begin : nullptr, t.stride < 0 ? columns : t.stride};
}

/// What an operator sees of a part of the columns of a row whose sums are known.
template <class Row>
class summed_row {
public:
    FADE_FN summed_row(Row& row, const block::two_sums* sums, int begin, int columns)
        : row_(row), sums_(sums), begin_(begin), columns_(columns) {}
    FADE_FN int columns() const { return columns_; }  ///< of the whole row
    template <class T>
    FADE_FN T get(const T* values) const {
        return row_.get(values);
    }
    template <class T>
    FADE_FN auto read(const row_tensor<const T>& t) {
        return row_.read(part_of(t, begin_, columns_));
    }
    template <class T>
    FADE_FN auto read_late(const row_tensor<const T>& t) {
        return row_.read_late(part_of(t, begin_, columns_));
    }
    template <class T>
    FADE_FN void ask_for_next(const row_tensor<const T>& t) const {
        row_.ask_for_next(part_of(t, begin_, columns_));
    }
    FADE_FN float sum(const auto&...) const { return row_.get(sums_).first; }
    FADE_FN block::two_sums sums(const auto&...) const { return row_.get(sums_); }
    template <class T, class F, class Sums, class G, class Op, class... Operands>
    FADE_FN void write_and_add(const row_tensor<T>& t, F f, Sums& sums, G to_add, Op op,
                               const Operands&... xs) {
        row_.write_and_add(part_of(t, begin_, columns_), f, sums, to_add, op, xs...);
    }

private:
    Row& row_;
    const block::two_sums* sums_;
    int begin_, columns_;
};

/// The sums of rows.
template <row_policy P, class Block, class Args>
FADE_FN void norm_sums_body(Block& block, const Args& a) {
    struct nothing {
    } none;
    block::each_row<P>(
        block, a.extent, [&](index r) FADE_LAMBDA { return a.shift(r); },
        [&](auto& row) FADE_LAMBDA {
            summing_row here(row, a.sums);
            a.op(here, row.read_late(a.op.weight, a.op.no_weight()), none);
        });
}

/// The gradients of a part of the columns, whose sums the workgroup leaves. Neighbours have the other parts.
/// Where rows begin anywhere, runs at the ends of a part are loaded whole: what they have of a neighbour's
/// columns, or of another row, is dropped, whether or not it has been written meanwhile.
template <row_policy P, class Block, class Args>
FADE_FN void norm_part_body(Block& block, const Args& a) {
    const int columns = a.extent.columns, group = block.id_x() / a.parts,
              begin = block.id_x() % a.parts * a.width;
    const block::row_extent extent{a.extent.rows, min_of(a.width, columns - begin), a.extent.groups};
    block::column_sums<Block, P, norm_gradients> sums(block);
    const auto weights = block::hold_columns<P>(block, part_of(a.op.weight, begin, columns), a.op.no_weight(),
                                                extent.columns, P.whole_runs ? 0 : a.shift(group));
    block::each_row_from<P>(
        block, group, extent, [&](index r) FADE_LAMBDA { return a.shift(r); },
        [&](auto& row) FADE_LAMBDA {
            summed_row here(row, a.sums, begin, columns);
            a.op(here, weights, sums);
        });
    constexpr auto order = block::column_sum_order::of(P, Block::wave_size);
    sums.store(a.found + index(block.id_x()) * order.places(), add_norm_gradients{});
}

}  // namespace FADE_NAMESPACE::kernel

#include "reference.hpp"
#include "../../common/parallel.hpp"
#include "layout.hpp"
#include <algorithm>

namespace fade::bench {
namespace {

constexpr index tile_rows = 64, tile_columns = 256, tile_depth = 256;
constexpr int strip_rows = 4, strip_columns = 8;

/// op(A) or op(B) as doubles: element (i, j) of batch b, whichever way it is stored.
struct operand {
    const buffer& from;
    bool transposed;

    /// Elements (i, j), (i, j + 1), ... of batch b.
    void read(index b, index i, index j, index count, double* to) const {
        const matrix& m = from.shape();
        const index first = transposed ? m.at(b, j, i) : m.at(b, i, j);
        m.type->decode(from.data(), first, transposed ? m.row : 1, count, to);
    }
};

/// sum[i][j] += a[i][p] b[p][j] for a strip that fits into registers; rows of a are `tile_depth` apart.
template <class Sum>
void multiply_strip(const double* a, const double* b, index depth, Sum* sum) {
    Sum held[strip_rows][strip_columns] = {};
    for (index p = 0; p < depth; ++p)
        for (int i = 0; i < strip_rows; ++i)
            for (int j = 0; j < strip_columns; ++j)
                held[i][j] += Sum(a[i * tile_depth + p]) * b[p * tile_columns + j];
    for (int i = 0; i < strip_rows; ++i)
        for (int j = 0; j < strip_columns; ++j) sum[i * tile_columns + j] += held[i][j];
}

/// The tile that one thread computes, with room for whole strips. Sum: the type of its sums.
template <class Sum>
class tile_sum {
public:
    tile_sum(const gemm_request& request, const gemm_data& data, index batch, const index* rows,
             index row_count, index first_column)
        : request_(request), data_(data), batch_(batch), rows_(rows), row_count_(row_count),
          first_column_(first_column), column_count_(std::min(tile_columns, data.problem().n - first_column)),
          a_(tile_rows * tile_depth), b_(tile_depth * tile_columns), sum_(tile_rows * tile_columns) {}

    void run(const std::function<void(const reference_tile&)>& visit) {
        for (index p = 0; p < data_.problem().k; p += tile_depth)
            add(p, std::min(tile_depth, data_.problem().k - p));
        std::vector<double> out(row_count_ * column_count_);
        for (index i = 0; i < row_count_; ++i) finish_row(i, out.data() + i * column_count_);
        visit({batch_, rows_, row_count_, first_column_, column_count_, out.data()});
    }

private:
    void add(index first, index depth) {
        const gemm_layout layout = data_.problem().layout;
        const operand a{*data_.buffers().find("a"), turned_a(layout)},
            b{*data_.buffers().find("b"), turned_b(layout)};
        for (index i = 0; i < row_count_; ++i) a.read(batch_, rows_[i], first, depth, &a_[i * tile_depth]);
        for (index p = 0; p < depth; ++p)
            b.read(batch_, first + p, first_column_, column_count_, &b_[p * tile_columns]);
        for (index i = 0; i < row_count_; i += strip_rows)
            for (index j = 0; j < column_count_; j += strip_columns)
                multiply_strip(&a_[i * tile_depth], &b_[j], depth, &sum_[i * tile_columns + j]);
    }

    /// alpha, beta and the epilogue, for row i of the tile.
    void finish_row(index i, double* out) const {
        const gemm_problem& p = data_.problem();
        std::vector<double> other(column_count_);
        for (index j = 0; j < column_count_; ++j) out[j] = double(p.alpha * sum_[i * tile_columns + j]);
        if (p.beta != 0) {
            read(*data_.buffers().find("c"), stage_operand::output, rows_[i], other.data());
            for (index j = 0; j < column_count_; ++j) out[j] += p.beta * other[j];
        }
        for (const stage* s : request_.epilogue) {
            if (s->operand != stage_operand::none)
                read(*data_.buffers().find(s->name), s->operand, rows_[i], other.data());
            for (index j = 0; j < column_count_; ++j) out[j] = s->apply(out[j], other[j]);
        }
    }

    /// What a stage reads for the elements of a row.
    void read(const buffer& from, stage_operand what, index row, double* to) const {
        const matrix& m = from.shape();
        const bool one = what == stage_operand::row;
        const index first = one                             ? row
                            : what == stage_operand::column ? first_column_
                                                            : m.at(batch_, row, first_column_);
        m.type->decode(from.data(), first, one ? 0 : 1, column_count_, to);
    }

    const gemm_request& request_;
    const gemm_data& data_;
    index batch_;
    const index* rows_;
    index row_count_, first_column_, column_count_;
    std::vector<double> a_, b_;
    std::vector<Sum> sum_;
};

template <class Sum>
void compute(const gemm_request& request, const gemm_data& data, const std::vector<index>& rows,
             const std::function<void(const reference_tile&)>& visit) {
    const index row_tiles = (index(rows.size()) + tile_rows - 1) / tile_rows;
    const index column_tiles = (data.problem().n + tile_columns - 1) / tile_columns;
    tools::parallel_for(data.problem().batch * row_tiles * column_tiles, [&](index t) {
        const index column = t % column_tiles * tile_columns, row = t / column_tiles % row_tiles * tile_rows;
        const index count = std::min(tile_rows, index(rows.size()) - row);
        tile_sum<Sum>(request, data, t / column_tiles / row_tiles, rows.data() + row, count, column)
            .run(visit);
    });
}

}  // namespace

void compute_reference(const gemm_request& request, const gemm_data& data, const std::vector<index>& rows,
                       const std::function<void(const reference_tile&)>& visit) {
    const bool wider = request.in->type == fade::dtype::f64;
    wider ? compute<long double>(request, data, rows, visit) : compute<double>(request, data, rows, visit);
}

}  // namespace fade::bench

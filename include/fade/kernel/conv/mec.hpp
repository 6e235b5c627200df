// MEC (Cho and Brand, Memory-efficient Convolution for Deep Neural Network, 2017): the windows of a line of
// pixels of y are laid out column after column, and neighbours share the columns in which they overlap.
#pragma once
#include <fade/kernel/conv/columns.hpp>
#include <fade/kernel/gemm/combine.hpp>

namespace FADE_NAMESPACE::kernel {

/// How x lies by lines: [line of y][column], a column of x being its pixels that the line's windows see, tap
/// after tap along d and h, with zeros up to a whole number of 16-byte runs. Filters lie in the same way:
/// [filter][tap along w], each a column. Windows stand `stride` columns apart.
struct mec_shape {
    int column;        ///< elements of a column
    index columns;     ///< of a line
    index lines;       ///< of all images of y
    int window, step;  ///< columns of a window, and from one window to the next

    FADE_FN constexpr index elements() const { return lines * columns * column; }
    FADE_FN constexpr index row() const { return index(window) * column; }  ///< elements of a window
};

inline mec_shape mec_shape_of(const conv_sizes& s, int bytes) {
    // Whole windows' distances, so that pixels of all lines lie at equal distances.
    const index windows = s.w.output - 1 + ceil_div<index>(s.w.filter, s.w.stride);
    return {.column = padded_column(s.d.filter * s.h.filter * s.channels, bytes),
            .columns = windows * s.w.stride,
            .lines = index(s.batch) * s.d.output * s.h.output,
            .window = s.w.filter,
            .step = s.w.stride};
}

/// The convolution that is left: a filter of one tap, whose channels are a window, over images of one line.
inline conv_sizes sizes_of_lines(const conv_sizes& s, const mec_shape& shape) {
    constexpr block::axis_sizes single{1, 1, 1, 1, 1, 0};
    return {.d = single,
            .h = single,
            .w = {int(shape.columns / shape.step), s.w.output, 1, 1, 1, 0},
            .batch = int(shape.lines),
            .groups = 1,
            .channels = int(shape.row()),
            .filters = s.filters,
            .x_apart = index(shape.step) * shape.column,
            .dx_channels = int(shape.row())};
}

/// The filter's gradient, of which `partial` holds [splits][group][filter][element of a window].
template <class In, class Out, class Epilogue>
struct mec_sums_arguments : gemm_arguments<In, Out, Epilogue> {
    int channels, window, column;  ///< of x; columns of a window, and elements of one
    int filters, rows;             ///< of a group, and with zeros behind them

    /// Elements of a window.
    FADE_FN index row() const { return index(window) * column; }
    /// Sums of a part.
    FADE_FN index plane() const { return this->m / filters * rows * row(); }
    /// Row and column of an element of D, which are fewer than 2^31: a filter, and a tap's channel.
    FADE_FN epilogue::position position_of(index at) const {
        const auto row_ = std::uint32_t(at) / std::uint32_t(this->n);
        return {index(row_), at - index(row_) * this->n, 0, true};
    }
    /// Where the sums of an element begin.
    FADE_FN index place(index at) const {
        const epilogue::position in_d = position_of(at);
        const auto column_ = std::uint32_t(in_d.column), tap = column_ / std::uint32_t(channels),
                   line = tap / std::uint32_t(window),
                   group = std::uint32_t(in_d.row) / std::uint32_t(filters);
        return (in_d.row + index(group) * (rows - filters)) * row() +
               index(tap - line * std::uint32_t(window)) * column +
               index(column_ - (tap - line) * std::uint32_t(channels));
    }
};

template <workgroup Block, class Args>
FADE_FN void finish_mec_sums(Block& block, const Args& args) {
    using sum_type = typename partial_sums<Args>::sum_type;
    const index plane = args.plane();
    for (const block::run_work& work :
         block::run_schedule(block, args.m * args.n, block::combine_run(args.splits)))
        block::combine_items<sum_type>(
            block, work,
            [&](index at)
                FADE_LAMBDA { return partial_sums<Args>{args.partial + args.place(at), plane, args.splits}; },
            [&](index at, sum_type sum)
                FADE_LAMBDA { args.d[at] = finished(args, sum, args.position_of(at)); });
}

}  // namespace FADE_NAMESPACE::kernel

// Rows of a tensor, wherever they lie, side by side in aligned memory: what the attention kernels cannot read
// in 16-byte runs is copied first.
#pragma once
#include <fade/block/ranges.hpp>
#include <fade/block/schedule/tile.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/shape.hpp>
#include <fade/kernel/attention/arguments.hpp>

namespace FADE_NAMESPACE::kernel {

/// Rows of one position and head that a workgroup copies.
inline constexpr int gather_rows = 32;

template <class T>
struct gather_arguments {
    const T* from;
    T* to;  ///< [batch, positions, heads, row]
    index batch_stride, position_stride,
        head_stride;  ///< of `from`; with pages `batch` goes from page to page
    int positions, heads, head_dim, row;
    const int* lengths;  ///< null: every sequence has all positions
    page_table pages;
    index length_step;  ///< 1: lengths are cumulative; 0: each stands by itself
};

/// Where a position of a sequence lies; null: on a page that does not exist.
template <class T>
FADE_FN const T* gathered_row(const gather_arguments<T>& a, int batch, int position, int head) {
    const T* const head_begin = a.from + head * a.head_stride;
    if (!a.pages.table)
        return head_begin + batch * a.batch_stride +
               index((a.lengths ? begin_of(a.lengths, int(a.length_step), batch) : 0) + position) *
                   a.position_stride;
    const block::paged_rows<T, index> rows{head_begin, a.pages.of_sequence(batch), a.batch_stride,
                                           a.position_stride};
    const auto found = rows.find(position);
    return rows.holds(found) ? rows.at(found) : nullptr;
}

/// Columns from head_dim to the end of a row become zero, and so do rows that lie nowhere.
template <class Block, class Args>
FADE_FN void gather_body(Block& block, const Args& a) {
    using T = std::remove_cvref_t<decltype(*a.to)>;
    for (const block::line_work& work : block::line_schedule(block)) {
        const int batch = work.layer,
                  length =
                      a.lengths ? length_of(a.lengths, int(a.length_step), batch, a.positions) : a.positions;
        const index first = index(work.tile) * gather_rows,
                    rows = min_of<index>(gather_rows, index(length) * a.heads - first);
        block::each_of(block, block::item_range<index>{0, rows * a.row}, [&](index e) {
            const index n = first + e / a.row;
            const int column = int(e % a.row);
            const T* const from = gathered_row(a, batch, int(n / a.heads), int(n % a.heads));
            a.to[(index(batch) * a.positions * a.heads + n) * a.row + column] =
                from && column < a.head_dim ? from[column] : T{};
        });
    }
}

}  // namespace FADE_NAMESPACE::kernel

// The matrix multiplication of the host: strips of A pass by panels of B that stay in the second-level cache.
#pragma once
#include <fade/atom/cpu/micro.hpp>
#include <fade/block/pack.hpp>
#include <fade/block/schedule/split.hpp>
#include <fade/block/source/lines.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/gemm/finish.hpp>
#include <fade/kernel/gemm/skinny.hpp>
#include <fade/kernel/gemm/traits.hpp>

namespace FADE_NAMESPACE::kernel {

template <class Arch, class In>
concept reads_panels = Arch::template atom<In>::order == block::operand_order::panel;

/// Of the host, block_tile says what lies in fast memory at once: a strip of A, and a block of B as wide and
/// deep, or narrower and deeper. Depths count words where elements are packed, so that packs of two or four k
/// are two or four times as deep.
template <class Arch, class In, gemm_policy Policy>
    requires reads_panels<Arch, In>
struct gemm_traits<Arch, In, Policy> {
    using atom = typename Arch::template atom<In>;
    using element = typename atom::element;
    static constexpr bool panels = true;
    static constexpr int strip = Policy.block_tile.m, panel = atom::n,
                         block_elements = Policy.block_tile.n * Policy.block_tile.k;
    static constexpr int max_depth = 4 * Policy.block_tile.k, shallow = 64, max_rows = 2016;
    static constexpr int strip_elements = strip * max_depth, sum_elements = max_rows * Policy.block_tile.n,
                         corner_elements = atom::m * panel;
    static constexpr int max_columns = block_elements / shallow;
    static constexpr int shared_bytes =
        (block_elements + strip_elements + sum_elements + corner_elements + max_columns) *
        int(sizeof(element));
    static_assert(strip % atom::m == 0 && Policy.block_tile.n % panel == 0,
                  "on the host a block is whole strips and panels");
    static_assert(strip * max_columns <= sum_elements);
};

/// Whether B is read in place, and how deep a step is, in whole packs.
struct panel_blocking {
    bool in_place;
    index depth;
};

/// Few rows use an element of B too rarely to be worth a copy; a small B lies in the second-level cache as it
/// is. `readable`: side by side in memory at each k, as they are multiplied.
template <class Traits, class Right, class Args>
constexpr panel_blocking blocking_of(const Args& args, bool readable, int rows, int columns) {
    if (readable && rows <= Traits::strip) return {true, Traits::shallow};
    const index pack = atom::pack_of<Right>,
                fitting = Traits::block_elements / (ceil_div(columns, Traits::panel) * Traits::panel);
    const index steps = ceil_div<index>(args.k_split, pack * min_of<index>(fitting, Traits::max_depth));
    return {readable && args.k_split * args.b_k <= Traits::block_elements,
            ceil_div(ceil_div<index>(args.k_split, max_of<index>(steps, 1)), pack) * pack};
}

/// One workgroup's part of D, of elements as they are multiplied or of packs of them. Sources give lines of A
/// and B from a k on (block/source/lines.hpp).
template <class Traits, class Units, class Args, class SourceA, class SourceB>
class panel_walk {
    using atom = typename Traits::atom;
    using T = typename Traits::element;
    using left = typename Units::left;
    using right = typename Units::right;
    using in = std::remove_cvref_t<decltype(*std::declval<Args>().a)>;
    static constexpr bool lifted = Units::lifted;
    static constexpr left zero = Units::zero;
    static constexpr int pack = fade::atom::pack_of<left>;
    static constexpr int columns_of_line = max_of(Traits::panel, 64 / int(sizeof(in)));
    static_assert(sizeof(left) == sizeof(T) && sizeof(right) == sizeof(T));

public:
    panel_walk(std::byte* memory, const Args& args, const SourceA& a, const SourceB& b, const output_tile& at,
               int rows, int columns)
        : args_(args), a_(a), b_(b), at_(at), rows_(rows), columns_(columns),
          blocking_(
              blocking_of<Traits, right>(args, std::is_same_v<in, right> && b.in_place(), rows, columns)),
          block_(reinterpret_cast<right*>(memory)),
          strip_(reinterpret_cast<left*>(block_ + Traits::block_elements)),
          sums_(reinterpret_cast<T*>(strip_ + Traits::strip_elements)), corner_(sums_ + Traits::sum_elements),
          excess_(corner_ + Traits::corner_elements) {}

    void run() {
        do {
            depth_ = int(min_of(blocking_.depth, at_.k_count - done_));
            multiply_step();
            done_ += depth_;
        } while (done_ < at_.k_count);
    }

private:
    void multiply_step() {
        for (int j = 0; j < columns_ && depth_ > 0; j += columns_of_line) pack_columns(j);
        for (int i = 0, rows; i < rows_; i += rows) {
            rows = min_of(strip_rows(), rows_ - i);
            const block::reading<left> a =
                depth_ == 0 ? block::reading<left>{strip_, 0, 0} : staged(operand_a(i, rows), rows);
            for (int j = 0; j < columns_; j += Traits::panel) multiply_panel(a, i, rows, j);
        }
    }

    template <class Lines>
    block::reading<left> staged(const Lines& from, int rows) const {
        if constexpr (requires { from.whole_words; })
            return block::stage_rows(strip_, from, rows, depth_, from.whole_words);
        else
            return block::stage_rows(strip_, from, rows, depth_);
    }

    /// Panels that share a line of a cache, a few k at a time: where rows of B are pages apart, the line
    /// would be gone before the next panel reads its part, and what is gathered stays in the first-level
    /// cache.
    void pack_columns(int first) {
        constexpr int few = 64;
        const int step = b_.along_k() ? depth_ : few, end = min_of(first + columns_of_line, columns_);
        for (int k = 0; k < depth_; k += step)
            for (int j = first; j < end; j += Traits::panel)
                if (!in_place(j)) pack_panel(j, k, min_of(step, depth_ - k));
        if constexpr (lifted)
            for (int j = first; j < end; j += Traits::panel)
                if (!in_place(j))
                    atom::execute(1, {{&zero, 0, 0, block_ + packed_at(j), Traits::panel, words(), nullptr,
                                       excess_ + j, 0, 0},
                                      nullptr});
    }

    void pack_panel(int column, int k, int depth) {
        right* to = block_ + packed_at(column) + index(k / pack) * Traits::panel;
        if constexpr (std::is_same_v<in, right> && requires { b_.gather(to, index(0), 0, index(0), 0); })
            if (b_.is_gathered() && width(column) == Traits::panel)
                return b_.gather(to, at_.column + column, Traits::panel, at_.k_begin + done_ + k, depth);
        block::pack_panel(to, Traits::panel,
                          b_.lines(at_.column + column, width(column), at_.k_begin + done_ + k, depth),
                          width(column), depth);
    }

    /// Copies of a transposed A are as high as they fit: short runs of rows at each k would touch the same
    /// pages again and again.
    int strip_rows() const {
        if (a_.along_k() || depth_ == 0) return Traits::strip;
        return max_of(Traits::strip, Traits::strip_elements / words() / Traits::atom::m * Traits::atom::m);
    }

    /// A strip of A times one panel of B; at the last step its rows go on to D.
    void multiply_panel(const block::reading<left>& a, int row, int rows, int column) {
        const block::reading<right> b = panel(column);
        for (int r = 0, taken; r < rows; r += taken) {
            const row_run<T> to = target_at(row + r, column);
            const T* from = done_ > 0 ? sums_at(row + r, column) : nullptr;
            taken = multiply(rows - r,
                             {a.at + r * a.row_stride, a.row_stride, a.k_stride, b.at, b.k_stride, words(),
                              from, to.at, pitch(), to.pitch},
                             column);
            if (to.at == corner_)
                finish_rows<Traits::panel>(to, args_, at(row + r, column), taken, width(column));
        }
    }

    int multiply(int rows, const fade::atom::micro_product<T, left, right>& product, int column) const {
        if constexpr (pack == 1)
            return atom::execute(rows, product);
        else
            return atom::execute(rows, {product, lifted && depth_ > 0 ? excess_ + column : nullptr});
    }

    /// Where products go: to the sums before the last step, then straight to memory if they are the result,
    /// else to a corner that is finished at once.
    row_run<T> target_at(int row, int column) const {
        if (done_ + depth_ < at_.k_count) return {sums_at(row, column), pitch()};
        if (width(column) == Traits::panel)
            if (const auto out = plain_output<T>(args_, at(row, column)); out.at) return out;
        return {corner_, Traits::panel};
    }

    /// A panel of B as this step finds it.
    block::reading<right> panel(int column) const {
        if constexpr (std::is_same_v<in, right>)
            if (in_place(column)) return {operand_b(column).tile, 1, operand_b(column).k_stride};
        return {block_ + packed_at(column), 1, Traits::panel};
    }
    /// A last panel that is not full is always copied: a micro-kernel reads whole ones.
    bool in_place(int column) const { return blocking_.in_place && width(column) == Traits::panel; }
    index packed_at(int column) const { return blocking_.in_place ? 0 : index(column) * words(); }
    int words() const { return ceil_div(depth_, pack); }

    int width(int column) const { return min_of(Traits::panel, columns_ - column); }
    index pitch() const { return ceil_div(columns_, Traits::panel) * Traits::panel; }
    T* sums_at(int row, int column) const { return sums_ + row * pitch() + column; }
    output_tile at(int row, int column) const { return moved(at_, row, column); }

    auto operand_a(int row, int rows) const {
        return a_.lines(at_.row + row, rows, at_.k_begin + done_, depth_);
    }
    auto operand_b(int column) const {
        return b_.lines(at_.column + column, width(column), at_.k_begin + done_, depth_);
    }

    const Args& args_;
    const SourceA& a_;
    const SourceB& b_;
    const output_tile at_;
    const int rows_, columns_;
    const panel_blocking blocking_;
    right* const block_;
    left* const strip_;
    T *const sums_, *const corner_,
                        *const excess_;  ///< excess: what a lifted A adds to each column of a product
    index done_ = 0;
    int depth_ = 0;
};

/// By packs of k where this CPU multiplies those.
template <class Traits, class Args, class SourceA, class SourceB>
void walk_panels(std::byte* memory, const Args& args, const SourceA& a, const SourceB& b,
                 const output_tile& at, int rows, int columns) {
    if constexpr (Traits::atom::may_pack) {
        using packs = typename Traits::atom::packs;
        if (packs::present())
            return panel_walk<Traits, packs, Args, SourceA, SourceB>(memory, args, a, b, at, rows, columns)
                .run();
    }
    using whole = typename Traits::atom::whole;
    panel_walk<Traits, whole, Args, SourceA, SourceB>(memory, args, a, b, at, rows, columns).run();
}

/// A share of D, in whole strips and panels, of a part of k. `layer`: of what parts leave.
template <class Traits, class Args>
void panels_of_share(std::byte* memory, const Args& args, const block::tile_index& share, int batch,
                     int layer, const block::part_range<index>& k) {
    using in = std::remove_cvref_t<decltype(*args.a)>;
    const index height = block::share_of<index>(args.m, args.tile_rows, Traits::atom::m),
                width = block::share_of<index>(args.n, args.tile_columns, Traits::panel);
    const output_tile at{.row = share.row * height,
                         .column = share.column * width,
                         .batch = batch,
                         .layer = layer,
                         .k_begin = k.begin,
                         .k_count = k.end - k.begin};
    const index rows = min_of(height, args.m - at.row), columns = min_of(width, args.n - at.column);
    if (rows <= 0 || columns <= 0) return;
    if constexpr (!is_operand_pair<in>)
        if (make_skinny<Traits>(memory, args, at, int(rows), int(columns))) return;
    const auto a = block::lines_of<element_of_a<in>>(args.a + at.batch * args.stride_a, args.a_row, args.a_k);
    const auto b =
        block::lines_of<element_of_b<in>>(args.b + at.batch * args.stride_b, args.b_column, args.b_k);
    walk_panels<Traits>(memory, args, a, b, at, int(rows), int(columns));
}

/// Even shares, and parts of k.
template <gemm_policy Policy, workgroup Block, class Args>
void gemm_panels(Block& block, const Args& args) {
    using traits = gemm_traits<typename Block::arch, std::remove_cvref_t<decltype(*args.a)>, Policy>;
    for (const block::split_work& work :
         block::split_schedule(block, block::walk_by_columns(args.tile_rows, args.tile_columns), args.splits))
        panels_of_share<traits>(block.shared, args, work.tile, work.layer, work.left,
                                block::part_of<index>(0, args.k, args.k_split, work.part));
}

}  // namespace FADE_NAMESPACE::kernel

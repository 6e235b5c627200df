// The products of four waves where no matrix unit is: read and computed when their wait ends, which is as
// late as hardware may.
#pragma once
#include <cstdint>
#include <fade/atom/shape.hpp>
#include <fade/core/call/list.hpp>
#include <fade/core/lane_coord.hpp>
#include <fade/core/number/wrap.hpp>
#include <fade/core/operand_pair.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::block {

/// Rows of a shared tile, from `first` on, as the matrix unit reads them for one wave, whose elements are
/// taken for T: [k, row].
template <class Number, class T, class Layout, class Block>
list<Number> read_rows(Block& block, wave_coord w, std::uint32_t tile, int first, int rows) {
    constexpr bool along_rows = Layout::order == atom::operand_order::row_contiguous;
    constexpr int run = 8, row_step = along_rows ? run : 1, k_step = along_rows ? 1 : run;
    list<Number> out(std::size_t(Layout::depth) * std::size_t(rows));
    for (int row = 0; row < rows; row += row_step)
        for (int k = 0; k < Layout::depth; k += k_step) {
            const auto x = block.template load_matrix<vec<T, run>>(w, tile + Layout::offset(first + row, k));
            for (int i = 0; i < run; ++i)
                out[std::size_t((k + (along_rows ? 0 : i)) * rows + row + (along_rows ? i : 0))] =
                    convert<Number>(x[i]);
        }
    return out;
}

/// acc += A B^T, or acc = A B^T (Fresh): what one wave holds of it, from a row of A's tile and a row of B's
/// on.
template <class LayoutA, class LayoutB, bool Fresh, class Block, class Acc>
void emulated_products(Block& block, wave_coord w, Acc& acc, std::uint32_t tile_a, int row,
                       std::uint32_t tile_b, int column) {
    using atom = typename Acc::atom;
    using number = typename atom::accumulator;
    constexpr int rows = atom::m, columns = Acc::columns * atom::n;
    using element = typename atom::element;
    auto a = read_rows<number, element_of_a<element>, LayoutA>(block, w, tile_a, row, rows),
         b = read_rows<number, element_of_b<element>, LayoutB>(block, w, tile_b, column, columns);
    list<number> sums(std::size_t(rows * columns));
    for (int k = 0; k < LayoutA::depth; ++k)
        for (int r = 0; r < rows; ++r) {
            const number x = a[std::size_t(k * rows + r)], *from = &b[std::size_t(k * columns)];
            number* to = &sums[std::size_t(r * columns)];
            for (int c = 0; c < columns; ++c) to[c] += x * from[c];
        }
    for (int lane = 0; lane < atom::lanes; ++lane)
        for (int j = 0; j < Acc::columns; ++j)
            for (int g = 0; g < atom::d_size; ++g) {
                const auto at = atom::d_at(lane, g);
                number& to = acc.at(w, lane, 0, j)[g];
                to = wrapping_sum(Fresh ? number(0) : to,
                                  sums[std::size_t(at.major * columns + j * atom::n + at.minor)]);
            }
}

/// Positions of a tile in spans as one wave reads them: [position, dimension].
template <class Layout, class Block>
list<float> read_spans(Block& block, wave_coord w, std::uint32_t tile, int first, int positions) {
    list<float> out(std::size_t(positions) * std::size_t(Layout::rows));
    for (int n = 0; n < positions * Layout::rows; ++n) {
        const auto x = block.template load_matrix<vec<typename Layout::element, 1>>(
            w, tile + Layout::offset(n % Layout::rows, first + n / Layout::rows));
        out[std::size_t(n)] = to_f32(x[0]);
    }
    return out;
}

/// scores = K Q^T of one wave's 16 queries, or scores += K Q^T (Added).
template <class LayoutQ, class LayoutK, bool Added, class Block, class Scores>
void emulated_scores(Block& block, wave_coord w, Scores& scores, std::uint32_t queries, std::uint32_t keys) {
    using atom = typename Scores::atom;
    auto q = read_spans<LayoutQ>(block, w, queries, w.wave * atom::n, atom::n),
         k = read_spans<LayoutK>(block, w, keys, 0, LayoutK::depth);
    for (int lane = 0; lane < atom::lanes; ++lane)
        for (int i = 0; i < Scores::rows; ++i)
            for (int g = 0; g < atom::d_size; ++g) {
                const auto at = atom::d_at(lane, g);
                const float *row = &k[std::size_t(i * atom::m + at.major) * LayoutK::rows],
                            *column = &q[std::size_t(at.minor) * LayoutQ::rows];
                float sum = 0;
                for (int d = 0; d < LayoutK::rows; ++d) sum += row[d] * column[d];
                float& score = scores.at(w, lane, i, 0)[g];
                score = Added ? score + sum : sum;
            }
}

/// The probabilities of one wave's 16 queries as its lanes hold them: [query, key].
template <class Atom, class Probabilities>
list<float> probabilities_of_wave(wave_coord w, Probabilities& probabilities, int keys) {
    list<float> out(std::size_t(Atom::n) * std::size_t(keys));
    for (int lane = 0; lane < Atom::lanes; ++lane)
        for (int s = 0; s < Probabilities::steps; ++s)
            for (int e = 0; e < Atom::k / 2; ++e) {  // two columns of k in each of the two atoms of a step
                const auto at = Atom::d_at(lane, e % 4 / 2 + e % 2 * 2);
                out[std::size_t(at.minor * keys + s * Atom::k + e / 4 * Atom::m + at.major)] =
                    to_f32(probabilities.of(w, lane, s)[e]);
            }
    return out;
}

/// outputs += V^T P^T of one wave's 16 queries.
template <class LayoutV, class Block, class Outputs, class Probabilities>
void emulated_mma_pv(Block& block, wave_coord w, Outputs& outputs, Probabilities& probabilities,
                     std::uint32_t values) {
    using atom = typename Outputs::atom;
    auto v = read_spans<LayoutV>(block, w, values, 0, LayoutV::depth),
         p = probabilities_of_wave<atom>(w, probabilities, LayoutV::depth);
    for (int lane = 0; lane < atom::lanes; ++lane)
        for (int i = 0; i < Outputs::rows; ++i)
            for (int g = 0; g < atom::d_size; ++g) {
                const auto at = atom::d_at(lane, g);
                float sum = 0;
                for (int key = 0; key < LayoutV::depth; ++key)
                    sum += p[std::size_t(at.minor * LayoutV::depth + key)] *
                           v[std::size_t(key * LayoutV::rows + i * atom::m + at.major)];
                outputs.at(w, lane, i, 0)[g] += sum;
            }
}

}  // namespace FADE_NAMESPACE::block

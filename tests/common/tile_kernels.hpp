// Kernels in the verbs of tiles whose every verb shows in the result, and what double precision makes of it.
#pragma once
#include <cmath>
#include <fade/tile.hpp>
#include <limits>
#include <random>
#include <vector>

namespace fade::test {

/// D = softmax(mask(A B^T)) V, of one tile of 64 columns; the mask leaves columns up to row + diagonal.
/// Memory of any leading dimensions that 16-byte runs allow.
template <class T, tile::storage Where, int Rows, int Depth, int Columns>
struct tile_softmax {
    struct arguments {
        const T *a, *b, *v;
        float* d;
        int rows, depth, keys, columns, lda, ldb, ldv, ldd, diagonal;
    };
    template <class Arch>
    struct tiles {
        using a = tile::a_tile<Arch, T, Rows, Depth, Where>;
        using b = tile::streamed<tile::b_tile_of<a, 64, Depth>>;
        using p = tile::chained_tile<a, b>;
        using v = tile::streamed<tile::b_tile_of<a, Columns, 64, tile::memory_order::row_contiguous>>;
        using shared = tile::tile_set<a, b, p, v>;
        static constexpr int waves = min_of(4, Rows / tile::atom_rows<Arch, T>);
    };
    template <class Arch>
    static constexpr launch_shape shape() {
        return tile::shape_of<Arch, typename tiles<Arch>::shared>(tiles<Arch>::waves);
    }

    template <class Block, class Tiles = tiles<typename Block::arch>>
    FADE_FN static void run(Block& block, const arguments& x) {
        const int first = block.id_x() * Rows, rows = x.rows - first;
        const auto [a_tile, b_tile, p_tile, v_tile] = typename Tiles::shared();
        tile::operand_a a(block, a_tile, tile::matrix(x.a + index(first) * x.lda, rows, x.depth, x.lda));
        tile::stream b(block, b_tile, tile::matrix(x.b, x.keys, x.depth, x.ldb));
        tile::stream v(block, v_tile, tile::matrix(x.v, x.keys, x.columns, x.ldv));
        tile::operand_p p(block, p_tile);
        b.load(block), b.store(block), v.load(block), v.store(block);
        block.sync();
        tile::accumulator<Block, typename Tiles::a, typename Tiles::b> scores(block);
        tile::accumulator<Block, typename Tiles::a, typename Tiles::v> out(block);
        tile::mma(block, scores, a, b);
        tile::causal_mask(block, scores, first + x.diagonal);
        tile::mask(block, scores, [&](int, int column) { return column < x.keys; });
        auto highest = tile::row_max(block, scores);
        tile::map(block, scores, [](float& s, float h) { s = (s - h) * log2_e; }, highest);
        tile::exp2(block, scores);
        auto sums = tile::row_sum(block, scores);
        tile::mma_chain(block, out, scores, p, v);
        tile::row_map(block, [](float& s) { s = Block::reciprocal(s); }, sums);
        tile::mul_row(block, out, sums);
        tile::store(block, out, tile::matrix(x.d + index(first) * x.ldd, rows, x.columns, x.ldd));
    }
};

/// One random problem of a kernel: sizes up to beyond its tiles; gaps between rows, and what follows the
/// last, are no numbers. The mask of
/// `full` ones hides one score, of 64 alike.
template <class T, int Rows, int Depth, int Columns>
struct tile_problem {
    int rows, depth, keys, columns, lda, ldb, ldv, ldd, diagonal;
    std::vector<T> a, b, v;

    explicit tile_problem(std::mt19937& random, bool full = false) {
        const auto up_to = [&](int min_number, int max_number) {
            return std::uniform_int_distribution<int>(min_number, max_number)(random);
        };
        constexpr int run = 16 / int(sizeof(T));
        rows = up_to(1, 300), keys = up_to(1, 64), columns = up_to(1, Columns / run) * run;
        depth = up_to(1, Depth / run) * run;
        lda = depth + run * up_to(0, 2), ldb = depth + run * up_to(0, 2), ldv = columns + run * up_to(0, 2);
        ldd = columns + up_to(0, 3), diagonal = up_to(0, 70);
        if (full) rows = 2, keys = 64, diagonal = 62;
        std::normal_distribution<float> normal(0, full ? 0.3f : 1.5f);
        const auto fill = [&](std::vector<T>& x, int lines, int width, int ld) {
            for (int i = 0; i < (lines + 1) * ld; ++i)
                x.push_back(convert<T>(i % ld < width && i / ld < lines
                                           ? normal(random)
                                           : std::numeric_limits<float>::quiet_NaN()));
        };
        fill(a, rows, depth, lda), fill(b, keys, depth, ldb), fill(v, keys, columns, ldv);
    }
    double at(const std::vector<T>& x, int place) const {
        return double(convert<float>(x[std::size_t(place)]));
    }

    /// ||d - reference|| / ||reference||, or 1 where something beside the result was written.
    double error_of(const std::vector<float>& d, float poison) const {
        double error = 0, norm = 0;
        for (int i = 0; i < rows; ++i) {
            std::vector<double> sums(std::size_t(columns) + 1);
            for (int j = 0; j < keys && j <= i + diagonal; ++j) {
                double s = 0;
                for (int c = 0; c < depth; ++c) s += at(a, i * lda + c) * at(b, j * ldb + c);
                for (int c = 0; c <= columns; ++c)
                    sums[std::size_t(c)] += std::exp(s) * (c < columns ? at(v, j * ldv + c) : 1);
            }
            for (int c = 0; c < ldd && i * ldd + c < int(d.size()); ++c) {
                const float got = d[std::size_t(i * ldd + c)];
                if (c >= columns) {
                    if (got != poison) return 1;
                    continue;
                }
                const double wanted = sums[std::size_t(c)] / sums.back();
                error += (got - wanted) * (got - wanted), norm += wanted * wanted;
            }
        }
        return std::sqrt(error / norm);
    }

    /// What the kernel computes is so far from it.
    template <tile::storage Where, class Device>
    double run(Device& device) const {
        using kernel = tile_softmax<T, Where, Rows, Depth, Columns>;
        const float poison = -77;
        std::vector<float> d(std::size_t(rows * ldd), poison);
        device.template launch<kernel>({ceil_div(rows, Rows)},
                                       {a.data(), b.data(), v.data(), d.data(), rows, depth, keys, columns,
                                        lda, ldb, ldv, ldd, diagonal});
        return error_of(d, poison);
    }
};

/// Probabilities are rounded to the operands' type, or computed in f32.
template <class T>
constexpr double tile_bound() {
    return std::is_same_v<T, float>  ? 2e-6
           : std::is_same_v<T, f16>  ? 1e-3
           : std::is_same_v<T, bf16> ? 8e-3
                                     : 2e-3;
}

}  // namespace fade::test

// A kernel of tiles over a long depth: rings, pages, accumulators that begin with what lies in memory.
#pragma once
#include <cmath>
#include <fade/tile.hpp>
#include <limits>
#include <random>
#include <vector>

namespace fade::test {

/// D = C + A B, rounded to T. B has row_contiguous rows, which are steps of k, or its columns lie in pages.
template <class T, bool Paged, int Stages, tile::transport How, int Rows, int Columns, int Depth>
struct ring_product {
    struct arguments {
        const T *a, *b, *c;
        const int* pages;
        tile::page_size page;
        float* d;
        int rows, columns, depth, lda, ldb, ldc;
    };
    template <class Arch>
    struct tiles {
        static constexpr auto order =
            Paged ? tile::memory_order::k_contiguous : tile::memory_order::row_contiguous;
        using a = tile::ring<tile::a_tile<Arch, T, Rows, Depth>, Stages>;
        using b = tile::ring<tile::b_tile<Arch, T, Columns, Depth, order>, Stages>;
        using shared = tile::tile_set<a, b>;
    };
    template <class Arch>
    static constexpr launch_shape shape() {
        return tile::shape_of<Arch, typename tiles<Arch>::shared>(min_of(4, Rows / tile::atom_rows<Arch, T>));
    }
    template <class Block, class Tiles = tiles<typename Block::arch>>
    FADE_FN static void run(Block& block, const arguments& x) {
        const int row = block.id_y() * Rows, column = block.id_x() * Columns;
        const tile::matrix from_a(x.a + index(row) * x.lda, x.rows - row, x.depth, x.lda);
        if constexpr (Paged)  // pages begin with column 0, so the grid has one column
            walk(block, x, row, column, from_a,
                 tile::paged_matrix<T>{x.b, x.pages, x.page, index(x.page.positions) * x.ldb, x.columns,
                                       x.depth, x.ldb});
        else
            walk(block, x, row, column, from_a,
                 tile::matrix(x.b + column, x.depth, x.columns - column, x.ldb));
    }

private:
    template <class Block, class From>
    FADE_FN static void walk(Block& block, const arguments& x, int row, int column,
                             const tile::matrix<const T>& from_a, const From& from_b) {
        using Tiles = tiles<typename Block::arch>;
        const auto [a_ring, b_ring] = typename Tiles::shared();
        tile::pipeline<Block, typename Tiles::a, tile::matrix<const T>, typename Tiles::b, From, How> steps(
            block, a_ring, from_a, b_ring, from_b);
        tile::operand_a a(block, a_ring);
        tile::operand_b b(block, b_ring);
        tile::accumulator<Block, typename Tiles::a, typename Tiles::b> sums;
        const int rows = x.rows - row, columns = x.columns - column;
        tile::load(block, sums, tile::matrix(x.c + index(row) * x.ldc + column, rows, columns, x.ldc));
        steps.run(block, x.depth, a, b, [&] { tile::mma(block, sums, a, b); });
        tile::convert<T>(block, sums);
        tile::store(block, sums,
                    tile::matrix(x.d + index(row) * x.columns + column, rows, columns, x.columns));
    }
};

/// Random problems of such a kernel, and how far they are off: 1 where a number is not one of T.
template <class T, bool Paged, int Stages, tile::transport How = tile::transport::async, int Rows = 64,
          int Columns = 64, int Depth = 32, class Device>
double error_of_ring(Device& device, std::mt19937& random) {
    using kernel = ring_product<T, Paged, Stages, How, Rows, Columns, Depth>;
    const auto up_to = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    constexpr int run = 16 / int(sizeof(T));
    const int rows = up_to(1, 2 * Rows),
              columns = Paged ? up_to(1, Columns) : up_to(1, 2 * Columns / run) * run,
              depth = up_to(1, 5 * Depth / run) * run, page = up_to(1, 9), pages = ceil_div(columns, page);
    const int lda = depth + run * up_to(0, 2), ldb = (Paged ? depth : columns) + run * up_to(0, 2),
              ldc = columns + up_to(0, 3), lost = up_to(0, 3) ? -1 : up_to(0, pages - 1);
    std::normal_distribution<float> normal;
    const auto fill = [&](int lines, int width, int ld) {
        std::vector<T> x;
        for (int i = 0; i < (lines + 1) * ld; ++i)
            x.push_back(convert<T>(
                i % ld < width && i / ld < lines ? normal(random) : std::numeric_limits<float>::quiet_NaN()));
        return x;
    };
    const int lines = Paged ? pages * page : depth;
    const auto a = fill(rows, depth, lda), b = fill(lines, Paged ? depth : columns, ldb),
               c = fill(rows, columns, ldc);
    std::vector<int> table;
    for (int i = 0; i < pages; ++i) table.insert(table.begin() + up_to(0, i), i);
    if (Paged && lost >= 0) table[std::size_t(lost)] = -1;
    std::vector<float> d(std::size_t(rows * columns), -77.0f);
    device.template launch<kernel>({ceil_div(columns, Columns), ceil_div(rows, Rows)},
                                   {a.data(), b.data(), c.data(), table.data(), tile::page_size(page),
                                    d.data(), rows, columns, depth, lda, ldb, ldc});
    const auto at = [](const std::vector<T>& x, int place) {
        return double(convert<float>(x[std::size_t(place)]));
    };
    double error = 0, norm = 0;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            double wanted = at(c, i * ldc + j);
            const int home = Paged ? table[std::size_t(j / page)] : 0;
            for (int k = 0; k < depth && home >= 0; ++k)
                wanted +=
                    at(a, i * lda + k) * at(b, Paged ? (home * page + j % page) * ldb + k : k * ldb + j);
            const float got = d[std::size_t(i * columns + j)];
            if (convert<float>(convert<T>(got)) != got) return 1;
            error += (got - wanted) * (got - wanted), norm += wanted * wanted;
        }
    return std::sqrt(error / norm);
}

}  // namespace fade::test

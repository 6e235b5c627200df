// A kernel of tiles that walks over a matrix along the columns of its result and along k: rows of the matrix
// and its columns, in pages or not.
#pragma once
#include <cmath>
#include <fade/tile.hpp>
#include <random>
#include <vector>

namespace fade::test {

/// D = A B^T of 64 rows. B lies along k, or its rows are steps of k.
template <tile::memory_order Order, bool Paged>
struct walked_product {
    static constexpr int rows = 64, step = 64, depth = 120;
    static constexpr bool by_rows = Order == tile::memory_order::k_contiguous;
    struct arguments {
        const f16 *a, *b;
        const int* pages;
        tile::page_size page;
        f16* d;
        int columns, ldb, ldd;
    };
    template <class Arch>
    struct tiles {
        static constexpr bool unit = tile::has_shared_matrix_unit<Arch, f16>();
        static constexpr int k = unit ? 64 : 32;
        using a = tile::a_tile<Arch, f16, rows, k, unit ? tile::storage::matrix_unit : tile::storage::shared>;
        using b = tile::streamed<tile::b_tile_of<a, step, k, Order>>;
        using shared = tile::tile_set<a, b>;
    };
    template <class Arch>
    static constexpr launch_shape shape() {
        return tile::shape_of<Arch, typename tiles<Arch>::shared>(
            min_of(4, rows / tile::atom_rows<Arch, f16>));
    }
    FADE_FN static auto matrix_of(const arguments& x) {
        const int lines = by_rows ? x.columns : depth, width = by_rows ? depth : x.columns;
        if constexpr (Paged)
            return tile::paged_matrix<f16>{x.b,   x.pages, x.page, index(x.page.positions) * x.ldb,
                                           lines, width,   x.ldb};
        else
            return tile::matrix(x.b, lines, width, x.ldb);
    }
    /// The first columns of D are sums of fewer products, but of pages, which are loaded as far as they go.
    FADE_FN static constexpr int depth_of(int column) { return !Paged && column < step ? depth - 8 : depth; }
    template <class Block, class Tiles = tiles<typename Block::arch>>
    FADE_FN static void run(Block& block, const arguments& x) {
        const auto [to_a, to_b] = typename Tiles::shared();
        tile::stream b(block, to_b, matrix_of(x));
        const auto further = [&](int columns, int k) {
            b.advance_rows(by_rows ? columns : k), b.advance_columns(by_rows ? k : columns);
        };
        for (int n = 0; n < x.columns; n += step) {
            tile::accumulator<Block, typename Tiles::a, typename Tiles::b> sums(block);
            for (int k = 0; k < depth; k += Tiles::k) {
                if (Tiles::unit && n > 0)
                    b.load(block);  // knows where the matrix ends
                else
                    b.load(block, min_of(depth_of(n) - k, Tiles::k));
                b.store(block);
                tile::operand_a a(block, to_a, tile::matrix(x.a + k, rows, depth - k, depth));
                tile::mma(block, sums, a, b);
                block.sync();
                further(0, Tiles::k);
            }
            tile::store(block, sums, tile::matrix(x.d + n, rows, x.columns - n, x.ldd));
            further(step, -ceil_div(depth, Tiles::k) * Tiles::k);
        }
    }
};

/// Is such a product of small whole numbers, whose sums f16 holds, wrong? What lies beside B is no numbers.
/// Rows of D end with a gap, which stays as it is.
template <tile::memory_order Order, bool Paged, class Device>
bool wrong_walk(Device& device, std::mt19937& random, int gap) {
    using kernel = walked_product<Order, Paged>;
    constexpr int rows = kernel::rows, depth = kernel::depth, page = 7;
    constexpr float poison = 0.5f;
    const int columns = 8 * std::uniform_int_distribution<int>(9, 20)(random),
              lines = kernel::by_rows ? columns : depth, ldb = (kernel::by_rows ? depth : columns) + 8,
              pages = ceil_div(lines, page), ldd = columns + gap;
    const auto drawn = [&] { return convert<f16>(float(int(random() % 9) - 4)); };
    std::vector<f16> a, b(std::size_t(pages * page * ldb), convert<f16>(std::nanf("")));
    for (int i = 0; i < rows * depth; ++i) a.push_back(drawn());
    std::vector<int> table;
    for (int i = 0; i < pages; ++i) table.push_back(pages - 1 - i);
    const auto of_b = [&](int n, int k) -> f16& {
        const int line = kernel::by_rows ? n : k, column = kernel::by_rows ? k : n,
                  home = Paged ? table[std::size_t(line / page)] * page + line % page : line;
        return b[std::size_t(home * ldb + column)];
    };
    for (int n = 0; n < columns; ++n)
        for (int k = 0; k < depth; ++k) of_b(n, k) = drawn();
    std::vector<f16> d(std::size_t(rows * ldd), convert<f16>(poison));
    device.template launch<kernel>(
        {1}, {a.data(), b.data(), table.data(), tile::page_size(page), d.data(), columns, ldb, ldd});
    for (int i = 0; i < rows; ++i)
        for (int n = 0; n < ldd; ++n) {
            float sum = n < columns ? 0 : poison;
            for (int k = 0; k < kernel::depth_of(n) && n < columns; ++k)
                sum += to_f32(a[std::size_t(i * depth + k)]) * to_f32(of_b(n, k));
            if (to_f32(d[std::size_t(i * ldd + n)]) != sum) return true;
        }
    return false;
}

/// The same of each order, in pages and not; of B along k alone; and whether rows of D are whole 16-byte runs
/// or not.
template <class Device>
bool wrong_walks_along_k(Device& device, std::mt19937& random) {
    using enum tile::memory_order;
    return wrong_walk<k_contiguous, false>(device, random, 0) ||
           wrong_walk<k_contiguous, true>(device, random, 3);
}
template <class Device>
bool wrong_walks(Device& device, std::mt19937& random) {
    using enum tile::memory_order;
    return wrong_walks_along_k(device, random) || wrong_walk<row_contiguous, false>(device, random, 3) ||
           wrong_walk<row_contiguous, true>(device, random, 0);
}

}  // namespace fade::test

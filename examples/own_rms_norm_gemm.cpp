// Products with a fused RMS norm: Y = rms_norm(X) W^T, each row of X divided by its root mean square on the
// way out, since a factor of a row commutes with the product (the norm's weight is folded into W, as engines
// for inference do). X is read once; no normalised copy of it is ever written. As HIP it runs on GPU 0.
#include "demo/each_device.hpp"
#include "demo/memory.hpp"
#include "demo/normal.hpp"
#include <fade/tile.hpp>
using fade::f16;
namespace tile = fade::tile;

/// The entry: what a device launches. X is rows x depth, W columns x depth, Y rows x columns; depth is a
/// multiple of 64.
struct rms_norm_gemm {
    static constexpr int m = 128, n = 64, k = 64;
    struct arguments {
        const f16 *x, *w;
        f16* y;
        int rows, columns, depth;
        float epsilon;
    };
    template <class Arch>
    struct tiles {
        using x = tile::a_tile<Arch, f16, m, k>;
        using w = tile::b_tile<Arch, f16, n, k>;
        using shared = tile::tile_set<x, w>;
    };
    template <class Arch>
    static constexpr fade::launch_shape shape() {
        return tile::shape_of<Arch, typename tiles<Arch>::shared>(
            fade::min_of(8, m / tile::atom_rows<Arch, f16>));
    }

    template <class Block, class T = tiles<typename Block::arch>>
    FADE_FN static void run(Block& block, const arguments& a) {
        const int row = block.id_y() * m, column = block.id_x() * n;
        const auto [x_tile, w_tile] = typename T::shared();
        tile::loader xs(block, x_tile,
                        tile::matrix(a.x + fade::index(row) * a.depth, a.rows - row, a.depth, a.depth));
        tile::loader ws(
            block, w_tile,
            tile::matrix(a.w + fade::index(column) * a.depth, a.columns - column, a.depth, a.depth));
        tile::operand_a x(block, x_tile);
        tile::operand_b w(block, w_tile);
        tile::accumulator<Block, typename T::x, typename T::w> y(block);
        tile::row_values squares(block, y);
        xs.load(block), ws.load(block);
        for (int step = 0; step < a.depth; step += k) {
            xs.store(block), ws.store(block);
            xs.advance_columns(k), ws.advance_columns(k);
            block.sync();                    // the tiles are there
            xs.load(block), ws.load(block);  // the next ones, beside the products
            tile::mma(block, y, x, w);
            tile::add_rows(block, squares, x_tile, [](float e) { return e * e; });
            block.sync();  // nobody reads the tiles
        }
        const float inverse = 1 / float(a.depth), epsilon = a.epsilon;
        tile::row_map(block, [=](float& s) { s = 1 / __builtin_sqrtf(s * inverse + epsilon); }, squares);
        tile::mul_row(block, y, squares);
        tile::store(block, y,
                    tile::matrix(a.y + fade::index(row) * a.columns + column, a.rows - row,
                                 a.columns - column, a.columns));
    }
};

/// 0 where a product of random matrices is what double precision makes of it.
template <class Device>
int wrong(Device& device, int rows = 150, int columns = 200, int depth = 192) {
    const float epsilon = 1e-5f;
    auto random = demo::fresh_random();
    const auto x = demo::normal<f16>(rows * depth, random), w = demo::normal<f16>(columns * depth, random);
    demo::array<Device, f16> on_x(device, x), on_w(device, w),
        on_y(device, std::vector<float>(rows * columns));
    device.template launch<rms_norm_gemm>(
        {fade::ceil_div(columns, rms_norm_gemm::n), fade::ceil_div(rows, rms_norm_gemm::m)},
        {on_x.data(), on_w.data(), on_y.data(), rows, columns, depth, epsilon});
    std::vector<double> wanted(rows * columns);
    for (int i = 0; i < rows; ++i) {
        double squares = 0;
        for (int e = 0; e < depth; ++e) squares += double(x[i * depth + e]) * x[i * depth + e];
        for (int j = 0; j < columns; ++j) {
            double sum = 0;
            for (int e = 0; e < depth; ++e) sum += double(x[i * depth + e]) * w[j * depth + e];
            wanted[i * columns + j] = sum / std::sqrt(squares / depth + epsilon);
        }
    }
    const double error = demo::relative_error(on_y.get(), wanted);
    return std::printf("%s: relative error %.1e\n", device.name().c_str(), error), !(error < 1e-3);
}

int main() {
    return demo::on_each_device([](auto& device) { return wrong(device); });
}

// A kernel of one's own: O = softmax(beta X M^T) M finds, for every row of X, the patterns in M that it
// resembles (a Hopfield layer: Ramsauer et al., 2020). Two chained products with row reductions between them,
// written for a workgroup in the verbs of fade/tile.hpp; the machine that it is compiled for, or emulated on,
// comes with Block. As HIP it runs on GPU 0.
#include "demo/each_device.hpp"
#include "demo/memory.hpp"
#include "demo/normal.hpp"
#include <fade/tile.hpp>
using fade::f16;
namespace tile = fade::tile;

/// The entry: what a device launches. 64 patterns of 64 elements; a workgroup looks up 64 rows of X.
struct lookup {
    static constexpr int n = 64, rows_at_once = 64;
    struct arguments {
        const f16 *x, *patterns;
        f16* out;
        int rows;
        float beta;
    };

    /// What an architecture makes of that, at compile time: M lies in shared memory twice, its rows as
    /// columns of X M^T, and its rows as steps of k of P M.
    template <class Arch>
    struct tiles {
        using x = tile::a_tile<Arch, f16, rows_at_once, n>;
        using by_rows = tile::b_tile<Arch, f16, n, n>;
        using p = tile::chained_tile<x, by_rows>;
        using by_columns = tile::b_tile<Arch, f16, n, n, tile::memory_order::row_contiguous>;
        using shared = tile::tile_set<x, by_rows, p, by_columns>;
    };
    template <class Arch>
    static constexpr fade::launch_shape shape() {
        return tile::shape_of<Arch, typename tiles<Arch>::shared>(2);
    }

    template <class Block, class T = tiles<typename Block::arch>>
    FADE_FN static void run(Block& block, const arguments& args) {
        const int first = block.id_x() * rows_at_once, rows = args.rows - first;
        const auto [x_tile, by_rows, p_tile, by_columns] = typename T::shared();
        tile::copy(block, x_tile, tile::matrix(args.x + first * n, rows, n, n));
        tile::copy(block, by_rows, tile::matrix(args.patterns, n, n, n));
        tile::copy(block, by_columns, tile::matrix(args.patterns, n, n, n));
        block.sync();
        tile::operand_a x(block, x_tile);
        tile::operand_b patterns(block, by_rows);
        tile::operand_p p(block, p_tile);
        tile::operand_b values(block, by_columns);
        tile::accumulator<Block, typename T::x, typename T::by_rows> scores(block);
        tile::accumulator<Block, typename T::x, typename T::by_columns> out(block);

        tile::mma(block, scores, x, patterns);
        auto highest = tile::row_max(block, scores);
        const float factor = args.beta * fade::log2_e;  // powers of two
        tile::map(block, scores, [=](float& s, float h) { s = Block::exp2((s - h) * factor); }, highest);
        auto sums = tile::row_sum(block, scores);
        tile::mma_chain(block, out, scores, p, values);
        tile::map(block, out, [](float& o, float sum) { o /= sum; }, sums);
        tile::store(block, out, tile::matrix(args.out + first * n, rows, n, n));
    }
};

/// 0 where 200 random rows become what double precision makes of them.
template <class Device>
int wrong(Device& device) {
    const int n = lookup::n, rows = 200;
    const float beta = 0.25f;
    auto random = demo::fresh_random();
    const auto m = demo::normal<f16>(n * n, random), x = demo::normal<f16>(rows * n, random);
    demo::array<Device, f16> on_x(device, x), on_m(device, m), on_out(device, x);
    device.template launch<lookup>({fade::ceil_div(rows, lookup::rows_at_once)},
                                   {on_x.data(), on_m.data(), on_out.data(), rows, beta});
    std::vector<double> wanted(rows * n);
    for (int i = 0; i < rows; ++i) {
        double sum = 0;
        for (int j = 0; j < n; ++j) {
            double s = 0;
            for (int c = 0; c < n; ++c) s += double(beta) * x[i * n + c] * m[j * n + c];
            for (int c = 0; c < n; ++c) wanted[i * n + c] += std::exp(s) * m[j * n + c];
            sum += std::exp(s);
        }
        for (int c = 0; c < n; ++c) wanted[i * n + c] /= sum;
    }
    const double error = demo::relative_error(on_out.get(), wanted);
    return std::printf("%s: relative error %.1e\n", device.name().c_str(), error), !(error < 1e-3);
}

int main() {
    return demo::on_each_device([](auto& device) { return wrong(device); });
}

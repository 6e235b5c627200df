// A kernel of one's own: O = softmax(beta X M^T) M finds, for every row of X, the patterns in M that it
// resembles (a Hopfield layer: Ramsauer et al., 2020). Two chained products with row reductions between them,
// as in attention. It is written for a workgroup, in verbs over tiles; the machine that it is compiled for,
// or emulated on, comes with Block. As HIP it runs on GPU 0.
#include "demo/memory.hpp"
#include <cmath>
#include <cstdio>
#include <fade/block/place_elements.hpp>
#include <fade/block/reduce.hpp>
#include <fade/block/sliced_tile.hpp>
#include <fade/gemm.hpp>
using fade::f16, fade::wave::each_element, fade::block::tile_loader;

/// The policy, a value: 64 rows against 64 patterns of 64 elements, by 2 x 2 waves, 16 steps of k at a time.
struct own_policy {
    int tile = 64, wave_tile = 32, grid = 2, depth = 16;
};

/// What an architecture makes of the policy, at compile time.
template <class Arch, own_policy P = own_policy{}>
struct own_tiles {
    using atom = typename Arch::template atom<f16>;  // MFMA, WMMA, dot2: what multiplies f16 there
    using grid = fade::block::wave_grid<P.grid, P.grid, P.wave_tile, P.wave_tile>;
    using layout = fade::block::operand_layout<Arch, atom, P.tile, P.depth>;
    using tile = fade::block::sliced_tile<layout, P.tile / P.depth>;
    template <class Block>
    using accumulator = fade::wave::accumulator<Block, atom, P.wave_tile / atom::m, P.wave_tile / atom::n>;
    static constexpr int reduced_at = 3 * tile::bytes, grid_columns = P.grid;
    static constexpr int shared_bytes = reduced_at + fade::block::reduction_bytes<atom>(P.tile, P.grid);
};

/// The entry: what a device launches.
struct lookup {
    static constexpr int tile = own_policy{}.tile;
    struct arguments {
        const f16 *x, *patterns;
        f16* out;
        int rows;
        float beta;
    };
    template <class Arch>
    static constexpr fade::launch_shape shape() {
        return {.waves = own_tiles<Arch>::grid::waves, .shared_bytes = own_tiles<Arch>::shared_bytes};
    }

    template <class Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        using enum fade::block::memory_order;
        using tiles = own_tiles<typename Block::arch>;
        using layout = typename tiles::layout;  // how operands lie in shared memory
        using accumulator = typename tiles::template accumulator<Block>;
        const f16 *x = args.x + block.id_x() * tile * tile, *x_end = args.x + args.rows * tile,
                  *m = args.patterns, *m_end = m + tile * tile;
        const int rows = fade::least(args.rows - block.id_x() * tile, tile);
        // X in shared memory, and M twice: its rows as operand of X M^T, its columns as that of P M.
        const typename tiles::tile left{0}, by_rows{left.bytes}, by_columns{2 * left.bytes};
        fade::block::copy(
            block, tile_loader<Block, f16, layout, k_contiguous>(block, {x, args.x, x_end, tile, 1, rows}),
            left);
        fade::block::copy(block,
                          tile_loader<Block, f16, layout, k_contiguous>(block, {m, m, m_end, tile, 1, tile}),
                          by_rows);
        fade::block::copy(
            block, tile_loader<Block, f16, layout, row_contiguous>(block, {m, m, m_end, 1, tile, tile}),
            by_columns);
        block.sync();
        fade::block::multiplier<Block, accumulator, typename tiles::grid, layout, layout> product(block);
        fade::block::row_reducer<Block, accumulator, tiles::grid_columns> over_rows(tiles::reduced_at);
        accumulator scores, out;
        fade::wave::zero(block, scores), fade::wave::zero(block, out);
        fade::block::multiply(block, product, scores, left, by_rows);
        auto highest = over_rows.maximum(block, scores);
        each_element(
            block, scores, [&](float& s, float h) { s = fade::epilogue::exponential(args.beta * (s - h)); },
            highest);
        auto sums = over_rows.sum(block, scores);  // has synchronised: all waves are done with X
        fade::block::to_operand<typename tiles::grid>(block, scores, left);
        block.sync();
        fade::block::multiply(block, product, out, left, by_columns);
        each_element(block, out, [](float& o, float s) { o /= s; }, sums);
        fade::block::store_rows<typename tiles::grid>(block, out, args.out + block.id_x() * tile * tile, tile,
                                                      rows, tile);
    }
};

/// 0 where 100 rows that resemble two patterns each become what double precision makes of them.
template <class Device>
int wrong(Device device) {
    const int n = lookup::tile, rows = 100;
    std::vector<float> m(n * n), x(rows * n);
    for (int i = 0; i < n * n; ++i) m[i] = (i * 2654435761u >> 16) % 2 ? 1 : -1;
    for (int i = 0; i < rows * n; ++i) x[i] = (m[i % (n * n)] + m[(i / n * 7 + 3) % n * n + i % n]) / 16;
    demo::array<Device, f16> on_x(device, x), on_m(device, m), on_out(device, x);
    device.template launch<lookup>({fade::ceil_div(rows, n)},
                                   {on_x.data(), on_m.data(), on_out.data(), rows, 0.5f});
    const std::vector<float> out = on_out.get();
    double worst = 0;
    for (int i = 0; i < rows; ++i) {
        std::vector<double> sums(n + 1);  // of all columns, and of the weights
        for (int j = 0; j < n; ++j) {
            double s = 0;
            for (int c = 0; c < n; ++c) s += 0.5 * x[i * n + c] * m[j * n + c];
            for (int c = 0; c <= n; ++c) sums[c] += std::exp(s) * (c < n ? m[j * n + c] : 1);
        }
        for (int c = 0; c < n; ++c) worst = std::max(worst, std::abs(sums[c] / sums[n] - out[i * n + c]));
    }
    return std::printf("%s: largest difference %.1e\n", device.name().c_str(), worst), !(worst < 2e-3);
}

int main() {
#if defined(__HIP__)
    return wrong(fade::hip_device());
#else
    return wrong(fade::emulated_device<fade::arch::gfx942>()) +
           wrong(fade::emulated_device<fade::arch::gfx1030>()) +
           wrong(fade::emulated_device<fade::arch::gfx1100>());
#endif
}

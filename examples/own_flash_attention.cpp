// Causal flash attention of grouped queries (Dao, "FlashAttention-2", 2023) in the verbs of fade/tile.hpp.
#include "demo/each_device.hpp"
#include "demo/memory.hpp"
#include "demo/normal.hpp"
#include <fade/tile.hpp>
#include <numeric>
using fade::f16;
namespace tile = fade::tile;

/// What a device launches. Tensors are [batch, position, head, head_dim]; the last query sees all keys.
struct flash_attention {
    static constexpr int head_dim = 128, queries = 128;
    struct arguments {
        const f16 *q, *k, *v;
        f16* o;
        int seq_q, seq_k, heads, kv_heads;
        float scale;
    };
    template <class Arch>
    struct tiles {
        static constexpr int waves = fade::min_of(8, queries / tile::atom_rows<Arch, f16>),
                             keys = tile::has_matrix_unit<Arch, f16> ? 64 : 32;
        using q = tile::warpgroup_tile<Arch, f16, queries, head_dim, waves>;
        using k = tile::streamed<tile::b_tile_of<q, keys, head_dim>>;
        using p = tile::chained_tile<q, k>;
        using v = tile::streamed<tile::b_tile_of<q, head_dim, keys, tile::memory_order::row_contiguous>>;
        using shared = tile::tile_set<q, k, p, v>;
    };
    template <class Arch>
    static constexpr fade::launch_shape shape() {
        constexpr int registers = tile::by_matrix_unit<typename tiles<Arch>::q> ? 128 : 256;  // of a lane
        return tile::shape_of<Arch, typename tiles<Arch>::shared>(tiles<Arch>::waves, registers);
    }

    template <class Block, class T = tiles<typename Block::arch>>
    FADE_FN static void run(Block& block, const arguments& a) {
        const int first = block.id_x() * queries, head = block.id_y(), kv_head = head * a.kv_heads / a.heads,
                  ahead = a.seq_k - a.seq_q, end = fade::min_of(a.seq_k, first + queries + ahead);
        const auto rows_of = [&](auto* x, int from, int length, int heads, int h) {
            x += ((fade::index(block.id_z()) * length + from) * heads + h) * head_dim;
            return tile::matrix(x, length - from, head_dim, heads * head_dim);
        };
        const auto [q_tile, k_tile, p_tile, v_tile] = typename T::shared();
        tile::operand_a q(block, q_tile, rows_of(a.q, first, a.seq_q, a.heads, head));
        tile::stream k(block, k_tile, rows_of(a.k, 0, a.seq_k, a.kv_heads, kv_head));
        tile::operand_p p(block, p_tile);
        tile::stream v(block, v_tile, rows_of(a.v, 0, a.seq_k, a.kv_heads, kv_head));
        tile::accumulator<Block, typename T::q, typename T::k> scores;
        tile::accumulator<Block, typename T::q, typename T::v> out(block);
        tile::online_softmax softmax(block, scores, a.scale);
        k.load(block), v.load(block), k.store(block);
        for (int key = 0; key < end; key += T::keys) {
            block.sync();  // the keys are there, and nobody reads the values of the step before
            tile::mm(block, scores, q, k);
            v.store(block), k.advance_rows(T::keys), k.load(block);
            tile::causal_mask(block, scores, first + ahead - key);
            softmax.update(block, scores, out);
            block.sync();  // the values are there, and nobody reads the keys
            k.store(block), v.advance_rows(T::keys), v.load(block);
            tile::mma_chain(block, out, scores, p, v);
        }
        softmax.finish(block, out);
        tile::store(block, out, rows_of(a.o, first, a.seq_q, a.heads, head));
    }
};

/// 0 where attention over random tensors is what double precision makes of them.
template <class Device>
int wrong(Device& device, int batch = 2, int heads = 4, int kv_heads = 2, int seq_q = 150, int seq_k = 200) {
    const int d = flash_attention::head_dim, rows = batch * seq_q * heads, keys = batch * seq_k * kv_heads;
    const float scale = 1 / std::sqrt(float(d));
    auto random = demo::fresh_random();
    const auto q = demo::normal<f16>(rows * d, random), k = demo::normal<f16>(keys * d, random),
               v = demo::normal<f16>(keys * d, random);
    demo::array<Device, f16> on_q(device, q), on_k(device, k), on_v(device, v), on_o(device, q);
    device.template launch<flash_attention>(
        {fade::ceil_div(seq_q, flash_attention::queries), heads, batch},
        {on_q.data(), on_k.data(), on_v.data(), on_o.data(), seq_q, seq_k, heads, kv_heads, scale});
    std::vector<double> wanted(rows * d);
    for (int row = 0; row < rows; ++row) {
        const int b = row / heads / seq_q, seen = row / heads % seq_q + seq_k - seq_q;
        double sum = 0;
        for (int j = 0; j <= seen; ++j) {
            const int at = ((b * seq_k + j) * kv_heads + row % heads * kv_heads / heads) * d;
            const double p = std::exp(scale * std::inner_product(&k[at], &k[at] + d, &q[row * d], 0.0));
            for (int c = 0; c < d; ++c) wanted[row * d + c] += p * v[at + c];
            sum += p;
        }
        for (int c = 0; c < d; ++c) wanted[row * d + c] /= sum;
    }
    const double error = demo::relative_error(on_o.get(), wanted);
    return std::printf("%s: relative error %.1e\n", device.name().c_str(), error), !(error < 1e-3);
}

int main() {
    return demo::on_each_device([](auto& device) { return wrong(device); });
}

// Products of tiles over a long depth: rings of stages, through registers and past them, of rows in pages and
// not; accumulators that are loaded, and rounded.
#include <common/loader_kernels.hpp>
#include <common/ring_kernels.hpp>
#include <doctest/doctest.h>

using namespace fade;
using namespace fade::test;

namespace {

template <class T>
constexpr double bound = std::is_same_v<T, float> ? 2e-6
                         : std::is_same_v<T, f16> ? 1e-3
                                                  : 8e-3;

template <class T, class Device>
void try_rings(Device& device) {
    const unsigned seed = std::random_device()();
    INFO("seed ", seed, ", ", device.name());
    std::mt19937 random(seed);
    for (int i = 0; i < 8; ++i) {
        CAPTURE(i);
        CHECK(error_of_ring<T, false, 2>(device, random) < bound<T>);
        CHECK(error_of_ring<T, true, 2>(device, random) < bound<T>);
    }
}

template <class Arch, class T, bool Paged, tile::transport How>
constexpr bool passes_registers() {
    using kernel = ring_product<T, Paged, 2, How, 64, 64, 32>;
    using tiles = typename kernel::template tiles<Arch>;
    using block_type = backend::emulated::block<Arch, 4>;
    using from_b = std::conditional_t<Paged, tile::paged_matrix<T>, tile::matrix<const T>>;
    return tile::pipeline<block_type, typename tiles::a, tile::matrix<const T>, typename tiles::b, from_b,
                          How>::async;
}

}  // namespace

TEST_CASE_TEMPLATE("rings in f16", Device, host_device, emulated_device<arch::gfx90a>,
                   emulated_device<arch::gfx1030>, emulated_device<arch::gfx1100>,
                   emulated_device<arch::sm_80>) {
    Device device;
    try_rings<f16>(device);
}

TEST_CASE_TEMPLATE("and in other types", Device, host_device, emulated_device<arch::gfx942>,
                   emulated_device<arch::gfx1201>) {
    Device device;
    try_rings<bf16>(device);
    try_rings<float>(device);
}

namespace {

/// Both operands along k, which copies can bring past the registers: C = A B^T.
struct past_registers {
    struct arguments {
        const f16 *a, *b;
        float* c;
        int rows, columns, depth;
    };
    template <class Arch>
    struct tiles {
        static constexpr bool unit = tile::has_shared_matrix_unit<Arch, f16>();
        static constexpr auto where = unit ? tile::storage::matrix_unit : tile::storage::shared;
        using a = tile::ring<tile::a_tile<Arch, f16, 64, unit ? 64 : 32, where>, 3>;
        using b = tile::ring<tile::b_tile_of<a, 64, unit ? 64 : 32>, 3>;
        using shared = tile::tile_set<a, b>;
    };
    template <class Arch>
    static constexpr launch_shape shape() {
        return tile::shape_of<Arch, typename tiles<Arch>::shared>(4);
    }
    template <class Block, class Tiles = tiles<typename Block::arch>>
    FADE_FN static void run(Block& block, const arguments& x) {
        const auto [a_ring, b_ring] = typename Tiles::shared();
        tile::pipeline steps(block, a_ring, tile::matrix(x.a, x.rows, x.depth, x.depth), b_ring,
                             tile::matrix(x.b, x.columns, x.depth, x.depth));
        static_assert(decltype(steps)::async == (Block::arch::traits.family == arch::family::nvidia));
        tile::operand_a a(block, a_ring);
        tile::operand_b b(block, b_ring);
        tile::accumulator<Block, typename Tiles::a, typename Tiles::b> c(block);
        steps.run(block, x.depth, a, b, [&] { tile::mma(block, c, a, b); });
        tile::store(block, c, tile::matrix(x.c, x.rows, x.columns, x.columns));
    }
};

}  // namespace

TEST_CASE_TEMPLATE("copies pass the registers by where the architecture has such copies", Device,
                   emulated_device<arch::sm_80>, emulated_device<arch::sm_90a>,
                   emulated_device<arch::gfx1100>) {
    Device device;
    for (const int depth : {8, 32, 40, 104, 160}) {
        CAPTURE(depth);
        const int rows = 50, columns = 37;
        std::vector<f16> a(std::size_t(rows * depth)), b(std::size_t(columns * depth));
        for (std::size_t i = 0; i < a.size(); ++i) a[i] = convert<f16>(float(i % 7) - 3);
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = convert<f16>(float(i % 5) - 2);
        std::vector<float> c(std::size_t(rows * columns));
        device.template launch<past_registers>({1}, {a.data(), b.data(), c.data(), rows, columns, depth});
        bool right = true;
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < columns; ++j) {
                float sum = 0;
                for (int k = 0; k < depth; ++k)
                    sum += to_f32(a[std::size_t(i * depth + k)]) * to_f32(b[std::size_t(j * depth + k)]);
                right = right && c[std::size_t(i * columns + j)] == sum;
            }
        CHECK(right);
    }
}

TEST_CASE_TEMPLATE("loaders move on along either side of a matrix", Device, host_device,
                   emulated_device<arch::gfx1100>) {
    Device device;
    const unsigned seed = std::random_device()();
    INFO("seed ", seed);
    std::mt19937 random(seed);
    CHECK(!wrong_walks(device, random));
}

TEST_CASE("and so do streams that pass the registers by") {
    emulated_device<arch::sm_90a> device;
    const unsigned seed = std::random_device()();
    INFO("seed ", seed);
    std::mt19937 random(seed);
    CHECK(!wrong_walks_along_k(device, random));
}

TEST_CASE("pages and steps of k that are rows come through registers") {
    CHECK(!passes_registers<arch::sm_80, f16, true, tile::transport::async>());
    CHECK(!passes_registers<arch::sm_80, f16, false, tile::transport::async>());
    CHECK(!passes_registers<arch::gfx942, f16, true, tile::transport::async>());
}

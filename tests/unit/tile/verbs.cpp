// The verbs of tiles on random problems: operands in registers and in shared memory, both orders of B,
// chains, masks, reductions, edges.
#include <common/tile_kernels.hpp>
#include <doctest/doctest.h>

using namespace fade;
using namespace fade::test;

namespace {

template <class T, int Rows = 128, int Depth = 64, int Columns = 64, class Device>
void try_problems(Device& device, int problems = 6) {
    const unsigned seed = std::random_device()();
    INFO("seed ", seed, ", ", device.name());
    std::mt19937 random(seed);
    for (int i = 0; i < problems; ++i) {
        const tile_problem<T, Rows, Depth, Columns> problem(random, i == 0);
        CAPTURE(i);
        CHECK(problem.template run<tile::storage::shared>(device) < tile_bound<T>());
        CHECK(problem.template run<tile::storage::registers>(device) < tile_bound<T>());
    }
}

}  // namespace

TEST_CASE_TEMPLATE("verbs of tiles in f16", Device, host_device, emulated_device<arch::gfx90a>,
                   emulated_device<arch::gfx950>, emulated_device<arch::gfx1030>,
                   emulated_device<arch::gfx1100>, emulated_device<arch::gfx1201>,
                   emulated_device<arch::sm_80>) {
    Device device;
    try_problems<f16>(device);
}

TEST_CASE_TEMPLATE("and in other types", Device, host_device, emulated_device<arch::gfx942>,
                   emulated_device<arch::gfx1030>, emulated_device<arch::gfx1201>) {
    Device device;
    try_problems<bf16, 64, 32, 32>(device);
    try_problems<float, 64, 32, 32>(device, 3);
}

TEST_CASE("and by a matrix unit that four waves share") {
    emulated_device<arch::sm_90a> device;
    std::mt19937 random(std::random_device{}());
    const auto try_problem = [&]<class T, int Depth, int Columns>(vec<T, Depth>, vec<T, Columns>) {
        const unsigned seed = unsigned(random());
        INFO("seed ", seed, ", depth ", Depth, ", columns ", Columns);
        std::mt19937 drawn(seed);
        const tile_problem<T, 64, Depth, Columns> problem(drawn);
        CHECK(problem.template run<tile::storage::matrix_unit>(device) < tile_bound<T>());
    };
    for (int i = 0; i < 4; ++i) {
        try_problem(vec<f16, 128>(), vec<f16, 64>());
        try_problem(vec<bf16, 64>(), vec<bf16, 128>());
    }
}

TEST_CASE("which operands such a unit reads") {
    using enum tile::storage;
    CHECK(tile::storage_for<arch::sm_90a, f16>(128, 64, 8) == matrix_unit);
    CHECK(tile::storage_for<arch::sm_90a, bf16>(64, 128, 4) == matrix_unit);
    CHECK(tile::storage_for<arch::sm_90a, f16>(128, 64, 4) != matrix_unit);  // 32 rows a wave
    CHECK(tile::storage_for<arch::sm_90a, f16>(32, 64, 2) != matrix_unit);   // two waves
    CHECK(tile::storage_for<arch::sm_90a, f16>(128, 32, 8) != matrix_unit);  // rows of 64 bytes
    CHECK(tile::storage_for<arch::sm_90a, float>(128, 64, 8) != matrix_unit);
    CHECK(tile::storage_for<arch::sm_80, f16>(128, 64, 8) != matrix_unit);
    CHECK(tile::storage_for<arch::gfx942, f16>(128, 64, 4) == tile::storage_for<arch::gfx942, f16>(32, 64));
}

TEST_CASE("their tiles begin where the unit finds them") {
    tile::shared_allocator memory;
    memory.take(16, 16);
    using a = tile::warpgroup_tile<arch::sm_90a, f16, 64, 64, 4>;
    CHECK(a(memory).base == 1024);
    CHECK(a(memory).base == 1024 + a::bytes);
    CHECK(tile::tile_set<tile::b_tile<arch::sm_90a, f16, 8, 32>, a>::bytes() == 1024 + a::bytes);
}

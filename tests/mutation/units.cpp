// Fails when a product of tiles by a matrix unit that four waves share is wrong, or a stream of its operands.
#define main own_flash_attention
#include "../../examples/own_flash_attention.cpp"
#undef main
#include <common/loader_kernels.hpp>
#include <common/tile_kernels.hpp>

using fade::arch::sm_90a;

template <class T, int Depth, int Columns, class Device>
int wrong_product(Device& device, std::mt19937& random) {
    const fade::test::tile_problem<T, 64, Depth, Columns> problem(random);
    return !(problem.template run<tile::storage::matrix_unit>(device) < fade::test::tile_bound<T>());
}

/// Which operands such a unit reads.
template <class T, int Rows, int Depth, int Waves>
constexpr bool by_unit = tile::storage_for<sm_90a, T>(Rows, Depth, Waves) == tile::storage::matrix_unit;
constexpr bool wrong_choice = !by_unit<f16, 128, 64, 8> || by_unit<f16, 128, 64, 4> ||
                              by_unit<f16, 32, 64, 2> || by_unit<f16, 64, 32, 4> || by_unit<float, 64, 64, 4>;
/// Where its tiles begin, behind others.
constexpr std::uint32_t place_of_tile(int bytes_before) {
    tile::shared_allocator memory;
    memory.take(bytes_before, bytes_before);
    return tile::warpgroup_tile<sm_90a, f16, 64, 64, 4>(memory).base;
}
constexpr bool wrong_place = place_of_tile(16) != 1024 || place_of_tile(1024) != 1024;

int main() try {
    fade::emulated_device<sm_90a> device;
    std::mt19937 random(3);
    int failed = wrong_choice + wrong_place + fade::test::wrong_walks_along_k(device, random);
    for (int i = 0; i < 3; ++i)
        failed += wrong_product<f16, 128, 64>(device, random) + wrong_product<f16, 64, 128>(device, random);
    return failed + wrong(device, 1, 2, 1, 130, 150) ? 1 : 0;
} catch (const fade::error& e) {
    std::puts(e.what());
    return 1;
}

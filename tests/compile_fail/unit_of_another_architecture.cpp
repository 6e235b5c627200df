// expect: this architecture has no matrix unit that four waves share for such elements
#include <fade/tile.hpp>

constexpr int bytes =
    fade::tile::a_tile<fade::arch::gfx942, fade::f16, 64, 64, fade::tile::storage::matrix_unit>::bytes;

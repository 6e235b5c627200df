// A product of a workgroup on gfx942, whose atoms of f16 are 32 x 32, by a grid of 2 x 2 waves.
#pragma once
#include <fade/gemm.hpp>

template <int WaveTile, int Rows, int Columns, int TileRows, int Waves>
void multiply() {
    using arch = fade::arch::gfx942;
    using atom = arch::atom<fade::f16>;
    using layout = fade::block::operand_layout<arch, atom, TileRows, 32>;
    using workgroup = fade::backend::emulated::block<arch, Waves>;
    using grid = fade::block::wave_grid<2, 2, WaveTile, WaveTile>;
    using sums = fade::wave::accumulator<workgroup, atom, Rows, Columns>;
    [[maybe_unused]] fade::block::multiplier<workgroup, sums, grid, layout, layout>* product = nullptr;
    static_assert(sizeof *product > 0);
}

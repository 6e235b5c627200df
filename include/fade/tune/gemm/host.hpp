// Policies for this CPU: tiles of whole micro-kernels (12 rows x 128 bytes) whose panels and accumulators stay in the second-level cache.
#pragma once
#include <fade/arch/host.hpp>
#include <fade/tune/gemm/rows.hpp>

namespace fade::tune {

template <class In>
struct gemm_rows<arch::host, In> {
    static constexpr gemm_row row{
        .large = {.block_tile = {192, 256, 256}, .wave_tile = {192, 256}, .pipeline = block::pipeline_kind::direct, .group_rows = 1},
        .small = {.block_tile = {96, 128, 256}, .wave_tile = {96, 128}, .pipeline = block::pipeline_kind::direct, .group_rows = 1},
        .evidence = "measured, bench/results"};
};

}  // namespace fade::tune

// Attention's rows for MFMA.
// Matrix instructions of 32 rows: queries, scores and outputs of 32 queries live in the registers of a wave.
// As many waves share a SIMD as it has registers for; heads of 256 leave those of one wave alone. Rules take
// registers of their own. The fewer waves share a tile of the decoding kernel, the more workgroups read keys
// at once; addresses of scattered rows take registers, so more waves share the loads of a long row.
#pragma once
#include <fade/tune/attention/table.hpp>

namespace FADE_NAMESPACE::tune {

/// 16 bits where a SIMD has 512 registers (gfx90a, gfx942): two waves share a SIMD that has registers
/// for a second tile of scores beside outputs of 128 dimensions, or for tiles of 128 keys beside 64.
inline constexpr attention_table mfma_16_bit{
    .d64 = {.plain = {.waves = 4,
                      .wave_queries = 32,
                      .keys = 128,
                      .head_dim = 64,
                      .schedule = attention_schedule::software_pipelined,
                      .waves_per_simd = 2},
            .general = {.waves = 4, .wave_queries = 32, .keys = 64, .head_dim = 64, .waves_per_simd = 2},
            .decode = {.waves = 1, .wave_queries = 32, .keys = 32, .head_dim = 64, .waves_per_simd = 1}},
    .d128 = {.plain = {.waves = 4,
                       .wave_queries = 32,
                       .keys = 64,
                       .head_dim = 128,
                       .schedule = attention_schedule::software_pipelined,
                       .waves_per_simd = 2},
             .general = {.waves = 4, .wave_queries = 32, .keys = 64, .head_dim = 128, .waves_per_simd = 2},
             .decode = {.waves = 1, .wave_queries = 32, .keys = 32, .head_dim = 128, .waves_per_simd = 1}},
    .d256 = {.plain = {.waves = 4, .wave_queries = 32, .keys = 64, .head_dim = 256, .waves_per_simd = 1},
             .general = {.waves = 4, .wave_queries = 32, .keys = 64, .head_dim = 256, .waves_per_simd = 1},
             .decode = {.waves = 2, .wave_queries = 32, .keys = 32, .head_dim = 256, .waves_per_simd = 1}},
    .d512 = {.decode = {.waves = 4,
                        .wave_queries = 32,
                        .keys = 32,
                        .head_dim = 512,
                        .span = 32,
                        .value_parts = 4,
                        .q_storage = attention_q_storage::shared,
                        .waves_per_simd = 1}}};

/// The same where queries of 256 dimensions may stay in a large shared memory (gfx950), and where the
/// compiler keeps more scalars of a decoded row.
inline constexpr attention_table mfma_16_bit_large_lds{
    .d64 = {.plain = {.waves = 4,
                      .wave_queries = 32,
                      .keys = 128,
                      .head_dim = 64,
                      .schedule = attention_schedule::software_pipelined,
                      .waves_per_simd = 2},
            .general = {.waves = 4, .wave_queries = 32, .keys = 64, .head_dim = 64, .waves_per_simd = 2},
            .decode = {.waves = 1, .wave_queries = 32, .keys = 32, .head_dim = 64, .waves_per_simd = 1}},
    .d128 = {.plain = {.waves = 4,
                       .wave_queries = 32,
                       .keys = 64,
                       .head_dim = 128,
                       .schedule = attention_schedule::software_pipelined,
                       .waves_per_simd = 2},
             .general = {.waves = 4, .wave_queries = 32, .keys = 64, .head_dim = 128, .waves_per_simd = 2},
             .decode = {.waves = 2, .wave_queries = 32, .keys = 32, .head_dim = 128, .waves_per_simd = 1}},
    .d256 = {.plain = {.waves = 4,
                       .wave_queries = 32,
                       .keys = 64,
                       .head_dim = 256,
                       .q_storage = attention_q_storage::shared,
                       .waves_per_simd = 1},
             .general = {.waves = 4,
                         .wave_queries = 32,
                         .keys = 64,
                         .head_dim = 256,
                         .q_storage = attention_q_storage::shared,
                         .waves_per_simd = 1},
             .decode = {.waves = 4,
                        .wave_queries = 32,
                        .keys = 32,
                        .head_dim = 256,
                        .q_storage = attention_q_storage::shared,
                        .waves_per_simd = 1}},
    .d512 = {.decode = {.waves = 4,
                        .wave_queries = 32,
                        .keys = 32,
                        .head_dim = 512,
                        .span = 32,
                        .value_parts = 4,
                        .q_storage = attention_q_storage::shared,
                        .waves_per_simd = 1}}};

/// 16 bits where a SIMD has fewer registers (gfx908): nothing is scored ahead.
inline constexpr attention_table mfma_16_bit_few_registers{
    .d64 = {.plain = {.waves = 4, .wave_queries = 32, .keys = 64, .head_dim = 64, .waves_per_simd = 2},
            .general = {.waves = 4, .wave_queries = 32, .keys = 64, .head_dim = 64, .waves_per_simd = 2},
            .decode = {.waves = 1, .wave_queries = 32, .keys = 32, .head_dim = 64, .waves_per_simd = 1}},
    .d128 = {.plain = {.waves = 4, .wave_queries = 32, .keys = 64, .head_dim = 128, .waves_per_simd = 1},
             .general = {.waves = 4, .wave_queries = 32, .keys = 64, .head_dim = 128, .waves_per_simd = 1},
             .decode = {.waves = 1, .wave_queries = 32, .keys = 32, .head_dim = 128, .waves_per_simd = 1}},
    .d256 = {.plain = {.waves = 4, .wave_queries = 32, .keys = 64, .head_dim = 256, .waves_per_simd = 1},
             .general = {.waves = 4,
                         .wave_queries = 32,
                         .keys = 64,
                         .head_dim = 256,
                         .value_parts = 2,
                         .waves_per_simd = 1},
             .decode = {.waves = 2,
                        .wave_queries = 32,
                        .keys = 32,
                        .head_dim = 256,
                        .value_parts = 2,
                        .waves_per_simd = 1}},
    .d512 = {.decode = {.waves = 4,
                        .wave_queries = 32,
                        .keys = 32,
                        .head_dim = 512,
                        .span = 32,
                        .value_parts = 4,
                        .q_storage = attention_q_storage::shared,
                        .waves_per_simd = 1}}};

/// f32: heads of 256 are wide ones.
inline constexpr attention_table mfma_f32{
    .d64 = {.plain = {.waves = 4, .wave_queries = 32, .keys = 64, .head_dim = 64, .waves_per_simd = 1},
            .general = {.waves = 4, .wave_queries = 32, .keys = 64, .head_dim = 64, .waves_per_simd = 1},
            .decode = {.waves = 1, .wave_queries = 32, .keys = 32, .head_dim = 64, .waves_per_simd = 1}},
    .d128 = {.plain = {.waves = 4, .wave_queries = 32, .keys = 64, .head_dim = 128, .waves_per_simd = 1},
             .general = {.waves = 4, .wave_queries = 32, .keys = 64, .head_dim = 128, .waves_per_simd = 1},
             .decode = {.waves = 2, .wave_queries = 32, .keys = 32, .head_dim = 128, .waves_per_simd = 1}},
    .d256 = {.decode = {.waves = 4,
                        .wave_queries = 32,
                        .keys = 32,
                        .head_dim = 256,
                        .span = 32,
                        .value_parts = 2,
                        .q_storage = attention_q_storage::shared,
                        .waves_per_simd = 1}},
    .d512 = {.decode = {.waves = 4,
                        .wave_queries = 32,
                        .keys = 32,
                        .head_dim = 512,
                        .span = 32,
                        .value_parts = 4,
                        .q_storage = attention_q_storage::shared,
                        .waves_per_simd = 1}}};

/// The same with a large shared memory (gfx950).
inline constexpr attention_table mfma_f32_large_lds{
    .d64 = {.plain = {.waves = 4, .wave_queries = 32, .keys = 64, .head_dim = 64, .waves_per_simd = 1},
            .general = {.waves = 4, .wave_queries = 32, .keys = 64, .head_dim = 64, .waves_per_simd = 1},
            .decode = {.waves = 2, .wave_queries = 32, .keys = 32, .head_dim = 64, .waves_per_simd = 1}},
    .d128 = {.plain = {.waves = 4, .wave_queries = 32, .keys = 64, .head_dim = 128, .waves_per_simd = 1},
             .general = {.waves = 4, .wave_queries = 32, .keys = 64, .head_dim = 128, .waves_per_simd = 1},
             .decode = {.waves = 4, .wave_queries = 32, .keys = 32, .head_dim = 128, .waves_per_simd = 1}},
    .d256 = {.decode = {.waves = 4,
                        .wave_queries = 32,
                        .keys = 32,
                        .head_dim = 256,
                        .span = 32,
                        .value_parts = 2,
                        .q_storage = attention_q_storage::shared,
                        .waves_per_simd = 1}},
    .d512 = {.decode = {.waves = 4,
                        .wave_queries = 32,
                        .keys = 32,
                        .head_dim = 512,
                        .span = 32,
                        .value_parts = 4,
                        .q_storage = attention_q_storage::shared,
                        .waves_per_simd = 1}}};

}  // namespace FADE_NAMESPACE::tune

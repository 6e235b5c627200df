// How rows are shared out, by their length and by what registers hold.
#pragma once
#include <cstdint>
#include <fade/arch/traits.hpp>
#include <fade/block/row/candidates.hpp>
#include <fade/block/row/policy.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/shape.hpp>

namespace FADE_NAMESPACE::tune {

/// Who shares a row: the lanes of a wave, which hold half as much of a `short_wave`, or so many lanes of a
/// workgroup, which hold it in registers; `wide` lanes hold more of it each; `streamed` rows are read again
/// by each pass.
enum class row_kind { short_wave, wave, lanes_128, lanes_256, lanes_512, wide, streamed };

constexpr const char* name(row_kind k) {
    constexpr const char* names[] = {"short_wave", "wave", "lanes_128", "lanes_256",
                                     "lanes_512",  "wide", "streamed"};
    return names[int(k)];
}

/// The policy where a SIMD of 64 lanes has 256 registers: four waves would leave 64 each, which spill. Half
/// of 1024 lanes hold twice the runs there.
constexpr row_policy with_registers(row_policy p, const arch::arch_traits& t) {
    if (t.wave_size != 64 || t.vgprs_per_simd > 256) return p;
    if (p.resident && p.waves > 2 * t.simds_per_cu) p.waves /= 2, p.runs *= 2;
    p.waves_per_simd = 2;
    return p;
}

/// The policy of a kind for an operator whose registers hold `operands` tensors of elements of `bytes` bytes.
/// Runs are 16 bytes, four of them under way for each operand: loads of a lane do not wait for each other.
/// Of the operators of bench/rows_library.cu ptxas (CUDA 13) spills nothing.
constexpr row_policy row_policy_of(row_kind kind, int wave_size, int operands, int bytes, bool whole_runs) {
    const int run = 16 / bytes;
    const int full = wave_size == 64 ? 4 : 8,
              half = full / 2;  // waves that leave 64 registers a lane, or 128
    if (wave_size == 1) return {.waves = 1, .run = 64, .runs = 1, .resident = false, .whole_runs = false};
    const auto shared = [&](int lanes, int runs, int waves_per_simd) {
        return row_policy{.waves = lanes / wave_size,
                          .shared_row = true,
                          .run = run,
                          .runs = runs,
                          .whole_runs = whole_runs,
                          .waves_per_simd = waves_per_simd};
    };
    const int few = operands > 2 ? 2 : 4;  // runs of each operand
    switch (kind) {
    case row_kind::short_wave:
    case row_kind::wave:
        return {.waves = 4,
                .run = run,
                .runs = kind == row_kind::wave ? few : 2,
                .whole_runs = whole_runs,
                .waves_per_simd = full};
    case row_kind::lanes_128:
        return shared(128, few, full);
    case row_kind::lanes_256:
        return shared(256, few, full);
    case row_kind::lanes_512:
        return shared(512, few, full);
    case row_kind::wide: {
        const int runs = operands > 2 ? 4 : operands > 1 ? 8 : 16;
        if (wave_size == 64) return shared(1024, runs / 2, full);
        // Two workgroups of 256 lanes are faster than one of 512 (H200: by 10 to 20 %).
        return shared(operands > 1 ? 512 : 256, whole_runs ? runs : runs / 2, half);
    }
    default: {
        row_policy p = shared(512, operands > 2 ? 1 : 2, full);
        p.resident = false;
        return p;
    }
    }
}

/// Does an operator put elements aside (block/row/candidates.hpp)?
template <class Operator>
inline constexpr bool selects = requires { Operator::selects; };

/// Whole steps of a row that shared memory holds, where each workgroup has half of a compute unit's.
constexpr int staged_bytes(const row_policy& p, bool puts_aside, const arch::arch_traits& t) {
    constexpr int of_hardware = 1024;  // of each workgroup
    const int step = p.waves * t.wave_size * p.runs * 16;
    const int left = t.lds_per_cu / 2 - of_hardware - block::row_exchange_bytes(p) -
                     (puts_aside ? block::candidate_bytes(p, t.wave_size) : 0);
    return left / step * step;
}

/// The policy of a kind for an operator on an architecture. Operators that read the same tensors of every row
/// say so (`reads_ahead`): on NVIDIA GPUs the next row comes while lanes compute one.
template <class Operator>
constexpr row_policy row_policy_for(row_kind kind, bool whole_runs, const arch::arch_traits& t) {
    row_policy p = with_registers(
        row_policy_of(kind, t.wave_size, Operator::operands, Operator::element_bytes, whole_runs), t);
    if constexpr (requires { Operator::reads_ahead; })
        if (t.family == arch::family::nvidia && p.shared_row && whole_runs && p.resident &&
            kind != row_kind::lanes_512)  // whose lanes have no register left
            p.ahead = Operator::operands;
    // Operators that gain by it say so (`stages`): two workgroups share a compute unit.
    if constexpr (requires { requires Operator::stages; })
        if (t.family == arch::family::nvidia && !p.resident) p.staged = staged_bytes(p, selects<Operator>, t);
    // What a wave finds waits for the others: half as many lanes have twice the runs. Of rows that begin
    // anywhere some would spill with 6 waves.
    if constexpr (selects<Operator>)
        if (t.family == arch::family::nvidia && p.shared_row && p.resident && kind != row_kind::wide)
            p.waves /= 2, p.runs *= 2,
                p.waves_per_simd =
                    !whole_runs && (kind == row_kind::lanes_512 || Operator::element_bytes == 4) ? 5
                    : whole_runs && kind == row_kind::lanes_128 && Operator::element_bytes == 2  ? 7
                                                                                                 : 6;
    // Short rows share a wave where an operator says how many (`rows_of_wave`): what a row costs beside its
    // elements, and each exchange of lanes, is then paid once for all of them.
    if constexpr (requires { Operator::rows_of_wave; })
        if (t.family == arch::family::nvidia && kind == row_kind::short_wave)
            p.rows_of_wave = Operator::rows_of_wave, p.runs *= Operator::rows_of_wave;
    // Places of four such rows take registers which 8 waves do not have.
    if constexpr (requires { requires Operator::finds_places; })
        if (p.rows_of_wave == 4) p.waves_per_simd = 7;
    return p;
}

/// The first kind whose registers hold a row. Rows that begin inside a run may need one more.
template <class Operator>
constexpr row_kind choose_row_kind(index columns, bool whole_runs, const arch::arch_traits& t) {
    const index needed = columns + (whole_runs ? 0 : 16 / Operator::element_bytes - 1);
    for (row_kind k : {row_kind::short_wave, row_kind::wave, row_kind::lanes_128, row_kind::lanes_256,
                       row_kind::lanes_512, row_kind::wide})
        if (needed <= row_policy_for<Operator>(k, whole_runs, t).columns(t.wave_size)) return k;
    return row_kind::streamed;
}

}  // namespace FADE_NAMESPACE::tune

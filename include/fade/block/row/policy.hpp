// How a workgroup takes rows: who shares one, and what of it stays in registers.
#pragma once
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

/// A value; `waves_per_simd` as in launch_shape.
struct row_policy {
    int waves = 4;            ///< of a workgroup
    bool shared_row = false;  ///< all waves of the workgroup share a row; else each has one of its own
    int run = 8;              ///< neighbouring elements that a lane moves at once
    int runs = 4;             ///< of a lane, moved one behind the other
    bool resident = true;     ///< registers hold the row; else every pass reads it again
    bool whole_runs = true;   ///< rows begin at aligned addresses and have whole runs
    int waves_per_simd = 4;
    int ahead = 0;         ///< operands whose next row comes to shared memory while this one is computed
    int staged = 0;        ///< bytes of shared memory for the first operand of a row that is not resident
    int rows_of_wave = 1;  ///< that share a wave without `shared_row`, so many lanes each; NVIDIA GPUs alone

    constexpr bool operator==(const row_policy&) const = default;
    /// Columns that registers hold, or that one step moves.
    constexpr int columns(int wave_size) const {
        return (shared_row ? waves : 1) * wave_size / rows_of_wave * run * runs;
    }
    /// Rows that a workgroup takes at once.
    constexpr int rows_at_once() const { return shared_row ? 1 : waves * rows_of_wave; }
};

/// Calls f(name, value) for every field.
template <class F>
constexpr void each_field(const row_policy& p, F&& f) {
    f("waves", p.waves), f("shared_row", p.shared_row), f("run", p.run), f("runs", p.runs);
    f("resident", p.resident), f("whole_runs", p.whole_runs), f("waves_per_simd", p.waves_per_simd),
        f("ahead", p.ahead), f("staged", p.staged), f("rows_of_wave", p.rows_of_wave);
}

}  // namespace FADE_NAMESPACE

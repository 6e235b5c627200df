// How many workgroups to launch for a number of tiles, and how well they fill the device.
#pragma once
#include <cstdint>
#include <fade/device/plan/occupancy.hpp>

namespace FADE_NAMESPACE {

/// A launch of a kernel over tiles, and how it fills the device.
struct grid_plan {
    std::uint64_t workgroups = 0;  ///< to launch
    std::uint64_t resident = 0;    ///< that run at the same time
    std::uint64_t rounds = 0;      ///< of resident workgroups
    double fill = 0;               ///< share of the resident places that have work, over all rounds
};

/// One workgroup per tile, or as many as are resident where a persistent kernel loops over tiles.
inline grid_plan plan_grid(const scheduling_unit& u, const occupancy& o, std::uint64_t tiles,
                           bool persistent = false) {
    grid_plan g;
    g.resident = u.count * o.workgroups_per_unit;
    if (tiles == 0) return g;
    if (g.resident == 0)
        throw error("workgroups_per_unit", "0", "the kernel does not fit on this device: " + o.limit);
    g.workgroups = persistent ? std::min(tiles, g.resident) : tiles;
    g.rounds = (tiles + g.resident - 1) / g.resident;
    g.fill = double(tiles) / (double(g.rounds) * double(g.resident));
    return g;
}

}  // namespace FADE_NAMESPACE

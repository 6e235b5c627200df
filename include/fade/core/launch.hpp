// What a kernel asks of the machine that launches it.
#pragma once
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

/// What a workgroup of a kernel needs. A kernel entry is a type with `arguments` (trivially copyable, passed
/// by value), `static constexpr launch_shape shape()`, a template of the architecture that it is compiled
/// for, and `static void run(block, arguments)`, a template of the workgroup.
struct launch_shape {
    int waves;               ///< of a workgroup
    int shared_bytes;        ///< of a workgroup
    int waves_per_simd = 1;  ///< occupancy to keep registers for
    bool awaits = false;     ///< run() calls block.await_inputs() itself, once it has done what needs only
                             ///< arguments; else it is called before run()
    int producers = 0;       ///< waves beside those, which bring what those read (block/roles.hpp)
    int cluster = 1;  ///< neighbours in x that are launched together and reach each other's shared memory

    /// Of a workgroup, as hardware launches it.
    constexpr int all_waves() const { return waves + producers; }
};

/// Workgroups in x, y and z.
struct grid_shape {
    int x = 1;  ///< block.id_x() is below it
    int y = 1;  ///< block.id_y() is below it
    int z = 1;  ///< block.id_z() is below it
    /// Neighbours in x that are launched together, where the launch decides it; 0: as many as the shape says.
    int cluster = 0;
};

/// The shape with the clusters that a launch asks for.
constexpr launch_shape launched_as(launch_shape shape, const grid_shape& grid) {
    if (grid.cluster > 0) shape.cluster = grid.cluster;
    return shape;
}

}  // namespace FADE_NAMESPACE

// One launch, decided but not made.
#pragma once
#include <cstddef>
#include <fade/arch/launch_limits.hpp>
#include <fade/core/launch.hpp>
#include <fade/device/run_on.hpp>
#include <vector>

namespace FADE_NAMESPACE {

/// One launch as the driver will see it. `entry` identifies the kernel to the vendor's runtime; null on this
/// CPU.
struct planned_launch {
    const void* entry = nullptr;  ///< the kernel
    int grid[3] = {1, 1, 1};      ///< workgroups in x, y and z
    int block[3] = {1, 1, 1};     ///< threads of a workgroup
    int dynamic_lds = 0;  ///< shared memory that the launch asks for; kernels of AMD GPUs declare theirs
    int cluster = 1;      ///< workgroups, neighbours in x, that the launch asks for together (NVIDIA Hopper)
    std::vector<std::byte> kernarg;  ///< the arguments, as they are copied
};

namespace detail {

template <class Entry, class Device>
launch_shape shape_on(const Device& device) {
    if constexpr (requires { typename Device::arch; })
        return Entry::template shape<typename Device::arch>();
    else
        return device.template shape_of<Entry>();
}

/// What a device makes of a shape: for all entries, so that their architectures are looked up by one code.
template <class Device>
void plan_shape(const Device& device, const launch_shape& shape, const grid_shape& grid,
                planned_launch& out) {
    out.grid[0] = grid.x, out.grid[1] = grid.y, out.grid[2] = grid.z;
    with_arch_of(device, [&](auto arch) {
        out.block[0] = shape.all_waves() * arch.traits.wave_size;
        out.dynamic_lds = arch::dynamic_shared_bytes(arch.traits, shape);
    });
    out.cluster = launched_as(shape, grid).cluster;
}

}  // namespace detail

/// The launch of an entry on a device, or on the architecture of one that is not here.
template <class Entry, class Device>
planned_launch plan_launch(const Device& device, grid_shape grid, const typename Entry::arguments& args) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&args);
    planned_launch out{.kernarg = std::vector<std::byte>(bytes, bytes + sizeof args)};
    detail::plan_shape(device, detail::shape_on<Entry>(device), grid, out);
    out.entry = entry_address<Entry>(device);
    return out;
}

}  // namespace FADE_NAMESPACE

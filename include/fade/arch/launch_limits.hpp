// What an architecture can launch: the same check on GPUs and where they are emulated.
#pragma once
#include <cstdint>
#include <fade/arch/traits.hpp>
#include <fade/core/error.hpp>
#include <fade/core/launch.hpp>
#include <string>

namespace FADE_NAMESPACE::arch {

/// Lanes of a workgroup, at most, on all GPUs that FADE knows (HIP's and CUDA's maxThreadsPerBlock).
inline constexpr int max_lanes = 1024;

constexpr int max_waves(const arch_traits& t) {
    return t.family == family::host ? 1 : max_lanes / t.wave_size;
}

/// Can a workgroup of this shape exist there? An occupancy is a budget of registers; the host has none.
constexpr bool fits(const arch_traits& t, const launch_shape& shape) {
    return shape.waves >= 1 && shape.all_waves() <= max_waves(t) && shape.shared_bytes >= 0 &&
           shape.shared_bytes <= t.lds_per_workgroup &&
           (t.family == family::host ||
            (shape.waves_per_simd >= 1 && shape.waves_per_simd <= t.waves_per_simd));
}

/// Shared memory that the launch has to ask for, beside what a kernel declares itself: all of it on NVIDIA
/// GPUs, whose kernels cannot declare more than 48 KiB; none on AMD's and on the host.
constexpr int dynamic_shared_bytes(const arch_traits& t, const launch_shape& shape) {
    return t.family == family::nvidia ? shape.shared_bytes : 0;
}

/// Workgroups in x, at most: HIP counts lanes in 32 bits, CUDA workgroups in 31.
constexpr std::int64_t max_groups(const arch_traits& t, const launch_shape& shape) {
    const std::int64_t groups = (std::int64_t(1) << 31) - 1;
    const std::int64_t lanes = std::int64_t(shape.all_waves()) * t.wave_size, all_lanes = 0xffffffff;
    if (t.family == family::host || t.family == family::nvidia || all_lanes / lanes > groups) return groups;
    return all_lanes / lanes;
}
/// The same in y and z, as HIP and CUDA say it.
inline constexpr int max_layers = 65535;

namespace detail {

inline void check_grid(const arch_traits& t, const char* axis, int groups, std::int64_t max) {
    if (groups < 1 || groups > max)
        throw error(axis, std::to_string(groups),
                    "a launch on " + std::string(t.name) + " has 1 to " + std::to_string(max) +
                        " workgroups along it");
}

inline void check_shape(const arch_traits& t, const launch_shape& shape) {
    const std::string name(t.name);
    if (shape.waves < 1 || shape.all_waves() > max_waves(t))
        throw error("waves", std::to_string(shape.all_waves()),
                    "a workgroup of " + name + " has 1 to " + std::to_string(max_waves(t)) + " waves of " +
                        std::to_string(t.wave_size) + " lanes");
    if (shape.shared_bytes < 0 || shape.shared_bytes > t.lds_per_workgroup)
        throw error("shared_bytes", std::to_string(shape.shared_bytes),
                    "a workgroup of " + name + " has at most " + std::to_string(t.lds_per_workgroup) +
                        " bytes of shared memory: take smaller tiles or fewer stages");
    if (!fits(t, shape))
        throw error("waves_per_simd", std::to_string(shape.waves_per_simd),
                    "a SIMD of " + name + " keeps registers for 1 to " + std::to_string(t.waves_per_simd) +
                        " waves");
}

}  // namespace detail

/// Refuses a launch that the architecture could not run.
inline void check_launch(const arch_traits& t, const launch_shape& shape, const grid_shape& grid) {
    detail::check_shape(t, shape);
    detail::check_grid(t, "grid.x", grid.x, max_groups(t, shape));
    if (grid.x % shape.cluster != 0)
        throw error("grid.x", std::to_string(grid.x),
                    "workgroups come in whole clusters of " + std::to_string(shape.cluster));
    detail::check_grid(t, "grid.y", grid.y, max_layers);
    detail::check_grid(t, "grid.z", grid.z, max_layers);
}

}  // namespace FADE_NAMESPACE::arch

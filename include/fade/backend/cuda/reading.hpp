// What the CUDA runtime says of one of its devices, as a plain reading.
#pragma once
#include <cstdint>
#include <cuda_runtime_api.h>
#include <fade/backend/device_reading.hpp>
#include <fade/core/error.hpp>

namespace FADE_NAMESPACE::backend::cuda {

namespace detail {

/// Attributes are the same in every version of the toolkit; the struct of properties is not.
inline number attribute(cudaDeviceAttr which, int ordinal) {
    int value = 0;
    return cudaDeviceGetAttribute(&value, which, ordinal) == cudaSuccess && value >= 0
               ? number(std::uint64_t(value))
               : number();
}

}  // namespace detail

/// The reading of device `ordinal`. A multiprocessor is the unit that workgroups are scheduled to; nothing is
/// corrected.
inline device_reading read_device(int ordinal) {
    cudaDeviceProp p{};
    if (const auto status = cudaGetDeviceProperties(&p, ordinal); status != cudaSuccess)
        throw error("cudaGetDeviceProperties", "refused", cudaGetErrorString(status));
    const auto get = [&](cudaDeviceAttr which) { return detail::attribute(which, ordinal); };
    device_reading r;
    r.name = p.name, r.total_memory = p.totalGlobalMem;
    r.multiprocessors = get(cudaDevAttrMultiProcessorCount),
    r.threads_per_multiprocessor = get(cudaDevAttrMaxThreadsPerMultiProcessor),
    r.threads_per_block = get(cudaDevAttrMaxThreadsPerBlock);
    r.warp_size = get(cudaDevAttrWarpSize), r.major = get(cudaDevAttrComputeCapabilityMajor),
    r.minor = get(cudaDevAttrComputeCapabilityMinor), r.integrated = get(cudaDevAttrIntegrated);
    r.registers_per_block = get(cudaDevAttrMaxRegistersPerBlock),
    r.registers_per_multiprocessor = get(cudaDevAttrMaxRegistersPerMultiprocessor);
    r.shared_per_block = get(cudaDevAttrMaxSharedMemoryPerBlock),
    r.shared_per_block_optin = get(cudaDevAttrMaxSharedMemoryPerBlockOptin),
    r.shared_per_multiprocessor = get(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    r.l2_bytes = get(cudaDevAttrL2CacheSize), r.bus_bits = get(cudaDevAttrGlobalMemoryBusWidth);
    r.clock_khz = get(cudaDevAttrClockRate), r.memory_clock_khz = get(cudaDevAttrMemoryClockRate);
    r.pci_domain = get(cudaDevAttrPciDomainId), r.pci_bus = get(cudaDevAttrPciBusId),
    r.pci_device = get(cudaDevAttrPciDeviceId);
    return r;
}

}  // namespace FADE_NAMESPACE::backend::cuda

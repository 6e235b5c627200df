// What the HIP runtime says of one of its devices, as a plain reading.
#pragma once
#include <cstdint>
#include <fade/backend/device_reading.hpp>
#include <fade/backend/hip/runtime.hpp>

namespace FADE_NAMESPACE::backend::hip {

namespace detail {

/// An attribute, or nothing where this version of the runtime has none of it.
inline number attribute(hipDeviceAttribute_t which, int ordinal) {
    int value = 0;
    if (hipDeviceGetAttribute(&value, which, ordinal) == hipSuccess && value >= 0)
        return std::uint64_t(value);
    static_cast<void>(hipGetLastError());  // a refused question is no error of the program
    return {};
}

}  // namespace detail

/// The reading of device `ordinal`. Counts are in the runtime's own unit, whatever that is.
inline device_reading read_device(int ordinal) {
    hipDeviceProp_t p{};
    check(hipGetDeviceProperties(&p, ordinal), "hipGetDeviceProperties");
    const auto get = [&](hipDeviceAttribute_t which) { return detail::attribute(which, ordinal); };
    device_reading r;
    r.name = p.name, r.target = p.gcnArchName;
    r.multiprocessors = p.multiProcessorCount, r.threads_per_multiprocessor = p.maxThreadsPerMultiProcessor,
    r.threads_per_block = p.maxThreadsPerBlock;
    r.warp_size = p.warpSize, r.major = p.major, r.minor = p.minor, r.integrated = p.integrated;
    r.registers_per_block = p.regsPerBlock,
    r.registers_per_multiprocessor = get(hipDeviceAttributeMaxRegistersPerMultiprocessor);
    r.shared_per_block = p.sharedMemPerBlock,
    r.shared_per_multiprocessor = p.maxSharedMemoryPerMultiProcessor;
    r.l2_bytes = p.l2CacheSize, r.total_memory = p.totalGlobalMem;
    r.clock_khz = p.clockRate, r.memory_clock_khz = p.memoryClockRate, r.bus_bits = p.memoryBusWidth;
    r.pci_domain = p.pciDomainID, r.pci_bus = p.pciBusID, r.pci_device = p.pciDeviceID;
    return r;
}

/// Compute units by the runtime alone. It counts work-group processors of two where its limit of threads is
/// that of two.
template <class Arch>
int compute_units(const device_reading& said) {
    const auto& t = Arch::traits;
    const bool pairs =
        t.wave_size == 32 && said.threads_per_multiprocessor.value_or(0) >
                                 std::uint64_t(t.simds_per_cu * t.waves_per_simd * t.wave_size);
    return int(said.multiprocessors.value_or(1)) * (pairs ? 2 : 1);
}

}  // namespace FADE_NAMESPACE::backend::hip

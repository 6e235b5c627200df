// What a vendor's runtime says of one device, in plain words and numbers: absent is not zero.
#pragma once
#include <cstdint>
#include <fade/core/namespace.hpp>
#include <optional>
#include <string>

namespace FADE_NAMESPACE::backend {

using number = std::optional<std::uint64_t>;
using word = std::optional<std::string>;

/// One device as a runtime (HIP, CUDA) or a framework above it reports it. Bytes, kHz and bits.
struct device_reading {
    word name;               ///< the marketing name
    word target;             ///< the architecture, with or without features: gfx90a:sramecc+:xnack-
    number multiprocessors;  ///< in whatever unit the runtime counts
    number threads_per_multiprocessor, blocks_per_multiprocessor, threads_per_block;
    number warp_size, major, minor, integrated;
    number registers_per_block, registers_per_multiprocessor;
    number shared_per_block, shared_per_block_optin, shared_per_multiprocessor;
    number l2_bytes, total_memory, free_memory;
    number clock_khz, memory_clock_khz, bus_bits;
    number pci_domain, pci_bus, pci_device;
};

}  // namespace FADE_NAMESPACE::backend

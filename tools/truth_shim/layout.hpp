// Where the answers lie in the two property structs of the HIP runtime, and the numbers of the attributes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fade::shim {

/// Byte offsets within a version of the struct; 0: this version has no such field.
struct layout {
    const char* name;
    std::size_t total_memory, registers_per_block, warp_size, multiprocessors, threads, shared, registers, l2,
        target, shared_too;
};

/// Sources: hip_runtime_api.h of HIP 5 (792 bytes) and, with the R0600 suffix, of HIP 6 and 7 (1472 bytes).
inline constexpr layout old_layout{"hipGetDeviceProperties", 256, 272, 276, 336, 344, 376, 0, 340, 396, 0};
inline constexpr layout new_layout{
    "hipGetDevicePropertiesR0600", 288, 304, 308, 388, 624, 640, 648, 616, 1160, 1416};

/// hipDeviceAttribute_t, whose numbers have not changed since HIP 5.
enum attribute {
    l2_size = 19,
    threads_per_multiprocessor = 57,
    multiprocessor_count = 63,
    pci_bus = 67,
    pci_device = 68,
    pci_domain = 69,
    registers_per_multiprocessor = 72,
    shared_per_multiprocessor = 76,
    warp_size = 87,
    shared_per_multiprocessor_too = 10002
};

template <class T>
T get(const void* struct_, std::size_t offset) {
    T value;
    std::memcpy(&value, static_cast<const char*>(struct_) + offset, sizeof value);
    return value;
}

template <class T>
void put(void* struct_, std::size_t offset, T value) {
    std::memcpy(static_cast<char*>(struct_) + offset, &value, sizeof value);
}

}  // namespace fade::shim

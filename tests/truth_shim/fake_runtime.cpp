// A HIP runtime of version 6 reduced to its answers, for the shim to stand before: a 7900 XTX that counts
// WGPs and found no L2.
#include "truth_shim/layout.hpp"
#include <cstdint>
#include <cstring>

using namespace fade::shim;

extern "C" int hipDeviceGetAttribute(int* value, int which, int device) {
    if (device != 0) return 101;
    const int known[][2] = {{multiprocessor_count, 48},
                            {warp_size, 32},
                            {l2_size, 0},
                            {threads_per_multiprocessor, 2048},
                            {pci_bus, 3},
                            {pci_device, 0},
                            {pci_domain, 0}};
    for (const auto& [number, answer] : known)
        if (which == number) *value = answer;
    return 0;
}

extern "C" int hipGetDevicePropertiesR0600(void* p, int device) {
    if (device != 0) return 101;
    std::memset(p, 0, 1472);
    std::strcpy(static_cast<char*>(p) + new_layout.target, "gfx1100");
    put(p, new_layout.multiprocessors, 48), put(p, new_layout.threads, 2048),
        put(p, new_layout.warp_size, 32), put(p, new_layout.l2, 0);
    put(p, new_layout.shared, std::uint64_t(65536)), put(p, new_layout.registers, 65536);
    int asked = 0;  // through the PLT, and so through what stands before this runtime
    return hipDeviceGetAttribute(&asked, multiprocessor_count, device) == 0 && asked == 48 ? 0 : 1;
}

// The shim's offsets and numbers against HIP's own headers. Prints the structs that these headers have.
#include "truth_shim/layout.hpp"
#include <cstddef>
#include <cstdio>
#include <hip/hip_runtime_api.h>

namespace {

using fade::shim::layout;

template <class Struct>
constexpr layout layout_of(const char* name) {
    return {name,
            offsetof(Struct, totalGlobalMem),
            offsetof(Struct, regsPerBlock),
            offsetof(Struct, warpSize),
            offsetof(Struct, multiProcessorCount),
            offsetof(Struct, maxThreadsPerMultiProcessor),
            0,
            0,
            offsetof(Struct, l2CacheSize),
            offsetof(Struct, gcnArchName),
            0};
}

bool same(const layout& a, const layout& b) {
    return a.total_memory == b.total_memory && a.registers_per_block == b.registers_per_block &&
           a.warp_size == b.warp_size && a.multiprocessors == b.multiprocessors && a.threads == b.threads &&
           a.shared == b.shared && a.registers == b.registers && a.l2 == b.l2 && a.target == b.target &&
           a.shared_too == b.shared_too;
}

int judged(const layout& headers, const layout& shim) {
    const bool good = same(headers, shim);
    std::printf("%s %s\n", shim.name, good ? "right" : "wrong");
    return !good;
}

template <class Struct>
int judge_old() {
    layout l = layout_of<Struct>("hipGetDeviceProperties");
    l.shared = offsetof(Struct, maxSharedMemoryPerMultiProcessor);
    return judged(l, fade::shim::old_layout);
}

#if HIP_VERSION_MAJOR >= 6
int judge() {
    using now = hipDeviceProp_tR0600;
    layout l = layout_of<now>("hipGetDevicePropertiesR0600");
    l.shared = offsetof(now, sharedMemPerMultiprocessor), l.registers = offsetof(now, regsPerMultiprocessor),
    l.shared_too = offsetof(now, maxSharedMemoryPerMultiProcessor);
    return judged(l, fade::shim::new_layout) + judge_old<hipDeviceProp_tR0000>();
}
#else
int judge() { return judge_old<hipDeviceProp_t>(); }
#endif

int numbers() {
    using namespace fade::shim;
    const int pairs[][2] = {
        {l2_size, hipDeviceAttributeL2CacheSize},
        {threads_per_multiprocessor, hipDeviceAttributeMaxThreadsPerMultiProcessor},
        {multiprocessor_count, hipDeviceAttributeMultiprocessorCount},
        {pci_bus, hipDeviceAttributePciBusId},
        {pci_device, hipDeviceAttributePciDeviceId},
        {pci_domain, hipDeviceAttributePciDomainID},
        {warp_size, hipDeviceAttributeWarpSize},
        {shared_per_multiprocessor_too, hipDeviceAttributeMaxSharedMemoryPerMultiprocessor}};
    int wrong = 0;
    for (const auto& [shim, headers] : pairs) wrong += shim != headers;
    std::printf("attributes %s\n", wrong ? "wrong" : "right");
    return wrong;
}

}  // namespace

int main() { return judge() + numbers(); }

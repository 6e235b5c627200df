// How devices of this object's kind are counted and opened.
#include "../error.hpp"
#include "device.hpp"

namespace fade::c {
namespace {

#if defined(FADE_C_ARCH)
int count() { return 1; }
std::shared_ptr<void> open(int, void*, const device_config& c) {
    emulation_options o;
    if (c.threads) o.threads = c.threads;
    if (c.compute_units) o.compute_units = c.compute_units;
    return std::make_shared<device>(o);
}
#elif defined(__HIP__)
int count() {
    int n = 0;
    return hipGetDeviceCount(&n) == hipSuccess ? n : 0;
}
std::shared_ptr<void> open(int ordinal, void* stream, const device_config& c) {
    return std::make_shared<device>(ordinal, static_cast<hipStream_t>(stream), c.compute_units);
}
#elif defined(__CUDACC__)
int count() {
    int n = 0;
    return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0;
}
std::shared_ptr<void> open(int ordinal, void* stream, const device_config&) {
    return std::make_shared<device>(ordinal, static_cast<cudaStream_t>(stream));
}
#else
int count() { return 1; }
std::shared_ptr<void> open(int, void*, const device_config& c) {
    return c.threads ? std::make_shared<device>(c.threads) : std::make_shared<device>();
}
#endif

const bool added = [] {
    backend& b = backend_of(kind_name<device>());
    b.count = count, b.open = open;
    return true;
}();

}  // namespace
}  // namespace fade::c

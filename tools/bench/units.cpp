#include "units.hpp"
#include <algorithm>
#include <fade/device.hpp>
#include <fade/device/emulated_device.hpp>
#if FADE_BENCH_HIP
#include <fade/backend/hip/reading.hpp>
#endif
#if FADE_BENCH_CUDA
#include <fade/backend/cuda/reading.hpp>
#endif

namespace fade::bench {
namespace {

std::uint64_t last_cache_in(const device_description& d) {
    return std::max({d.traits.l2_bytes_total.value.value_or(0), d.traits.l3_bytes.value.value_or(0),
                     d.traits.l3_bytes_shared_by_package.value.value_or(0)});
}

}  // namespace

int units_of_gpu([[maybe_unused]] int device) {
#if FADE_BENCH_HIP
    return selector_units(backend::hip::read_device(device));
#else
    return 0;
#endif
}

int units_of_arch(std::string_view arch) try { return largest_units(arch); } catch (const error&) {
    return emulation_options{}.compute_units;
}

std::uint64_t last_cache_of(const std::string& kind, [[maybe_unused]] int device) {
    if (kind == "host") return last_cache_in(live::describe_cpu());
#if FADE_BENCH_HIP
    if (kind == "hip")
        return last_cache_in(describe_joined(backend::hip::read_device(device), live::read_machine()));
#endif
#if FADE_BENCH_CUDA
    if (kind == "cuda") return backend::cuda::read_device(device).l2_bytes.value_or(0);
#endif
    return 0;
}

}  // namespace fade::bench

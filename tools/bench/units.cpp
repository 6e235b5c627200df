#include "units.hpp"
#include <fade/device.hpp>
#include <fade/device/emulated_device.hpp>
#if FADE_BENCH_HIP
#include <fade/backend/hip/reading.hpp>
#endif

namespace fade::bench {

int units_of_gpu([[maybe_unused]] int device) {
#if FADE_BENCH_HIP
    return selector_units(backend::hip::read_device(device));
#else
    return 0;
#endif
}

int units_of_arch(std::string_view arch) try {
    return largest_units(arch);
} catch (const error&) {
    return emulation_options{}.compute_units;
}

}  // namespace fade::bench

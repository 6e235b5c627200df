// The steps of a quantisation as something a device can launch.
#pragma once
#include <fade/core/launch.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/quantize/quantize.hpp>

namespace FADE_NAMESPACE::tune {

enum class quantize_step { largest, factors, elements };

template <class Out, class In, quantize_step Step>
struct quantize_entry {
    using arguments = kernel::quantize_arguments<Out, In>;
    template <class Arch>
    static constexpr launch_shape shape() {
        const int waves = Arch::traits.wave_size == 1 ? 1 : 256 / Arch::traits.wave_size;
        return {.waves = waves,
                .shared_bytes = max_of(16, block::lane_reduction_bytes(waves * Arch::traits.wave_size))};
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        if constexpr (Step == quantize_step::largest)
            kernel::largest_body(block, args);
        else if constexpr (Step == quantize_step::factors)
            kernel::factors_body(block, args);
        else
            kernel::elements_body(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune

// Values of other lanes of a wave.
#pragma once
#include <fade/core/config.hpp>
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE::backend::hip {

/// The value of lane ^ mask. Across 16 lanes of a wave32 it is a vector instruction, elsewhere it passes
/// through the LDS crossbar.
template <int WaveSize>
__device__ inline __attribute__((always_inline)) float exchange(float value, int lane, int mask) {
    const auto bits = __builtin_bit_cast(unsigned, value);
    if constexpr (WaveSize == 32)
        if (mask == 16)
            return __builtin_bit_cast(
                float, __builtin_amdgcn_permlanex16(bits, bits, 0x76543210u, 0xfedcba98u, false, false));
    return __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute((lane ^ mask) * 4, int(bits)));
}

}  // namespace FADE_NAMESPACE::backend::hip

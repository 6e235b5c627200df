// Values of other lanes of a wave.
#pragma once
#include <fade/core/config.hpp>

namespace fade::backend::hip {

/// The value of lane ^ mask. Across 16 lanes of a wave32 it is a vector instruction, elsewhere it passes through the LDS crossbar.
template <int WaveSize>
__device__ inline __attribute__((always_inline)) float exchange(float value, int lane, int mask) {
    const int bits = __builtin_bit_cast(int, value);
    if constexpr (WaveSize == 32)
        if (mask == 16) return __builtin_bit_cast(float, __builtin_amdgcn_permlanex16(bits, bits, 0x76543210, int(0xfedcba98), false, false));
    return __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute((lane ^ mask) * 4, bits));
}

}  // namespace fade::backend::hip

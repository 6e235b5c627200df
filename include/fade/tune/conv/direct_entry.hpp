// Direct convolutions as something a device can launch.
#pragma once
#include <fade/core/launch.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/conv/direct.hpp>

namespace FADE_NAMESPACE::tune {

/// Channels that an item has at once: 16 bytes of them, or on a CPU as many as its vectors like.
template <class In, bool OnHost>
inline constexpr int direct_run = OnHost ? 8 : 16 / int(sizeof(In));

/// A `Run` of 1 reads channels at any distance.
template <class In, class Out, conv_pass Pass, int Run, class Epilogue>
struct direct_entry {
    using arguments = kernel::direct_arguments<In, Out, Epilogue>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = Arch::traits.wave_size == 1 ? 1 : 256 / Arch::traits.wave_size,
                .shared_bytes = 16,
                .waves_per_simd = Arch::traits.wave_size == 64 ? 4 : 8};
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        using leaf = kernel::direct_leaf<Pass, Run>;
        if constexpr (Block::wave_size == 1)
            atom::with_vectors<leaf>(&block, &args);
        else
            leaf::template apply<16>(&block, &args);
    }
};

}  // namespace FADE_NAMESPACE::tune

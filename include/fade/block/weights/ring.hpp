// Where packed words of weights wait in shared memory until the lane that asked for them makes numbers of
// them.
#pragma once
#include <fade/block/weights/numbers.hpp>

namespace FADE_NAMESPACE::block {

/// Do copies of 16, 8 and 4 bytes bring all that a lane reads of a patch?
template <weight_format Format, class Patch>
inline constexpr bool is_copied =
    Patch::width == 4 && weight_words<Format, Patch>::scale_bytes >= 4 &&
    (Format.zero == weight_zero::none || weight_words<Format, Patch>::zero_bytes >= 4);

/// A step of a ring: words of `Patches` patches of each of `Slices` slices, with scales and zeros of `Scales`
/// of these; of each copy that of lane after lane, so that lanes touch different banks. No lane reads what
/// another asked for.
template <weight_format Format, class Patch, int Patches, int Slices, int Scales, int Threads>
struct weight_ring {
    using packed = weight_words<Format, Patch>;
    static constexpr int word_bytes = Patch::width * 4, scale_bytes = packed::scale_bytes,
                         zero_bytes = Format.zero == weight_zero::none ? 0 : packed::zero_bytes,
                         all_words = Slices * Patches * Patch::loads * word_bytes * Threads,
                         all_scales = Scales * Patches * scale_bytes * Threads,
                         bytes = all_words + all_scales + Scales * Patches * zero_bytes * Threads;

    FADE_FN static constexpr std::uint32_t word(int lane, int slice, int patch, int load) {
        return std::uint32_t((((slice * Patches + patch) * Patch::loads + load) * Threads + lane) *
                             word_bytes);
    }
    FADE_FN static constexpr std::uint32_t scale(int lane, int slice, int patch) {
        return std::uint32_t(all_words + ((slice * Patches + patch) * Threads + lane) * scale_bytes);
    }
    FADE_FN static constexpr std::uint32_t zero(int lane, int slice, int patch) {
        return std::uint32_t(all_words + all_scales +
                             ((slice * Patches + patch) * Threads + lane) * zero_bytes);
    }
};

}  // namespace FADE_NAMESPACE::block

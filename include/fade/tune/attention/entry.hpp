// Attention as something a device can launch.
#pragma once
#include <fade/core/launch.hpp>
#include <fade/kernel/attention/body.hpp>
#include <fade/kernel/attention/gather.hpp>
#include <fade/kernel/attention/panels.hpp>
#include <fade/tune/attention/rows.hpp>

namespace fade::tune {

/// plain: full, causal and padded attention; general: every rule.
enum class attention_variant { plain, general };

constexpr const char* name(attention_variant v) { return v == attention_variant::plain ? "plain" : "general"; }

template <class In, class Out, int HeadClass, attention_variant Variant>
struct attention_entry {
    using arguments = kernel::attention_arguments<In, Out>;
    template <class Arch>
    static constexpr attention_policy policy = attention_row<Arch, In>(HeadClass);
    /// Does the architecture have room for this head dimension?
    template <class Arch>
    static constexpr bool exists = policy<Arch>.waves > 0;

    template <class Arch>
    static constexpr launch_shape shape() {
        if constexpr (exists<Arch>) return {.waves = policy<Arch>.waves, .shared_bytes = kernel::attention_traits<Arch, In, policy<Arch>>::shared_bytes, .waves_per_simd = policy<Arch>.waves_per_simd};
        else return {.waves = 1, .shared_bytes = 16};
    }

    template <class Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        using enum block::memory_order;
        using arch = typename Block::arch;
        if constexpr (!exists<arch>) return;   // refused before the launch
        else if constexpr (kernel::attends_by_panels<arch, In>) kernel::attention_on_panels<policy<arch>>(block, args);
        else if constexpr (Variant == attention_variant::plain) kernel::attention_body<policy<arch>, k_contiguous, row_contiguous>(block, args);
        else kernel::general_attention_body<policy<arch>, k_contiguous, row_contiguous>(block, args);
    }
};

/// Copies a tensor that the kernels above cannot read as it lies.
template <class T>
struct gather_entry {
    using arguments = kernel::gather_arguments<T>;
    template <class Arch>
    static constexpr launch_shape shape() { return {.waves = Arch::traits.wave_size == 1 ? 1 : 256 / Arch::traits.wave_size, .shared_bytes = 16}; }
    template <class Block>
    FADE_FN static void run(Block& block, const arguments& args) { kernel::gather_body(block, args); }
};

}  // namespace fade::tune

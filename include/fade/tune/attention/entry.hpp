// Attention as something a device can launch.
#pragma once
#include <fade/core/launch.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/attention/decode/body.hpp>
#include <fade/kernel/attention/gather.hpp>
#include <fade/kernel/attention/panels.hpp>
#include <fade/kernel/attention/warpgroup/body.hpp>
#include <fade/tune/attention/rows.hpp>

namespace FADE_NAMESPACE::tune {

template <class In, class Out, attention_variant Variant, class Rule>
using attention_arguments_of =
    std::conditional_t<Variant == attention_variant::tma, kernel::tma_arguments<In, Out>,
                       kernel::attention_arguments<In, Out, Rule>>;

template <class Arch, class In, attention_policy Policy>
constexpr int attention_shared_bytes() {
    if constexpr (Policy.by_warpgroup())
        return kernel::warpgroup_traits<Arch, In, Policy>::shared_bytes;
    else
        return kernel::attention_traits<Arch, In, Policy>::shared_bytes;
}

template <class Arch, class In, attention_policy Policy>
constexpr launch_shape attention_shape() {
    return {.waves = Policy.waves,
            .shared_bytes = attention_shared_bytes<Arch, In, Policy>(),
            .waves_per_simd = Policy.waves_per_simd,
            .awaits = Policy.by_warpgroup()};
}

template <attention_policy Policy, attention_variant Variant, matrix_workgroup Block, class Arguments>
FADE_FN void run_warpgroup_attention(Block& block, const Arguments& args) {
    if constexpr (without_rules(Variant))
        kernel::warpgroup_attention_body<Policy>(block, args);
    else if constexpr (Variant == attention_variant::general)
        kernel::general_warpgroup_attention_body<Policy>(block, args);
    else
        kernel::decode_warpgroup_attention_body<Policy>(block, args);
}

/// The kernel of a policy and a variant, on a GPU.
template <attention_policy Policy, attention_variant Variant, workgroup Block, class Arguments>
FADE_FN void run_attention(Block& block, const Arguments& args) {
    if constexpr (Policy.by_warpgroup())
        run_warpgroup_attention<Policy, Variant>(block, args);
    else if constexpr (Variant == attention_variant::plain)
        kernel::attention_body<Policy>(block, args);
    else if constexpr (Variant == attention_variant::general)
        kernel::general_attention_body<Policy>(block, args);
    else
        kernel::decode_attention_body<Policy>(block, args);
}

/// By the table's policies.
template <class In, class Out, int HeadClass, attention_variant Variant, attention_rule Rule = no_rule>
struct attention_entry {
    using arguments = attention_arguments_of<In, Out, Variant, Rule>;
    template <class Arch>
    static constexpr attention_policy policy = attention_row<Arch, In>(HeadClass, Variant);
    /// Does the architecture have room for this head dimension? The decoding kernel always has.
    template <class Arch>
    static constexpr bool exists = policy<Arch>.waves > 0;

    template <class Arch>
    static constexpr launch_shape shape() {
        if constexpr (exists<Arch>)
            return attention_shape<Arch, In, policy<Arch>>();
        else
            return {.waves = 1, .shared_bytes = 16};
    }

    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        using arch = typename Block::arch;
        if constexpr (!exists<arch>)
            return;  // the selector takes the decoding kernel
        else if constexpr (kernel::attends_by_panels<arch, In>)
            kernel::attention_on_panels<policy<arch>>(block, args);
        else
            run_attention<policy<arch>, Variant>(block, args);
    }
};

/// Combines what workgroups that shared keys have found.
template <class Args>
struct split_combine_entry {
    using arguments = Args;
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = Arch::traits.wave_size == 1 ? 1 : 128 / Arch::traits.wave_size,
                .shared_bytes = kernel::bytes_to_combine(128),
                .awaits = true};
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::combine_splits(block, args);
    }
};

/// Copies a tensor that the kernels above cannot read as it lies.
template <class T>
struct gather_entry {
    using arguments = kernel::gather_arguments<T>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = Arch::traits.wave_size == 1 ? 1 : 256 / Arch::traits.wave_size, .shared_bytes = 16};
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::gather_body(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune

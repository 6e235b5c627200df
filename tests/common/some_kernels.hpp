// Emulated devices with some of attention's kernels: each costs the compiler a second, and few tests call all
// of them.
#pragma once
#include <fade/attention.hpp>

namespace fade::test {

/// The kernels of the padded head dimensions from `min` to `max`.
struct attention_kernels {
    int min, max;
    bool plain = true, general = true, decode = true;
    constexpr bool hold(int head_class, tune::attention_variant v) const {
        return min <= head_class && head_class <= max &&
               (tune::without_rules(v)                  ? plain
                : v == tune::attention_variant::general ? general
                                                        : decode);
    }
};

/// What copies and combines is held always.
template <class Entry, attention_kernels Some>
inline constexpr bool is_held = true;
template <class In, class Out, int Class, tune::attention_variant Variant, class Rule, attention_kernels Some>
inline constexpr bool is_held<tune::attention_entry<In, Out, Class, Variant, Rule>, Some> =
    Some.hold(Class, Variant);

/// Refuses what it lacks, so that a test which asks for more than it said fails.
template <class Arch, attention_kernels Some>
struct some_kernels : emulated_device<Arch> {
    using emulated_device<Arch>::emulated_device;
    template <class Entry>
    void launch(grid_shape grid, const typename Entry::arguments& args) {
        if constexpr (is_held<Entry, Some>)
            emulated_device<Arch>::template launch<Entry>(grid, args);
        else
            throw error("the kernel", "not on the device of this test", "name it in its attention_kernels");
    }
};

}  // namespace fade::test

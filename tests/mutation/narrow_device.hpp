// An emulated device with a few kernels of attention only, since each costs seconds to compile.
#pragma once
#include "attention_cases.hpp"

namespace fade::test {

/// Which kernels a program needs: of one padded head dimension, those that decode or the others.
struct kernels_wanted {
    int head_class;
    bool decoding;
};

template <class Entry, kernels_wanted Which>
inline constexpr bool wanted = true;
template <class In, class Out, int Class, tune::attention_variant Variant, class Rule, kernels_wanted Which>
inline constexpr bool wanted<tune::attention_entry<In, Out, Class, Variant, Rule>, Which> =
    Class == Which.head_class && (Variant == tune::attention_variant::decode) == Which.decoding;

/// What it lacks it does not launch, so the result is wrong.
template <class Arch, kernels_wanted Which>
struct narrow_device : emulated_device<Arch> {
    using emulated_device<Arch>::emulated_device;
    template <class Entry>
    void launch(grid_shape grid, const typename Entry::arguments& args) {
        if constexpr (wanted<Entry, Which>) emulated_device<Arch>::template launch<Entry>(grid, args);
    }
};

}  // namespace fade::test

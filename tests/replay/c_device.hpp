// The device of the libfade that tests/replay/c_interface.cpp calls: with the kernels that it launches.
#pragma once
#include "held_device.hpp"
#include <fade/attention.hpp>
#include <fade/gemm.hpp>

namespace fade::replay {

template <class Entry>
inline constexpr bool launched_by_c = true;

/// Products there read rows of both operands along k, and their stages are looked up.
template <class In, class Out, operand_access Access, tune::size_class Size, class Epilogue>
inline constexpr bool launched_by_c<tune::gemm_entry<In, Out, Access, Size, Epilogue>> =
    std::is_same_v<In, Out> && Access == operand_access::nt && std::is_same_v<Epilogue, any_chain<Out>>;

/// Heads there have 64 dimensions.
template <class In, class Out, int HeadClass, tune::attention_variant Variant, class Rule>
inline constexpr bool launched_by_c<tune::attention_entry<In, Out, HeadClass, Variant, Rule>> =
    HeadClass == 64;

struct held_by_c {
    template <class Entry>
    static constexpr bool has = launched_by_c<Entry>;
};
using c_device = held_device<held_by_c>;

}  // namespace fade::replay

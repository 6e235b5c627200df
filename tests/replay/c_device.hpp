// The device of the libfade that tests/replay/c_interface.cpp calls: with the kernels that it launches. All
// others that a libfade has would be six times the machine code.
#pragma once
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

/// Refuses what it lacks, so that a call which needs more fails.
class c_device : public hip_device {
public:
    using hip_device::hip_device;
    template <class Entry>
    static const void* entry_address() {
        if constexpr (launched_by_c<Entry>)
            return hip_device::entry_address<Entry>();
        else
            return nullptr;
    }
    template <class Entry>
    void launch(grid_shape grid, const typename Entry::arguments& args) {
        if constexpr (launched_by_c<Entry>)
            hip_device::launch<Entry>(grid, args);
        else
            throw error("the kernel", "not in the libfade of tests/replay", "name it in c_device.hpp");
    }
};

}  // namespace fade::replay

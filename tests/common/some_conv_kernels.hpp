// Emulated devices without the kernels that automatic takes: where a test asks for other algorithms, they
// would cost the compiler time for nothing.
#pragma once
#include <fade/conv.hpp>

namespace fade::test {

template <class Entry>
inline constexpr bool is_automatic = false;
template <class In, class Out, tune::conv_kernel Kernel, tune::size_class Size, class Epilogue>
inline constexpr bool is_automatic<tune::conv_entry<In, Out, Kernel, Size, Epilogue>> = true;
template <class In, class Out, conv_pass Pass, int Run, class Epilogue>
inline constexpr bool is_automatic<tune::direct_entry<In, Out, Pass, Run, Epilogue>> = true;

/// Refuses what it lacks, so that a test which reaches it all the same fails.
template <class Arch>
struct without_automatic : emulated_device<Arch> {
    using emulated_device<Arch>::emulated_device;
    template <class Entry>
    void launch(grid_shape grid, const typename Entry::arguments& args) {
        if constexpr (!is_automatic<Entry>)
            emulated_device<Arch>::template launch<Entry>(grid, args);
        else
            throw error("the kernel", "not on the device of this test", "ask for another algorithm");
    }
};

/// The host has all kernels.
template <class Arch, conv_algorithms Algorithms>
auto conv_device_of(int threads, int compute_units) {
    if constexpr (std::is_same_v<Arch, arch::host>)
        return host_device(threads);
    else if constexpr (Algorithms == conv_algorithms{})
        return emulated_device<Arch>({.threads = threads, .compute_units = compute_units});
    else
        return without_automatic<Arch>({.threads = threads, .compute_units = compute_units});
}

}  // namespace fade::test

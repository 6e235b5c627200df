// The k largest of columns as something a device can launch.
#pragma once
#include <fade/core/workgroup.hpp>
#include <fade/kernel/rows/top_k_columns.hpp>

namespace FADE_NAMESPACE::tune {

/// Lists of how many elements are compiled: few leave shared memory for more workgroups.
inline constexpr int few_of_column = 8, most_of_column = 64;

template <class In, class Out, int Capacity, bool Last>
struct top_k_columns_entry {
    using arguments = kernel::top_k_columns_arguments<In, Out>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = 1, .shared_bytes = block::column_list_bytes(Arch::traits.wave_size, Capacity)};
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        if constexpr (Last)
            kernel::finish_top_k_columns_body<Capacity>(block, args);
        else
            kernel::top_k_columns_body<Capacity>(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune

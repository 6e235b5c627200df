// An append to a cache as something a device can launch.
#pragma once
#include <fade/core/launch.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/kv_cache/append.hpp>

namespace FADE_NAMESPACE::tune {

template <class In, class Cache, class Table = float>
struct append_entry {
    using arguments = kernel::append_arguments<In, Cache, Table>;
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = Arch::traits.wave_size == 1 ? 1 : 256 / Arch::traits.wave_size, .shared_bytes = 16};
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        kernel::append_body(block, args);
    }
};

}  // namespace FADE_NAMESPACE::tune

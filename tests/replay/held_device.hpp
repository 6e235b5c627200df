// A device with the kernels that a program launches. All others that its calls could take would be several
// times the machine code.
#pragma once
#include <fade/device/devices.hpp>

namespace fade::replay {

/// `Held::has<Entry>` says which are held. Refuses what it lacks, so that a call which needs more fails.
template <class Held>
class held_device : public hip_device {
public:
    using hip_device::hip_device;
    template <class Entry>
    static const void* entry_address() {
        if constexpr (Held::template has<Entry>)
            return hip_device::entry_address<Entry>();
        else
            return nullptr;
    }
    template <class Entry>
    void launch(grid_shape grid, const typename Entry::arguments& args) {
        if constexpr (Held::template has<Entry>)
            hip_device::launch<Entry>(grid, args);
        else
            throw error("the kernel", "not among those that the program of tests/replay holds",
                        "name it where the program says what it launches");
    }
};

}  // namespace fade::replay

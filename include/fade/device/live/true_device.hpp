// A GPU whose selector counts on what the machine says of it, not on what its runtime reports.
#pragma once
#include <fade/device/live/join.hpp>
#include <fade/device/plan/tuning_words.hpp>
#include <string>
#include <utility>

namespace FADE_NAMESPACE {

/// Device `ordinal` of the runtime behind Device, such as hip_device, with the compute units that it truly
/// has and may use.
template <class Device>
Device with_true_units(int ordinal = 0, decltype(std::declval<const Device&>().stream()) stream = {}) {
    return Device(ordinal, stream, selector_units(Device::read(ordinal)));
}

/// A GPU with true units that also tells a tuning database what else it truly has.
template <class Device>
class described_device : public Device {
public:
    /// Device `ordinal` of the runtime, of which `d` is the truth.
    template <class Stream>
    described_device(int ordinal, Stream stream, const device_description& d)
        : Device(ordinal, stream, selector_units(d)), traits_(tuning_words(d.traits)) {}
    /// For the keys of tuned rows, as tuning_words has them.
    const std::string& true_traits() const { return traits_; }

private:
    std::string traits_;
};

/// As with_true_units, and rows of a tuning database are of its compute dies, caches, shared memory and
/// clock.
template <class Device>
described_device<Device> with_true_traits(int ordinal = 0,
                                          decltype(std::declval<const Device&>().stream()) stream = {}) {
    return described_device<Device>(ordinal, stream,
                                    describe_joined(Device::read(ordinal), live::read_machine()));
}

}  // namespace FADE_NAMESPACE

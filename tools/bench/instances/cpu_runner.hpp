// Devices whose memory is the program's own: this CPU, and the architectures it emulates.
// Task: a call as the library's own, which a device can run and plan.
#pragma once
#include <fade/device/devices.hpp>
#include "../runner.hpp"
#include "../units.hpp"

namespace fade::bench {

template <class Device>
std::unique_ptr<Device> make_device() {
    if constexpr (requires { emulation_options{}; Device{emulation_options{}}; }) return std::make_unique<Device>(emulation_options{.faults_throw = false, .compute_units = units_of_arch(Device::arch::traits.name)});
    else return std::make_unique<Device>();
}

template <class Task>
using call_of = std::remove_cvref_t<decltype(std::declval<const Task&>().call())>;

template <class Device, class Task>
class cpu_session : public session<call_of<Task>> {
public:
    explicit cpu_session(const call_of<Task>& call) : device_(make_device<Device>()), task_(call) {}

    fade::report start() override { return task_.run(*device_); }
    const call_of<Task>& there() const override { return task_.call(); }

    std::vector<std::string> faults() const override {
        std::vector<std::string> out;
        if constexpr (requires { device_->monitor(); })
            for (const auto& f : device_->monitor().faults()) out.push_back(f.what);
        return out;
    }

private:
    std::unique_ptr<Device> device_;
    Task task_;
};

template <class Device, class Task>
class cpu_runner : public Task::runner {
    using call_type = call_of<Task>;

public:
    explicit cpu_runner(std::string device) : Task::runner({std::move(device), dtype_v<typename Task::In>, dtype_v<typename Task::Out>}) {}

    std::unique_ptr<session<call_type>> prepare(const call_type& call, const std::vector<memory_piece>&, int) const override {
        return std::make_unique<cpu_session<Device, Task>>(call);
    }
    kernel_choice choose(const call_type& call, std::string_view, int) const override {
        const auto device = make_device<Device>();
        return Task(call).plan(*device);
    }
};

}  // namespace fade::bench

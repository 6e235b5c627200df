// Emulated architectures whose row kernels are the same code: compiled once, for the first of them.
#pragma once
#include "../../units.hpp"
#include "task.hpp"
#include <fade/device/emulated_device.hpp>

namespace fade::bench {

/// Row kernels know of an architecture how many lanes its waves have, and nothing else.
template <class First, class Other>
constexpr bool same_row_kernels = First::traits.wave_size == Other::traits.wave_size;

/// The report names the architecture that was asked for.
inline fade::report named(fade::report r, const std::string& device) {
    r.device = device, r.arch = device.substr(device.find(':') + 1);
    return r;
}

template <class First>
std::unique_ptr<emulated_device<First>> make_family_device(const std::string& device) {
    return std::make_unique<emulated_device<First>>(emulation_options{
        .faults_throw = false, .compute_units = units_of_arch(device.substr(device.find(':') + 1))});
}

/// Emulated memory is not rotated: there are no caches of its own.
template <class First, class Task>
class family_session : public session<rows_call> {
public:
    family_session(const rows_call& call, const std::string& device)
        : device_(make_family_device<First>(device)), name_(device), task_(call) {}

    fade::report start() override { return named(task_.run(*device_), name_); }
    void rotate(int) override {}
    std::vector<rows_call> there() const override { return {task_.call()}; }
    std::vector<std::string> faults() const override {
        std::vector<std::string> out;
        for (const auto& f : device_->monitor().faults()) out.push_back(f.what);
        return out;
    }

private:
    std::unique_ptr<emulated_device<First>> device_;
    std::string name_;
    Task task_;
};

template <class First, class Task>
class family_runner : public rows_runner {
public:
    explicit family_runner(std::string device)
        : rows_runner({std::move(device), dtype_v<typename Task::In>, dtype_v<typename Task::Out>}) {}

    std::unique_ptr<session<rows_call>> prepare(const rows_call& call, const std::vector<memory_piece>&,
                                                int) const override {
        return std::make_unique<family_session<First, Task>>(call, key().device);
    }
    kernel_choice choose(const rows_call& call, std::string_view, int) const override {
        kernel_choice out = Task(call).plan(*make_family_device<First>(key().device));
        out.report = named(out.report, key().device);
        return out;
    }
};

/// Adds the runners of a type for each architecture of a family, the first of which is compiled.
template <class In, class First, class... Others>
struct add_family {
    add_family() {
        static_assert((same_row_kernels<First, Others> && ...));
        add<First>(), (add<Others>(), ...);
    }

private:
    template <class Arch>
    static void add() {
        const std::string device = "emulated:" + std::string(Arch::traits.name);
        runners<rows_runner>().push_back(std::make_unique<family_runner<First, rows_task<In, In>>>(device));
        runners<rows_runner>().push_back(std::make_unique<family_runner<First, rows_task<In, i32>>>(device));
    }
};

}  // namespace fade::bench

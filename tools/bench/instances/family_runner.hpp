// Emulated architectures whose kernels of an operation are the same code: compiled once, for the first of
// them. Of which architectures they are, the task says by `same_kernels`.
#pragma once
#include "../units.hpp"
#include "cpu_runner.hpp"
#include <fade/device/emulated_device.hpp>

namespace fade::bench {

/// The report names the architecture that was asked for, in what it says of its evidence too.
inline fade::report named(fade::report r, const std::string& device) {
    const std::string compiled = r.arch;
    r.device = device, r.arch = device.substr(device.find(':') + 1);
    if (const std::size_t at = r.evidence.find(compiled); at != r.evidence.npos)
        r.evidence.replace(at, compiled.size(), r.arch);
    return r;
}

template <class First>
std::unique_ptr<emulated_device<First>> make_family_device(const std::string& device) {
    return std::make_unique<emulated_device<First>>(emulation_options{
        .faults_throw = false, .compute_units = units_of_arch(device.substr(device.find(':') + 1))});
}

/// Emulated memory is not rotated: there are no caches of its own.
template <class First, class Task>
class family_session : public session<call_of<Task>> {
public:
    family_session(const call_of<Task>& call, const std::string& device)
        : device_(make_family_device<First>(device)), name_(device), task_(call) {}

    fade::report start() override { return named(task_.run(*device_), name_); }
    void rotate(int) override {}
    std::vector<call_of<Task>> there() const override { return {task_.call()}; }
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
class family_runner : public Task::runner {
    using call_type = call_of<Task>;

public:
    explicit family_runner(std::string device)
        : Task::runner({std::move(device), dtype_v<typename Task::In>, dtype_v<typename Task::Out>}) {}

    std::unique_ptr<session<call_type>> prepare(const call_type& call, const std::vector<memory_piece>&,
                                                int) const override {
        return std::make_unique<family_session<First, Task>>(call, this->key().device);
    }
    kernel_choice choose(const call_type& call, std::string_view, int) const override {
        const std::string& device = this->key().device;
        kernel_choice out = Task(call).plan(*make_family_device<First>(device));
        out.report = named(out.report, device);
        return out;
    }
};

/// Adds the runners of a task for each architecture of a family, the first of which is compiled.
template <class Task, class First, class... Others>
struct add_family {
    add_family() {
        static_assert((Task::template same_kernels<First, Others> && ...));
        add<First>(), (add<Others>(), ...);
    }

private:
    template <class Arch>
    static void add() {
        runners<typename Task::runner>().push_back(
            std::make_unique<family_runner<First, Task>>("emulated:" + std::string(Arch::traits.name)));
    }
};

}  // namespace fade::bench

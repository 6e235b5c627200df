// Devices with a memory of their own.
#pragma once
#include "cpu_runner.hpp"

namespace fade::bench {

/// The memory of a call, copied to a device.
template <class Device>
class memory_there {
public:
    memory_there(Device& device, std::vector<memory_piece> pieces)
        : device_(device), pieces_(std::move(pieces)) {
        for (const memory_piece& p : pieces_) {
            there_.push_back(device_.allocate(std::max<std::size_t>(p.bytes, 1)));
            if (p.bytes) device_.copy_to_device(there_.back(), p.data, p.bytes);
        }
        for (const memory_piece& p : pieces_)
            if (p.addresses) {
                const std::vector<void*> table = relocated(p, pieces_, *this);
                device_.copy_to_device((*this)(p.data), table.data(), p.bytes);
                device_.synchronize();
            }
        device_.synchronize();
    }
    memory_there(const memory_there&) = delete;
    ~memory_there() {
        for (void* p : there_) release(p);
    }

    /// Where a piece of the host lies on the device.
    void* operator()(const void* here) const {
        for (std::size_t i = 0; i < pieces_.size(); ++i)
            if (pieces_[i].data == here) return there_[i];
        return nullptr;
    }
    void fetch() {
        for (std::size_t i = 0; i < pieces_.size(); ++i)
            if (pieces_[i].written && pieces_[i].bytes)
                device_.copy_to_host(pieces_[i].data, there_[i], pieces_[i].bytes);
        device_.synchronize();
    }
    void reset() {
        for (std::size_t i = 0; i < pieces_.size(); ++i)
            if (pieces_[i].written && pieces_[i].bytes)
                device_.copy_to_device(there_[i], pieces_[i].data, pieces_[i].bytes);
        device_.synchronize();
    }

private:
    void release(void* p) noexcept {
        try {
            device_.release(p);
        } catch (const error&) {  // what failed before says so itself
        }
    }
    Device& device_;
    std::vector<memory_piece> pieces_;
    std::vector<void*> there_;
};

/// A GPU whose selector counts on what is true of it, where it can be told.
template <class Device>
Device make_gpu(int device) {
    if constexpr (requires { Device(device, nullptr, 0); })
        return Device(device, nullptr, units_of_gpu(device));
    else
        return Device(device);
}

template <class Device, class Task>
class gpu_session : public session<call_of<Task>> {
public:
    gpu_session(int device, const call_of<Task>& call, const std::vector<memory_piece>& pieces)
        : device_(make_gpu<Device>(device)), call_(call), pieces_(pieces), memory_(device_, pieces),
          tasks_(moved(call, memory_)) {}

    fade::report start() override { return tasks_.next().run(device_); }
    void wait() override { device_.synchronize(); }
    void fetch() override { memory_.fetch(); }
    void reset() override { memory_.reset(); }
    void rotate(int sets) override {
        while (int(copies_.size()) + 1 < sets) {
            copies_.push_back(std::make_unique<memory_there<Device>>(device_, pieces_));
            tasks_.add(moved(call_, *copies_.back()));
        }
    }
    std::vector<call_of<Task>> there() const override { return tasks_.calls(); }

private:
    Device device_;
    call_of<Task> call_;
    std::vector<memory_piece> pieces_;
    memory_there<Device> memory_;
    std::vector<std::unique_ptr<memory_there<Device>>> copies_;
    task_ring<Task> tasks_;
};

/// Target: what answers for an architecture whose device is not here.
template <class Device, class Target, class Task>
class gpu_runner : public Task::runner {
    using call_type = call_of<Task>;

public:
    explicit gpu_runner(std::string device)
        : Task::runner({std::move(device), dtype_v<typename Task::In>, dtype_v<typename Task::Out>}) {}

    std::unique_ptr<session<call_type>>
    prepare(const call_type& call, const std::vector<memory_piece>& pieces, int device) const override {
        return std::make_unique<gpu_session<Device, Task>>(device, call, pieces);
    }
    kernel_choice choose(const call_type& call, std::string_view arch, int device) const override {
        if constexpr (!std::is_same_v<Device, Target>)
            if (!arch.empty()) return planned(Target(std::string(arch), units_of_arch(arch)), call);
        return planned(make_gpu<Device>(device), call);
    }

private:
    template <class Planner>
    static kernel_choice planned(Planner planner, const call_type& call) {
        return Task(call).plan(planner);
    }
};

}  // namespace fade::bench

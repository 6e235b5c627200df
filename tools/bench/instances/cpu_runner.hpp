// Devices whose memory is the program's own: this CPU, and the architectures it emulates.
// Task: a call as the library's own, which a device can run and plan. A task says by `moved(call, there)`
// where the memory of its call lies in another place.
#pragma once
#include "../runner.hpp"
#include "../units.hpp"
#include <cstdlib>
#include <cstring>
#include <fade/device/devices.hpp>
#include <new>
#include <utility>

namespace fade::bench {

template <class Device>
std::unique_ptr<Device> make_device() {
    if constexpr (requires {
                      emulation_options{};
                      Device{emulation_options{}};
                  })
        return std::make_unique<Device>(emulation_options{
            .faults_throw = false, .compute_units = units_of_arch(Device::arch::traits.name)});
    else
        return std::make_unique<Device>();
}

template <class Task>
using call_of = std::remove_cvref_t<decltype(std::declval<const Task&>().call())>;

/// The addresses of a table as they are where the pieces lie at there(data of the piece).
template <class There>
std::vector<void*> relocated(const memory_piece& table, const std::vector<memory_piece>& pieces,
                             const There& there) {
    std::vector<void*> out(table.bytes / sizeof(void*));
    if (table.bytes) std::memcpy(out.data(), table.data, table.bytes);
    for (void*& at : out)
        for (const memory_piece& p : pieces) {
            const std::ptrdiff_t inside = static_cast<std::byte*>(at) - static_cast<std::byte*>(p.data);
            if (inside < 0 || inside >= std::ptrdiff_t(p.bytes)) continue;
            at = static_cast<std::byte*>(there(p.data)) + inside;
            break;
        }
    return out;
}

/// A copy of the memory of a call, piece behind piece.
class memory_copy {
public:
    explicit memory_copy(const std::vector<memory_piece>& pieces) : pieces_(pieces) {
        std::size_t all = 0;
        for (const memory_piece& p : pieces_) all += room(p);
        held_.reset(static_cast<std::byte*>(std::aligned_alloc(align, std::max(all, align))));
        if (!held_) throw std::bad_alloc();
        std::byte* to = held_.get();
        for (const memory_piece& p : pieces_) std::memcpy(to, p.data, p.bytes), to += room(p);
        for (const memory_piece& p : pieces_)
            if (p.addresses) std::memcpy((*this)(p.data), relocated(p, pieces_, *this).data(), p.bytes);
    }
    /// Where a piece lies in the copy.
    void* operator()(const void* here) const {
        std::byte* at = held_.get();
        for (const memory_piece& p : pieces_) {
            if (p.data == here) return at;
            at += room(p);
        }
        return nullptr;
    }

private:
    static constexpr std::size_t align = 256;
    static std::size_t room(const memory_piece& p) { return (p.bytes + align - 1) / align * align; }
    struct release {
        void operator()(std::byte* p) const { std::free(p); }
    };
    const std::vector<memory_piece>& pieces_;
    std::unique_ptr<std::byte, release> held_;
};

/// The tasks of several sets of memory, one after the other.
template <class Task>
class task_ring {
public:
    explicit task_ring(const call_of<Task>& call) : tasks_{Task(call)} {}

    Task& next() { return tasks_[std::exchange(next_, (next_ + 1) % tasks_.size())]; }
    const call_of<Task>& first() const { return tasks_[0].call(); }
    void add(const call_of<Task>& call) { tasks_.emplace_back(call), next_ = 0; }
    std::vector<call_of<Task>> calls() const {
        std::vector<call_of<Task>> out;
        for (const Task& t : tasks_) out.push_back(t.call());
        return out;
    }

private:
    std::vector<Task> tasks_;
    std::size_t next_ = 0;
};

template <class Device, class Task>
class cpu_session : public session<call_of<Task>> {
public:
    cpu_session(const call_of<Task>& call, std::vector<memory_piece> pieces)
        : device_(make_device<Device>()), pieces_(std::move(pieces)), tasks_(call) {}

    fade::report start() override { return tasks_.next().run(*device_); }
    void rotate(int sets) override {
        while (int(copies_.size()) + 1 < sets) {
            copies_.push_back(std::make_unique<memory_copy>(pieces_));
            tasks_.add(moved(tasks_.first(), *copies_.back()));
        }
    }
    std::vector<call_of<Task>> there() const override { return tasks_.calls(); }

    std::vector<std::string> faults() const override {
        std::vector<std::string> out;
        if constexpr (requires { device_->monitor(); })
            for (const auto& f : device_->monitor().faults()) out.push_back(f.what);
        return out;
    }

private:
    std::unique_ptr<Device> device_;
    std::vector<memory_piece> pieces_;
    std::vector<std::unique_ptr<memory_copy>> copies_;
    task_ring<Task> tasks_;
};

template <class Device, class Task>
class cpu_runner : public Task::runner {
    using call_type = call_of<Task>;

public:
    explicit cpu_runner(std::string device)
        : Task::runner({std::move(device), dtype_v<typename Task::In>, dtype_v<typename Task::Out>}) {}

    std::unique_ptr<session<call_type>> prepare(const call_type& call,
                                                const std::vector<memory_piece>& pieces, int) const override {
        return std::make_unique<cpu_session<Device, Task>>(call, pieces);
    }
    kernel_choice choose(const call_type& call, std::string_view, int) const override {
        const auto device = make_device<Device>();
        return Task(call).plan(*device);
    }
};

}  // namespace fade::bench

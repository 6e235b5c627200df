// This CPU as a device.
#pragma once
#include <fade/arch/host.hpp>
#include <fade/arch/launch_limits.hpp>
#include <fade/backend/host/block.hpp>
#include <fade/backend/host/kept_memory.hpp>
#include <fade/backend/host/parallel.hpp>
#include <fade/backend/host/user.hpp>
#include <fade/core/error.hpp>
#include <fade/core/launch.hpp>
#include <string>

namespace FADE_NAMESPACE {

/// Launches run on `threads` cores and are done when they return. One object serves one thread at a time, and
/// says so to a second one. Threads and their memory live as long as the device; a child process starts its
/// own.
class host_device {
public:
    using arch = arch::host;  ///< this CPU, by whatever vectors it has

    /// Throws fade::error for fewer threads than one.
    explicit host_device(int threads = backend::host::cores()) : threads_(threads) {
        if (threads < 1) throw error("threads", std::to_string(threads), "a device needs at least 1");
        memory_ = new backend::host::kept_memory[std::size_t(threads)];
    }
    host_device(const host_device&) = delete;
    ~host_device() { delete[] memory_; }

    /// "host".
    std::string name() const { return "host"; }
    /// The threads.
    int compute_units() const { return threads_; }

    /// Keeps other threads out as long as what it returns lives; throws fade::error where one is inside.
    backend::host::in_use use() { return {user_, *this}; }

    /// Memory of at least that size, kept for the next call.
    void* workspace(std::size_t bytes) {
        const auto alone = use();
        return workspace_.at_least(bytes);
    }

    /// The shape of a workgroup in which this device launches an entry.
    template <class Entry>
    launch_shape shape_of() const {
        return Entry::template shape<arch>();
    }

    /// Runs a kernel of one wave a workgroup, and returns when it is done.
    template <class Entry>
    void launch(grid_shape grid, const typename Entry::arguments& args) {
        constexpr launch_shape shape = Entry::template shape<arch>();
        static_assert(shape.waves == 1,
                      "this kernel is written for the waves of a GPU, and a workgroup of the host is one "
                      "thread: launch it on an emulated_device, hip_device or cuda_device");
        launch_kernel(shape, grid, &args, &run_entry<Entry>);
    }

private:
    using one_thread = backend::host::block<arch, 1>;

    template <class Entry>
    static void run_entry(one_thread& block, const void* args) {
        Entry::run(block, *static_cast<const typename Entry::arguments*>(args));
    }
    /// One text for all kernels, of which a program has hundreds.
    void launch_kernel(const launch_shape& shape, grid_shape grid, const void* args,
                       void (*kernel)(one_thread&, const void*)) {
        const auto alone = use();
        fade::arch::check_launch(arch::traits, shape, grid);
        const long per_layer = long(grid.x) * grid.y;
        backend::host::parallel(team_, per_layer * grid.z, threads_, [&](int worker, long i) {
            one_thread block{{int(i % grid.x), int(i % per_layer / grid.x), int(i / per_layer)},
                             memory_[std::size_t(worker)].at_least(std::size_t(shape.shared_bytes))};
            kernel(block, args);
        });
    }

    int threads_;
    backend::host::kept_memory* memory_ = nullptr;  // one a thread
    backend::host::kept_memory workspace_;
    backend::host::thread_team team_;
    backend::host::user user_;
};

}  // namespace FADE_NAMESPACE

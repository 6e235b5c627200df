// This CPU as a device.
#pragma once
#include <memory>
#include <string>
#include <fade/arch/host.hpp>
#include <fade/backend/host/block.hpp>
#include <fade/backend/host/parallel.hpp>
#include <fade/core/error.hpp>
#include <fade/core/launch.hpp>
#include <fade/device/host_workspace.hpp>

namespace fade {

/// Launches run on `threads` cores and are done when they return. One object may be used by one thread at a time.
class host_device {
public:
    using arch = arch::host;

    explicit host_device(int threads = backend::host::cores()) : threads_(threads) {
        if (threads < 1) throw error("threads", std::to_string(threads), "a device needs at least 1");
    }

    std::string name() const { return "host"; }
    int compute_units() const { return threads_; }

    /// Memory of at least that size, kept for the next call.
    void* workspace(std::size_t bytes) { return pool_.take(bytes); }

    template <class Entry>
    void launch(grid_shape grid, const typename Entry::arguments& args) {
        constexpr launch_shape shape = Entry::template shape<arch>();
        const long per_layer = long(grid.x) * grid.y, count = per_layer * grid.z;
        const int workers = int(count < threads_ ? count : threads_);
        std::unique_ptr<memory[]> shared(new memory[std::size_t(workers) * (shape.shared_bytes / sizeof(memory) + 1)]);
        backend::host::parallel(count, workers, [&](int worker, long i) {
            backend::host::block<arch, shape.waves> block{{int(i % grid.x), int(i % per_layer / grid.x), int(i / per_layer)},
                                                          shared[std::size_t(worker) * (shape.shared_bytes / sizeof(memory) + 1)].bytes};
            Entry::run(block, args);
        });
    }

private:
    struct alignas(64) memory {
        std::byte bytes[64];
    };
    int threads_;
    host_workspace pool_;
};

}  // namespace fade

// Any architecture of the list, emulated on this CPU lane for lane.
#pragma once
#include <fade/arch/launch_limits.hpp>
#include <fade/backend/emulated/block.hpp>
#include <fade/backend/host/kept_memory.hpp>
#include <fade/backend/host/parallel.hpp>
#include <fade/backend/host/user.hpp>
#include <fade/core/error.hpp>
#include <fade/core/launch.hpp>
#include <string>

namespace FADE_NAMESPACE {

/// What an emulated_device is told.
struct emulation_options {
    int threads = backend::host::cores();  ///< cores that run workgroups
    bool count_bank_conflicts = false;     ///< monitor() then has the cycles that they cost
    bool faults_throw = true;  ///< a missing barrier, an access out of bounds or an uninitialised read ends
                               ///< the call with a fade::error
    int compute_units = 64;    ///< what the selector takes the device for
};

/// Memory is the program's own. Launches are done when they return. One object serves one thread at a time,
/// and says so to a second one. Registers of a workgroup lie on the stacks of threads that the device starts.
template <class Arch>
class emulated_device {
public:
    using arch = Arch;  ///< what is emulated

    /// Throws fade::error for fewer threads than one.
    explicit emulated_device(emulation_options options = {}) : options_(options) {
        if (options.threads < 1)
            throw error("threads", std::to_string(options.threads), "a device needs at least 1");
    }

    /// "emulated:gfx942" and the like.
    std::string name() const { return "emulated:" + std::string(Arch::traits.name); }
    /// What the selector counts on.
    int compute_units() const { return options_.compute_units; }
    /// What the launches since construction (or clear) noticed.
    backend::emulated::monitor& monitor() { return monitor_; }

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
        return Entry::template shape<Arch>();
    }

    /// Refuses what the architecture could not run.
    template <class Entry>
    void launch(grid_shape grid, const typename Entry::arguments& args) {
        constexpr launch_shape shape = Entry::template shape<Arch>();
        if constexpr (fade::arch::fits(Arch::traits, shape))
            launch_kernel<waves_of<Entry>>(launched_as(shape, grid), grid, &args, &run_entry<Entry>);
        else
            refuse(shape, grid);
    }

private:
    /// Of a thread: the registers of all lanes of a workgroup, of which attention has 0.4 MiB.
    static constexpr std::size_t stack_bytes = std::size_t(16) << 20;
    template <int Waves>
    using block_of = backend::emulated::block<Arch, Waves>;

    void refuse(const launch_shape& shape, grid_shape grid) {
        const auto alone = use();
        fade::arch::check_launch(Arch::traits, shape, grid);
    }
    template <class Entry>
    static constexpr int waves_of = Entry::template shape<Arch>().waves;
    template <class Entry>
    static void run_entry(block_of<waves_of<Entry>>& block, const void* args) {
        Entry::run(block, *static_cast<const typename Entry::arguments*>(args));
    }
    /// One text for all kernels of as many waves, of which a program has hundreds.
    template <int Waves>
    void launch_kernel(const launch_shape& shape, grid_shape grid, const void* args,
                       void (*kernel)(block_of<Waves>&, const void*)) {
        const auto alone = use();
        fade::arch::check_launch(Arch::traits, shape, grid);
        const std::size_t before = monitor_.fault_count();
        run(shape, grid, args, kernel);
        if (const std::size_t faults = monitor_.fault_count() - before; options_.faults_throw && faults > 0) {
            const auto& kept = monitor_.faults();
            throw error("the emulated kernel", "faulty (" + std::to_string(faults) + " faults)",
                        before < kept.size() ? "first: " + kept[before].what
                                             : "the monitor has no room for more of them");
        }
    }

    template <int Waves>
    void run(const launch_shape& shape, grid_shape grid, const void* args,
             void (*kernel)(block_of<Waves>&, const void*)) {
        const long per_layer = long(grid.x) * grid.y;
        backend::host::parallel(
            team_, per_layer * grid.z / shape.cluster, options_.threads, [&](int, long number) {
                backend::emulated::cluster cluster;
                for (int rank = 0; rank < shape.cluster; ++rank) {
                    const long i = number * shape.cluster + rank;
                    cluster.begin(rank);
                    run_one(shape, {int(i % grid.x), int(i % per_layer / grid.x), int(i / per_layer)},
                            cluster, args, kernel);
                }
                cluster.end(shape.cluster, monitor_);
            });
    }
    template <int Waves>
    void run_one(const launch_shape& shape, grid_shape at, backend::emulated::cluster& cluster,
                 const void* args, void (*kernel)(block_of<Waves>&, const void*)) {
        backend::emulated::shared_memory shared(std::size_t(shape.shared_bytes), monitor_);
        backend::emulated::bank_counter banks(Arch::traits.lds_wrap / 4);
        block_of<Waves> block{{at.x, at.y, at.z}, &shared,
                              &monitor_,          options_.count_bank_conflicts ? &banks : nullptr,
                              !shape.awaits,      &cluster};
        if (shape.awaits && monitor_.inputs) monitor_.inputs->late();
        kernel(block, args);
        block.boxes.end(monitor_);
        block.stores.end(monitor_);
    }

    emulation_options options_;
    backend::host::thread_team team_{stack_bytes};
    backend::emulated::monitor monitor_;
    backend::host::kept_memory workspace_;
    backend::host::user user_;
};

}  // namespace FADE_NAMESPACE

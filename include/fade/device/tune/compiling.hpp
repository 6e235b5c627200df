// A device that compiles kernels of policies that its program does not hold, when a row of a database asks
// for them.
#pragma once
#include <cstddef>
#include <fade/device/emulated_device.hpp>
#include <fade/device/plan/run_time_entry.hpp>
#include <fade/device/planned_launch.hpp>
#include <fade/tune/module/candidate_table.hpp>
#include <fade/tune/module/entry_source.hpp>
#include <fade/tune/module/kernel_cache.hpp>
#include <fade/tune/policy_json.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace FADE_NAMESPACE {

namespace detail {

/// A kernel of an emulated device: a shared library, which stays loaded.
class emulated_kernel {
    using launched = bool (*)(void*, const grid_shape*, const void*, char*, std::size_t);

public:
    emulated_kernel(const std::string& file, const std::string& key) {
        void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!handle) throw error("kernel", "'" + file + "'", ::dlerror());
        const auto of_key = reinterpret_cast<const char* (*)()>(::dlsym(handle, "fade_key"));
        launch_ = reinterpret_cast<launched>(::dlsym(handle, "fade_launch"));
        const auto* const words = static_cast<const int*>(::dlsym(handle, "fade_kernel_shape"));
        if (!of_key || !launch_ || !words || key != of_key())
            throw error("kernel", "'" + file + "'", "the file is no kernel of this key");
        shape = {words[0], words[1], words[2], words[3] != 0, words[4], words[5]};
    }
    void launch(void* device, grid_shape grid, const void* args) const {
        char why[400] = "";
        if (!launch_(device, &grid, args, why, sizeof why)) throw error("kernel", "launched", why);
    }
    launch_shape shape{};

private:
    launched launch_ = nullptr;
};

/// How a device loads and launches.
template <class Device>
struct kernel_loader {
    using kernel = typename Device::loaded_kernel;
    static tune::kernel_target target(const Device& device) {
        const bool cuda = device.compiled_arch().starts_with("sm_");
        return {cuda ? tune::kernel_target::kind::cuda : tune::kernel_target::kind::hip,
                device.compiled_arch()};
    }
    static std::unique_ptr<kernel> load(const Device& device, const tune::found_kernel& found) {
        device.make_current();
        return std::make_unique<kernel>(tune::text_of_file(found.file));
    }
    static void launch(Device& device, const kernel& loaded, grid_shape grid, const void* args) {
        device.launch_loaded(loaded, grid, args);
    }
    static const void* address(const kernel& loaded) {
        return reinterpret_cast<const void*>(loaded.function);
    }
};
template <class Arch>
struct kernel_loader<emulated_device<Arch>> {
    using kernel = emulated_kernel;
    static tune::kernel_target target(const emulated_device<Arch>&) {
        return {tune::kernel_target::kind::emulated, std::string(Arch::traits.name)};
    }
    static std::unique_ptr<kernel> load(const emulated_device<Arch>&, const tune::found_kernel& found) {
        return std::make_unique<kernel>(found.file, found.key);
    }
    static void launch(emulated_device<Arch>& device, const kernel& loaded, grid_shape grid,
                       const void* args) {
        loaded.launch(&device, grid, args);
    }
    static const void* address(const kernel&) { return nullptr; }
};

}  // namespace detail

/// A Device whose calls take any policy that a tuned row holds: `fade::compiling<fade::cuda_device>
/// device(kernels, 0)`, with the arguments of the Device behind the cache. What the program has a kernel of
/// is launched as ever, and nothing is compiled for a call without a row. Where a kernel cannot be had (no
/// compiler, one that refuses it, a device that does not load it) the model decides, and `report.why` says
/// for what reason. Calls without epilogues and rules, in f32, f16 and bf16, and row operators that
/// tune::source_name names. `tune_gemm` and its like compile the policies of `candidates`, too, and time
/// them. One thread at a time calls it or plans with it.
template <class Device>
class compiling : public Device {
    static_assert(!std::is_same_v<Device, host_device>,
                  "kernels of the host take any shares, so none is compiled for it: let the Device of "
                  "fade::compiling be a cuda_device, hip_device or emulated_device");
    using loader = detail::kernel_loader<Device>;
    using kernel = typename loader::kernel;

public:
    /// Entries ask for it.
    static constexpr bool compiles_kernels = true;
    /// Can the entry have another policy than its own?
    template <class Entry>
    static constexpr bool compiles_entry() {
        return tune::has_source<Entry>;
    }

    /// What tuning compiles beside the kernels of the program: yours to add to.
    tune::candidate_table candidates{};

    /// The cache must outlive the device.
    template <class... Arguments>
    explicit compiling(tune::kernel_cache& kernels, Arguments&&... of_device)
        : compiling(&kernels, std::forward<Arguments>(of_device)...) {}
    /// Without a cache it is a Device in every way, and compiles nothing.
    template <class... Arguments>
    explicit compiling(tune::kernel_cache* kernels, Arguments&&... of_device)
        : Device(std::forward<Arguments>(of_device)...), kernels_(kernels) {}

    /// Until when kernels may be compiled. A call whose row needs one later has the model's choice.
    void compile_until(tune::time_limit limit) { limit_ = limit, out_of_time_ = false; }
    tune::time_limit compiled_until() const { return limit_; }
    /// Was there no time to compile a kernel since then?
    bool ran_out_of_time() const { return out_of_time_; }
    /// Is there anything that compiles?
    bool has_kernels() const { return kernels_ != nullptr; }

    /// Kernels that calls ask for from here on are not compiled, but noted for compile_noted(): such calls
    /// have the model's choice.
    void note_kernels() { notes_ = true; }
    /// Calls compile their kernels from here on, and ask again for those that were noted.
    void forget_noted() noexcept { static_cast<void>(take_noted()); }
    /// Compiles the kernels that were noted, side by side, until the limit of compile_until() or until
    /// `stopped` says so, and loads them. None is noted any more.
    void compile_noted(const std::function<bool()>& stopped) {
        const std::vector<noted_kernel> noted = take_noted();
        std::vector<tune::kernel_request> wanted;
        for (const noted_kernel& one : noted) wanted.push_back(one.wanted);
        try {
            const std::vector<tune::found_kernel> found = kernels_->find_all(wanted, limit_, stopped);
            for (std::size_t i = 0; i < noted.size(); ++i) take(found[i], *noted[i].to);
        } catch (const std::exception& e) {  // there is no compiler
            for (const noted_kernel& one : noted)
                if (!one.to->is_final) refuse(*one.to, e.what());
        }
    }
    /// Refuses the kernel that was compiled and launched last, in other processes as well: `why` is what
    /// reports say of its policy from here on.
    void refuse_launched(const std::string& why) {
        if (!launched_) return;
        kernels_->refuse(launched_->key, why);
        refuse(*launched_, why);
    }

    /// Why there is no kernel of a policy in the place of the entry's own; empty where it is loaded now.
    template <class Entry, class Policy>
    std::string obstacle_of(const Policy& policy) const {
        return find<Entry>(policy).why;
    }
    /// Launches the kernel of a policy in the place of the entry's own.
    template <class Entry, class Policy>
    void launch_by(const Policy& policy, grid_shape grid, const typename Entry::arguments& args) {
        loader::launch(*this, of<Entry>(policy), grid, &args);
        launched_ = &find<Entry>(policy);
    }
    /// Puts what such a launch is into what was planned for the entry.
    template <class Entry, class Policy>
    void plan_by(const Policy& policy, grid_shape grid, planned_launch& out) {
        const kernel& found = of<Entry>(policy);
        with_arch_of(*this, [&](auto arch) {
            out.block[0] = found.shape.all_waves() * arch.traits.wave_size;
            out.dynamic_lds = arch::dynamic_shared_bytes(arch.traits, found.shape);
        });
        out.cluster = launched_as(found.shape, grid).cluster;
        out.entry = loader::address(found);
    }

private:
    struct outcome {
        std::unique_ptr<kernel> loaded{};
        std::string why{}, key{};
        bool is_final = false;  // else there was no time, and there may be later
        bool is_noted = false;
    };
    struct noted_kernel {
        tune::kernel_request wanted;
        outcome* to;
    };

    std::vector<noted_kernel> take_noted() noexcept {
        notes_ = false;
        for (const noted_kernel& one : noted_) one.to->is_noted = false;
        return std::exchange(noted_, {});
    }
    template <class Entry>
    static const void* id_of() {
        static constexpr char id = 0;
        return &id;
    }
    template <class Entry, class Policy>
    outcome& find(const Policy& policy) const {
        outcome& out = kept_[{id_of<Entry>(), tune::policy_json(policy)}];
        if (out.is_final || out.is_noted) return out;
        try {
            using source = tune::entry_source<Entry>;
            if (!kernels_) throw error("kernel", "not to be had", "the device has no cache of kernels");
            check_headers();
            const tune::kernel_target at = loader::target(*this);
            tune::kernel_request wanted{
                at,
                tune::kernel_source(at, source::headers, std::size(source::headers), source::text(policy))};
            if (notes_) {
                out.is_noted = true, out.why = "it is not compiled yet";
                noted_.push_back({std::move(wanted), &out});
            } else
                take(kernels_->find(wanted.at, wanted.source, limit_), out);
        } catch (const std::exception& e) {  // there is no compiler
            refuse(out, e.what());
        }
        return out;
    }
    void take(const tune::found_kernel& found, outcome& to) const {
        to.why = found.why, to.key = found.key, to.is_final = !found.out_of_time;
        out_of_time_ |= found.out_of_time;
        try {
            if (!found.file.empty()) to.loaded = loader::load(*this, found);
        } catch (const std::exception& e) {  // the device refuses the code
            refuse(to, e.what());
        }
    }
    static void refuse(outcome& to, const std::string& why) { to.why = why, to.is_final = true; }
    /// Kernels of other headers may have other arguments than this program's. Without CMake's fade::tune
    /// nothing tells.
    void check_headers() const {
#ifdef FADE_SOURCE_FINGERPRINT
        const tune::module_sources& from = kernels_->sources();
        if (from.kernels != FADE_SOURCE_FINGERPRINT)
            throw error("include", "'" + from.folder + "'", "its headers are not those of this program");
#endif
    }
    template <class Entry, class Policy>
    const kernel& of(const Policy& policy) const {
        const outcome& found = find<Entry>(policy);
        if (!found.loaded) throw error("kernel", "not to be had", found.why);
        return *found.loaded;
    }

    tune::kernel_cache* kernels_;
    tune::time_limit limit_ = tune::time_limit::max();
    mutable bool out_of_time_ = false;
    bool notes_ = false;
    mutable std::vector<noted_kernel> noted_;
    outcome* launched_ = nullptr;  // one of kept_
    mutable std::map<std::pair<const void*, std::string>, outcome> kept_;
};

}  // namespace FADE_NAMESPACE

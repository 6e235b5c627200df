// An AMD GPU behind HIP, and one that is only planned for.
#pragma once
#include <cstddef>
#include <fade/arch/arch_list.hpp>
#include <fade/arch/launch_limits.hpp>
#include <fade/backend/hip/kernel.hpp>
#include <fade/backend/hip/library.hpp>
#include <fade/backend/hip/reading.hpp>
#include <fade/backend/host/user.hpp>
#include <string>

namespace FADE_NAMESPACE {

/// An AMD architecture without a device: answers what would be launched, launches nothing.
class hip_target {
public:
    explicit hip_target(std::string arch_name, int compute_units = 64)
        : arch_(known(std::move(arch_name))), compute_units_(compute_units) {}

    std::string name() const { return "hip target " + arch_; }
    /// The row of the list whose policies this device runs: its own, or its family's.
    const std::string& row() const { return arch_; }
    int compute_units() const { return compute_units_; }
    template <class F>
    void with_arch(F&& f) const {
        arch::with_arch(arch::amd{}, arch_, f);
    }
    /// The shape of a workgroup in which this device launches an entry.
    template <class Entry>
    launch_shape shape_of() const {
        return arch::shape_in<Entry>(arch::amd{}, arch_);
    }
    template <class Entry>
    static const void* entry_address() {
        return reinterpret_cast<const void*>(&backend::hip::kernel<Entry>);
    }

protected:
    void set_compute_units(int n) { compute_units_ = n; }

private:
    static std::string known(const std::string& chip) {
        const std::string row(arch::row_for(chip));
        if (row.empty())
            throw error(
                "architecture", chip,
                "FADE has rows for gfx906 908 90a 942 950 1030-1036 1100-1103 1150-1153 1200 1201 1250");
        return row;
    }
    std::string arch_;
    int compute_units_;
};

/// Device `ordinal` of the HIP runtime. Launches go to `stream` (default: the null stream) and return at
/// once; memory is the runtime's. One object serves one thread at a time. `compute_units` is what the
/// selector counts on; 0: as the runtime counts, work-group processors taken as the two units that they are.
/// with_true_units<hip_device>() of fade/device.hpp asks the kernel and the driver too.
class hip_device : public hip_target {
public:
    /// Throws fade::error where there is no such device, or one whose architecture FADE does not have.
    explicit hip_device(int ordinal = 0, hipStream_t stream = nullptr, int compute_units = 0)
        : hip_device(read(ordinal), ordinal, stream, compute_units) {}

    /// What the runtime says of a device.
    static backend::device_reading read(int ordinal) {
        int count = 0;
        backend::hip::check(hipGetDeviceCount(&count), "hipGetDeviceCount");
        if (ordinal < 0 || ordinal >= count)
            throw error("device", std::to_string(ordinal),
                        "the HIP runtime has " + std::to_string(count) + " devices");
        return backend::hip::read_device(ordinal);
    }

    ~hip_device() {
        if (pool_) static_cast<void>(hipFree(pool_));
    }
    hip_device(const hip_device&) = delete;
    hip_device& operator=(const hip_device&) = delete;

    /// "hip:0" and the like, and the chip.
    std::string name() const {
        return "hip:" + std::to_string(ordinal_) + " " + chip_ +
               (chip_.substr(0, chip_.find(':')) == row() ? "" : " (rows of " + row() + ")");
    }
    /// Where launches go.
    hipStream_t stream() const { return stream_; }
    /// Calls of the runtime by this thread mean this device from now on.
    void make_current() const { backend::hip::check(hipSetDevice(ordinal_), "hipSetDevice"); }
    /// Waits for everything queued on the stream.
    void synchronize() { backend::hip::check(hipStreamSynchronize(stream_), "hipStreamSynchronize"); }

    /// Keeps other threads out as long as what it returns lives; throws fade::error where one is inside.
    backend::host::in_use use() { return {user_, *this}; }

    /// Refuses what the architecture could not run.
    template <class Entry>
    void launch(grid_shape grid, const typename Entry::arguments& args) {
        const auto alone = use();
        const auto [threads, dynamic] = checked(shape_of<Entry>(), grid);
        void* list[] = {const_cast<void*>(static_cast<const void*>(&args))};
        backend::hip::check(hipSetDevice(ordinal_), "hipSetDevice");
        backend::hip::check(hipLaunchKernel(entry_address<Entry>(),
                                            dim3(unsigned(grid.x), unsigned(grid.y), unsigned(grid.z)),
                                            dim3(unsigned(threads)), list, std::size_t(dynamic), stream_),
                            "hipLaunchKernel");
    }

    /// Kernels that are compiled when the program runs (fade/device/tune/compiling.hpp).
    using loaded_kernel = backend::hip::loaded_kernel;
    /// What they are compiled for: "gfx90a:sramecc+:xnack-".
    const std::string& compiled_arch() const { return chip_; }
    /// Launches one, whose arguments lie at `args`. Refuses what the architecture could not run.
    void launch_loaded(const loaded_kernel& kernel, grid_shape grid, const void* args) {
        const auto alone = use();
        const auto [threads, dynamic] = checked(kernel.shape, grid);
        void* list[] = {const_cast<void*>(args)};
        backend::hip::check(hipSetDevice(ordinal_), "hipSetDevice");
        backend::hip::check(hipModuleLaunchKernel(kernel.function, unsigned(grid.x), unsigned(grid.y),
                                                  unsigned(grid.z), unsigned(threads), 1, 1,
                                                  unsigned(dynamic), stream_, list, nullptr),
                            "hipModuleLaunchKernel");
    }

    /// Device memory of at least that size, kept for the next call; growing waits for the stream, whose
    /// kernels may still use the old piece.
    void* workspace(std::size_t bytes) {
        const auto alone = use();
        if (bytes > pool_bytes_) {
            synchronize();
            if (pool_) release(pool_);
            pool_ = nullptr, pool_bytes_ = 0;
            pool_ = allocate(bytes), pool_bytes_ = bytes;
        }
        return pool_;
    }

    /// Device memory, until release().
    void* allocate(std::size_t bytes) {
        void* p = nullptr;
        backend::hip::check(hipMalloc(&p, bytes), "hipMalloc");
        return p;
    }
    /// Gives back what allocate() gave.
    void release(void* p) { backend::hip::check(hipFree(p), "hipFree"); }
    /// Queued on the stream.
    void copy_to_device(void* to, const void* from, std::size_t bytes) {
        backend::hip::check(hipMemcpyAsync(to, from, bytes, hipMemcpyHostToDevice, stream_),
                            "hipMemcpyAsync");
    }
    /// Queued on the stream; `to` holds it after synchronize().
    void copy_to_host(void* to, const void* from, std::size_t bytes) {
        backend::hip::check(hipMemcpyAsync(to, from, bytes, hipMemcpyDeviceToHost, stream_),
                            "hipMemcpyAsync");
    }

private:
    hip_device(const backend::device_reading& said, int ordinal, hipStream_t stream, int compute_units)
        : hip_target(*said.target, compute_units), ordinal_(ordinal), stream_(stream), chip_(*said.target) {
        if (compute_units < 0)
            throw error("compute_units", std::to_string(compute_units),
                        "a device has at least 1, and 0 asks the runtime");
        with_arch([&](auto a) {
            check_wave<decltype(a)>(int(*said.warp_size));
            if (compute_units == 0) set_compute_units(backend::hip::compute_units<decltype(a)>(said));
        });
    }

    struct launched {
        int threads, dynamic;  ///< of a workgroup; bytes of shared memory that are asked for
    };
    /// Refuses what the architecture could not run.
    launched checked(const launch_shape& shape, const grid_shape& grid) const {
        launched out{};
        with_arch([&](auto a) {
            arch::check_launch(a.traits, shape, grid);
            out = {shape.waves * a.traits.wave_size, arch::dynamic_shared_bytes(a.traits, shape)};
        });
        return out;
    }

    /// A kernel's width is fixed when it is compiled; lanes that are not there would compute nothing.
    template <class Arch>
    static void check_wave(int width) {
        const auto& t = Arch::traits;
        if (width != t.wave_size)
            throw error("warpSize", std::to_string(width),
                        "kernels for " + std::string(t.name) + " are compiled for waves of " +
                            std::to_string(t.wave_size));
    }

    int ordinal_;
    hipStream_t stream_;
    std::string chip_;
    void* pool_ = nullptr;
    std::size_t pool_bytes_ = 0;
    backend::host::user user_;
};

}  // namespace FADE_NAMESPACE

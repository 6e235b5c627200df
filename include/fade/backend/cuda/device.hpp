// An NVIDIA GPU behind the CUDA runtime.
#pragma once
#include <cstddef>
#include <fade/arch/launch_limits.hpp>
#include <fade/arch/sm_90a.hpp>
#include <fade/backend/cuda/kernel.hpp>
#include <fade/backend/cuda/library.hpp>
#include <fade/backend/cuda/tensor_map.hpp>
#include <fade/backend/host/user.hpp>
#include <fade/core/error.hpp>
#include <string>
#include <unordered_set>

namespace FADE_NAMESPACE {

/// Device `ordinal` of the CUDA runtime. Launches go to `stream` (default: the null stream) and return at
/// once; memory is the runtime's. One object serves one thread at a time.
class cuda_device {
public:
    /// Throws fade::error where there is no such device, or one older than compute capability 8.0.
    explicit cuda_device(int ordinal = 0, cudaStream_t stream = nullptr)
        : ordinal_(ordinal), stream_(stream) {
        int count = 0;
        check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
        if (ordinal < 0 || ordinal >= count)
            throw error("device", std::to_string(ordinal),
                        "the CUDA runtime has " + std::to_string(count) + " devices");
        cudaDeviceProp p{};
        check(cudaGetDeviceProperties(&p, ordinal), "cudaGetDeviceProperties");
        if (p.major < 8)
            throw error("device", p.name, "FADE needs compute capability 8.0 or later on NVIDIA");
        hopper_ = p.major == 9, capability_ = 10 * p.major + p.minor;
        chip_ = p.name;
        compute_units_ = p.multiProcessorCount;
    }

    ~cuda_device() {
        if (pool_) static_cast<void>(cudaFree(pool_));
    }
    cuda_device(const cuda_device&) = delete;
    cuda_device& operator=(const cuda_device&) = delete;

    /// "cuda:0" and the like, and the product.
    std::string name() const { return "cuda:" + std::to_string(ordinal_) + " " + chip_; }
    /// Multiprocessors.
    int compute_units() const { return compute_units_; }
    /// Where launches go.
    cudaStream_t stream() const { return stream_; }
    /// Calls of the runtime by this thread mean this device from now on.
    void make_current() const { check(cudaSetDevice(ordinal_), "cudaSetDevice"); }
    /// Waits for everything queued on the stream.
    void synchronize() { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

    /// Calls f with the architecture whose kernels this device runs.
    template <class F>
    void with_arch(F&& f) const {
        hopper_ ? f(arch::sm_90a{}) : f(arch::sm_80{});
    }
    /// For Hopper's copy unit. The driver wants the device's context, which a call may need before anything
    /// else does.
    template <class Source>
    tensor_map map(const Source& source) const {
        check(cudaSetDevice(ordinal_), "cudaSetDevice");
        return backend::cuda::encoded(source);
    }
    /// The shape of a workgroup in which this device launches an entry.
    template <class Entry>
    launch_shape shape_of() const {
        launch_shape out{};
        with_arch([&](auto a) { out = Entry::template shape<decltype(a)>(); });
        return out;
    }
    /// What the runtime knows a kernel by.
    template <class Entry>
    static const void* entry_address() {
        return reinterpret_cast<const void*>(&backend::cuda::kernel<Entry>);
    }

    /// Keeps other threads out as long as what it returns lives; throws fade::error where one is inside.
    backend::host::in_use use() { return {user_, *this}; }

    /// Refuses what the architecture could not run.
    template <class Entry>
    void launch(grid_shape grid, const typename Entry::arguments& args) {
        launch_function(entry_address<Entry>(), shape_of<Entry>(), grid, &args);
    }

    /// Kernels that are compiled when the program runs (fade/device/tune/compiling.hpp).
    using loaded_kernel = backend::cuda::loaded_kernel;
    /// What they are compiled for: "sm_90a".
    std::string compiled_arch() const { return "sm_" + std::to_string(capability_) + (hopper_ ? "a" : ""); }
    /// Launches one, whose arguments lie at `args`. Refuses what the architecture could not run.
    void launch_loaded(const loaded_kernel& kernel, grid_shape grid, const void* args) {
        launch_function(kernel.function, kernel.shape, grid, args);
    }

private:
    void launch_function(const void* function, const launch_shape& of, grid_shape grid, const void* args) {
        const auto alone = use();
        const launch_shape shape = launched_as(of, grid);
        int dynamic = 0;
        with_arch([&](auto a) {
            arch::check_launch(a.traits, shape, grid);
            dynamic = arch::dynamic_shared_bytes(a.traits, shape);
        });
        void* list[] = {const_cast<void*>(args)};
        check(cudaSetDevice(ordinal_), "cudaSetDevice");
        allow_shared(function, dynamic);
        cudaLaunchAttribute attributes[] = {launched_early(), in_clusters_of(shape.cluster)};
        cudaLaunchConfig_t how{};
        how.gridDim = dim3(grid.x, grid.y, grid.z), how.blockDim = dim3(shape.all_waves() * 32),
        how.dynamicSmemBytes = std::size_t(dynamic), how.stream = stream_;
        // Clusters of one workgroup are launched more slowly than workgroups, and each attribute takes the
        // driver a third of a microsecond.
        how.attrs = attributes, how.numAttrs = !hopper_ ? 0 : shape.cluster > 1 ? 2 : 1;
        check(cudaLaunchKernelExC(&how, function, list), "cudaLaunchKernelExC");
    }

public:
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
        check(cudaMalloc(&p, bytes), "cudaMalloc");
        return p;
    }
    /// Gives back what allocate() gave.
    void release(void* p) { check(cudaFree(p), "cudaFree"); }
    /// Queued on the stream.
    void copy_to_device(void* to, const void* from, std::size_t bytes) {
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_), "cudaMemcpyAsync");
    }
    /// Queued on the stream; `to` holds it after synchronize().
    void copy_to_host(void* to, const void* from, std::size_t bytes) {
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_), "cudaMemcpyAsync");
    }

private:
    /// A kernel gets ready while the one before it ends, for whose end it waits.
    static cudaLaunchAttribute launched_early() {
        cudaLaunchAttribute out{};
        out.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        out.val.programmaticStreamSerializationAllowed = 1;
        return out;
    }
    static cudaLaunchAttribute in_clusters_of(int workgroups) {
        cudaLaunchAttribute out{};
        out.id = cudaLaunchAttributeClusterDimension;
        out.val.clusterDim.x = unsigned(workgroups);
        out.val.clusterDim.y = out.val.clusterDim.z = 1;
        return out;
    }
    /// Once a kernel: launches are queued faster.
    void allow_shared(const void* kernel, int bytes) {
        if (allowed_.insert(kernel).second)
            check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                  "cudaFuncSetAttribute");
    }
    static void check(cudaError_t status, const char* what) {
        if (status != cudaSuccess)
            throw error(what, std::string("refused (") + cudaGetErrorName(status) + ")",
                        std::string("the CUDA runtime says: ") + cudaGetErrorString(status));
    }
    int ordinal_, compute_units_ = 0, capability_ = 0;
    cudaStream_t stream_;
    bool hopper_ = false;
    std::string chip_;
    std::unordered_set<const void*> allowed_;
    void* pool_ = nullptr;
    std::size_t pool_bytes_ = 0;
    backend::host::user user_;
};

}  // namespace FADE_NAMESPACE

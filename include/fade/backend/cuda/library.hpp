// Kernels that were compiled when the program ran, behind the CUDA runtime.
#pragma once
#include <cuda_runtime.h>
#include <fade/core/error.hpp>
#include <fade/core/launch.hpp>
#include <string>

namespace FADE_NAMESPACE::backend::cuda {

#if CUDART_VERSION >= 12080
/// A kernel of a cubin, which stays loaded as long as this lives.
class loaded_kernel {
public:
    /// Throws fade::error for what the current device cannot load.
    explicit loaded_kernel(const std::string& code) {
        check(cudaLibraryLoadData(&library_, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
              "cudaLibraryLoadData");
        cudaKernel_t found = nullptr;
        check(cudaLibraryGetKernel(&found, library_, "fade_kernel"), "cudaLibraryGetKernel");
        function = reinterpret_cast<const void*>(found);
        void* at = nullptr;
        std::size_t bytes = 0;
        int words[6] = {};
        check(cudaLibraryGetGlobal(&at, &bytes, library_, "fade_kernel_shape"), "cudaLibraryGetGlobal");
        if (bytes != sizeof words) throw error("kernel", "of another shape", "it must be FADE's");
        check(cudaMemcpy(words, at, sizeof words, cudaMemcpyDeviceToHost), "cudaMemcpy");
        shape = {words[0], words[1], words[2], words[3] != 0, words[4], words[5]};
    }
    ~loaded_kernel() {
        if (library_) static_cast<void>(cudaLibraryUnload(library_));
    }
    loaded_kernel(const loaded_kernel&) = delete;
    loaded_kernel& operator=(const loaded_kernel&) = delete;

    const void* function = nullptr;  ///< as launches take it
    launch_shape shape{};            ///< of a workgroup

private:
    static void check(cudaError_t status, const char* what) {
        if (status != cudaSuccess)
            throw error(what, std::string("refused (") + cudaGetErrorName(status) + ")",
                        std::string("the CUDA runtime says: ") + cudaGetErrorString(status));
    }
    cudaLibrary_t library_ = nullptr;
};
#else
/// The runtime loads no cubins.
class loaded_kernel {
public:
    explicit loaded_kernel(const std::string&) {
        throw error("kernel", "not to be loaded", "the CUDA runtime loads kernels from CUDA 12.8 on");
    }
    const void* function = nullptr;
    launch_shape shape{};
};
#endif

}  // namespace FADE_NAMESPACE::backend::cuda

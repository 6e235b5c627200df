// Kernels that were compiled when the program ran, behind the HIP runtime.
#pragma once
#include <fade/backend/hip/runtime.hpp>
#include <fade/core/launch.hpp>

namespace FADE_NAMESPACE::backend::hip {

/// A kernel of a code object, which stays loaded as long as this lives.
class loaded_kernel {
public:
    /// Throws fade::error for what the current device cannot load.
    explicit loaded_kernel(const std::string& code) {
        check(hipModuleLoadData(&module_, code.data()), "hipModuleLoadData");
        check(hipModuleGetFunction(&function, module_, "fade_kernel"), "hipModuleGetFunction");
        hipDeviceptr_t at{};
        std::size_t bytes = 0;
        int words[6] = {};
        check(hipModuleGetGlobal(&at, &bytes, module_, "fade_kernel_shape"), "hipModuleGetGlobal");
        if (bytes != sizeof words) throw error("kernel", "of another shape", "it must be FADE's");
        check(hipMemcpyDtoH(words, at, sizeof words), "hipMemcpyDtoH");
        shape = {words[0], words[1], words[2], words[3] != 0, words[4], words[5]};
    }
    ~loaded_kernel() {
        if (module_) static_cast<void>(hipModuleUnload(module_));
    }
    loaded_kernel(const loaded_kernel&) = delete;
    loaded_kernel& operator=(const loaded_kernel&) = delete;

    hipFunction_t function = nullptr;  ///< as launches take it
    launch_shape shape{};              ///< of a workgroup

private:
    hipModule_t module_ = nullptr;
};

}  // namespace FADE_NAMESPACE::backend::hip

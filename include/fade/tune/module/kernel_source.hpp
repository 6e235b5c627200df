// The source text of a kernel by one policy, for NVRTC, hipRTC or a compiler that is a program.
#pragma once
#include <cstddef>
#include <fade/arch/arch_list.hpp>
#include <fade/core/version.hpp>
#include <fade/tune/module/run_time_compiler.hpp>
#include <string>

namespace FADE_NAMESPACE::tune {

/// What a kernel is compiled for.
struct kernel_target {
    enum class kind { cuda, hip, emulated } device = kind::cuda;
    std::string arch{};  ///< "sm_90a", "gfx942"
    /// Are all fields equal?
    bool operator==(const kernel_target&) const = default;
};

/// The source text of a kernel: of a GPU `fade_kernel` and `fade_kernel_shape`, of an emulated device a
/// function `fade_launch` and the key.
inline std::string kernel_source(const kernel_target& at, const char* const* headers, std::size_t count,
                                 const std::string& entry) {
    using enum kernel_target::kind;
    const auto include = [](const std::string& header) { return "#include <" + header + ">\n"; };
    std::string out = "// A kernel by one policy. FADE " FADE_VERSION " wrote and compiled this.\n";
    if (at.device == emulated)
        out += include("fade/arch/arch_list.hpp") + include("fade/device/emulated_device.hpp");
    else
        out += "#if defined(__CUDACC_RTC__) || defined(__HIPCC_RTC__)\n" + run_time_compiler::prelude() +
               "#endif\n" +
               include(at.device == cuda ? "fade/backend/cuda/kernel.hpp" : "fade/backend/hip/kernel.hpp");
    for (std::size_t i = 0; i < count; ++i) out += include(headers[i]);
    out += "using entry =\n    " + entry + ";\n";
    const auto shape_of = [](const std::string& shape) {
        std::string words;
        for (const char* field :
             {"waves", "shared_bytes", "waves_per_simd", "awaits", "producers", "cluster"})
            words += (words.empty() ? "" : ", ") + shape + "." + field;
        return "int fade_kernel_shape[] = {" + words + "};\n";
    };
    if (at.device == emulated)
        return out + "using arch = fade::arch::" + at.arch +
               ";\n#define SHOWN extern \"C\" __attribute__((visibility(\"default\")))\nSHOWN " +
               shape_of("entry::shape<arch>()") +
               "SHOWN const char* fade_key() { return FADE_MODULE_KEY; }\n"
               "SHOWN bool fade_launch(void* device, const fade::grid_shape* grid, const void* args, char* "
               "why, "
               "std::size_t room) {\n    try {\n        static_cast<fade::emulated_device<arch>*>(device)"
               "->launch<entry>(*grid, *static_cast<const entry::arguments*>(args));\n        return true;\n"
               "    } catch (const std::exception& e) {\n        std::snprintf(why, room, \"%s\", "
               "e.what());\n"
               "        return false;\n    }\n}\n";
    const std::string here = at.device == cuda ? "fade::backend::cuda::" : "fade::backend::hip::";
    out += "extern \"C\" {\n__device__ " + shape_of(here + "current_shape<entry>");
    if (at.device == cuda)
        out +=
            "__global__ void __launch_bounds__(fade::backend::lanes_of_pass<entry>(), "
            "fade::backend::cuda::resident<entry>)\n    fade_kernel(const __grid_constant__ entry::arguments "
            "args) {\n";
    else
        out +=
            "__attribute__((global, amdgpu_flat_work_group_size(fade::backend::lanes_of_pass<entry>(), "
            "fade::backend::lanes_of_pass<entry>()), amdgpu_waves_per_eu(fade::backend::hip::"
            "current_shape<entry>.waves_per_simd))) void\n    fade_kernel(const entry::arguments args) {\n";
    return out + "    " + here + "run_kernel<entry>(args);\n}\n}\n";
}

}  // namespace FADE_NAMESPACE::tune

// NVRTC and hipRTC, where the machine has them: opened by the loader, and no program links against them.
#pragma once
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fade/core/error.hpp>
#include <optional>
#include <string>
#include <vector>

namespace FADE_NAMESPACE::tune {

/// Whose GPUs a compiler makes code for.
enum class gpu_vendor { nvidia, amd };

/// What became of a source text.
struct compiled_code {
    std::string code{};  ///< of a cubin, or a code object; empty where it is refused
    std::string log{};   ///< what the compiler said
};

/// A compiler that is a library: NVRTC (NVIDIA, "NVRTC: User Guide") or hipRTC (AMD, "HIP RTC programming
/// guide"). One thread at a time.
class run_time_compiler {
    using program = void*;
    using text = const char*;

public:
    /// Of the libraries' usual names, or of `library`, a path or a name that the loader knows. Throws
    /// fade::error where there is none, with the loader's words.
    explicit run_time_compiler(gpu_vendor vendor, const std::string& library = {}) : vendor_(vendor) {
        std::vector<std::string> names{library};
        if (library.empty())
            names = of_nvidia() ? std::vector<std::string>{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}
                                : std::vector<std::string>{"libhiprtc.so.7", "libhiprtc.so.6",
                                                           "libamdhip64.so.6", "libamdhip64.so.5"};
        std::string why;
        for (const std::string& name : names) {
            handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
            if (handle_) break;
            why += (why.empty() ? "" : "; ") + std::string(::dlerror());
        }
        if (!handle_) throw error(word(), "not found", "the loader says: " + why);
        find(create_, "CreateProgram"), find(destroy_, "DestroyProgram"), find(compile_, "CompileProgram");
        find(log_size_, "GetProgramLogSize"), find(log_, "GetProgramLog"), find(version_, "Version");
        find(code_size_, of_nvidia() ? "GetCUBINSize" : "GetCodeSize");
        find(code_, of_nvidia() ? "GetCUBIN" : "GetCode");
    }
    // The library stays: it has threads and memory of its own.
    run_time_compiler(const run_time_compiler&) = delete;
    run_time_compiler& operator=(const run_time_compiler&) = delete;

    /// "NVRTC 13.0", which names it in keys.
    std::string name() const {
        int major = 0, minor = 0;
        version_(&major, &minor);
        return std::string(word()) + " " + std::to_string(major) + "." + std::to_string(minor);
    }
    gpu_vendor vendor() const { return vendor_; }

    /// Compiles a source text for an architecture ("sm_90a", "gfx942"), with FADE's headers in `include`.
    compiled_code compile(const std::string& source, const std::string& arch, const std::string& include,
                          const std::vector<std::string>& flags = {}) const {
        std::vector<text> texts, names;
        for (const text header : std_headers)
            names.push_back(header), texts.push_back("#include <fade/backend/run_time_std.hpp>\n");
        program made = nullptr;
        if (create_(&made, source.c_str(), "fade_kernel", int(names.size()), texts.data(), names.data()) != 0)
            return {.log = "error: the program cannot be made"};
        std::vector<std::string> words{"-std=c++20", "-I" + include};
        if (of_nvidia())
            words.insert(words.end(), {"-arch=" + arch, "-default-device", "-device-int128",
                                       "-diag-suppress=161,1097", "-w"});
        else
            words.insert(words.end(), {"--offload-arch=" + arch, "-O3"});
        words.insert(words.end(), flags.begin(), flags.end());
        std::vector<text> options;
        for (const std::string& one : words) options.push_back(one.c_str());
        const bool done = compile_(made, int(options.size()), options.data()) == 0;
        compiled_code out{.log = words_of(made, log_size_, log_)};
        if (done) out.code = words_of(made, code_size_, code_);
        destroy_(&made);
        return out;
    }

    /// What a source text begins with: FADE's own part of std, and words that these compilers do not know.
    /// Code for the host beside kernels is read, too, and never run.
    static std::string prelude() {
        return "#include <fade/backend/run_time_std.hpp>\n"
               "#define std fade_std\n"
               "#if defined(__CUDACC_RTC__)\n"
               "#define __NVCC__\n"  // its pragmas are understood
               "#define throw (void)\n"
               "#define __extension__\n"
               "#define __builtin_shufflevector(a, ...) (a)\n"
               "#define __builtin_inff() fade_std::numeric_limits<float>::infinity()\n"
               "#define __builtin_memcpy memcpy\n"
               "#define __builtin_fmaf fmaf\n"
               "#define __builtin_fabsf fabsf\n"
               "#define __builtin_fmaxf fmaxf\n"
               "#define __builtin_exp2f exp2f\n"
               "#define __builtin_log2f log2f\n"
               "#define __builtin_sqrtf sqrtf\n"
               "#define __builtin_rintf rintf\n"
               "#define __builtin_rint rint\n"
               "#endif\n";
    }

private:
    /// Those that headers of kernels include.
    static constexpr text std_headers[] = {
        "algorithm",        "array",       "bit",           "charconv", "cmath",     "concepts",
        "cstddef",          "cstdint",     "cstdio",        "cstdlib",  "cstring",   "limits",
        "initializer_list", "new",         "optional",      "span",     "stdexcept", "string",
        "string_view",      "type_traits", "unordered_set", "utility",  "vector"};

    bool of_nvidia() const { return vendor_ == gpu_vendor::nvidia; }
    const char* word() const { return of_nvidia() ? "NVRTC" : "hipRTC"; }
    template <class Function>
    void find(Function& to, const char* name) {
        const std::string whole = (of_nvidia() ? "nvrtc" : "hiprtc") + std::string(name);
        to = reinterpret_cast<Function>(::dlsym(handle_, whole.c_str()));
        if (!to) throw error(word(), "without " + whole, "the library must have it");
    }
    static std::string words_of(program made, int (*size)(program, std::size_t*),
                                int (*get)(program, char*)) {
        std::size_t bytes = 0;
        if (size(made, &bytes) != 0) return {};
        std::string out(bytes, '\0');
        if (bytes > 0 && get(made, out.data()) != 0) return {};
        return out;
    }

    gpu_vendor vendor_;
    void* handle_ = nullptr;
    int (*create_)(program*, text, text, int, const text*, const text*) = nullptr;
    int (*destroy_)(program*) = nullptr;
    int (*compile_)(program, int, const text*) = nullptr;
    int (*log_size_)(program, std::size_t*) = nullptr;
    int (*log_)(program, char*) = nullptr;
    int (*code_size_)(program, std::size_t*) = nullptr;
    int (*code_)(program, char*) = nullptr;
    int (*version_)(int*, int*) = nullptr;
};

}  // namespace FADE_NAMESPACE::tune

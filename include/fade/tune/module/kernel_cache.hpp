// Kernels on the disk: compiled by NVRTC, hipRTC or the user's compiler, kept under the hash of what they
// were made of.
#pragma once
#include <chrono>
#include <fade/arch/arch_list.hpp>
#include <fade/tune/module/cache.hpp>
#include <fade/tune/module/run_time_compiler.hpp>
#include <map>
#include <memory>
#include <sys/auxv.h>

namespace FADE_NAMESPACE {

/// Where kernels come from that a program does not hold.
struct kernel_options {
    std::string library{};             ///< NVRTC or hipRTC: a path or name; empty: where the loader finds it
    std::string compiler{};            ///< instead of it: an absolute path, or a name that PATH has
    std::vector<std::string> flags{};  ///< for either, behind FADE's own
    std::string include{};             ///< the folder that holds FADE's headers, of this program's version
    std::string folder{};              ///< of the cache; empty: fade/modules in XDG_CACHE_HOME or ~/.cache
    bool compiles = true;              ///< false: what the cache has is loaded, and nothing is compiled
};

namespace tune {

/// What a kernel is compiled for.
struct kernel_target {
    enum class kind { cuda, hip, emulated } device = kind::cuda;
    std::string arch{};  ///< "sm_90a", "gfx942"
    /// Are all fields equal?
    bool operator==(const kernel_target&) const = default;
};

/// What became of a request.
struct found_kernel {
    std::string file{};        ///< of the code; empty where there is none
    std::string key{};         ///< what it was made of
    bool cached = false;       ///< was it there?
    bool out_of_time = false;  ///< was the compiler killed, or not begun?
    std::string why{};         ///< there is none
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

/// One thread at a time.
class kernel_cache {
public:
    /// Throws fade::error for headers, a compiler or a folder that cannot be used, and in a program that has
    /// the rights of another user than the one that started it. A library is opened when it is wanted.
    explicit kernel_cache(kernel_options options) : options_(std::move(options)), sources_(options_.include) {
        if (::getauxval(AT_SECURE))
            throw error("kernel_cache", "asked for", "a program with another user's rights compiles nothing");
        if (!options_.compiler.empty() && !options_.library.empty())
            throw error("library", "'" + options_.library + "'",
                        "kernels have one compiler, and `compiler` is set");
        if (!options_.compiler.empty()) compiler_ = program_file("compiler", options_.compiler);
        if (options_.folder.empty()) options_.folder = detail::default_module_folder();
        if (!options_.folder.starts_with("/"))
            throw error("folder", "'" + options_.folder + "'", "it must be an absolute path");
        detail::make_private_folder(options_.folder);
    }
    kernel_cache(const kernel_cache&) = delete;
    kernel_cache& operator=(const kernel_cache&) = delete;

    /// The file of a kernel, compiled where it is not there. What FADE's rules refuse is remembered, and not
    /// compiled again. A compiler runs in a process of its own, which is killed at the limit, and not begun
    /// where the last one took longer than what is left.
    found_kernel find(const kernel_target& at, const std::string& source,
                      time_limit limit = time_limit::max()) {
        found_kernel out{.key = key_of(at, source)};
        const std::string file = path(out.key, at.device == kernel_target::kind::emulated ? ".so" : ".code"),
                          refused = path(out.key, ".refused");
        if (detail::is_own_file(file))
            out.file = file, out.cached = true;
        else if (detail::is_own_file(refused))
            out.why = text_of_file(refused), out.cached = true;
        else if (!options_.compiles)
            out.why = "the cache has no kernel of this policy";
        else
            compile(at, source, limit, file, out);
        return out;
    }

    /// What names a kernel: a hash of the headers, the compiler, its flags, the target and the source.
    std::string key_of(const kernel_target& at, const std::string& source) {
        std::string all = sources_.all + "\n" + (compiler_.empty() ? library(at).name() : identity());
        for (const std::string& flag : options_.flags) all += "\n" + flag;
        return sha256(all + "\n" + std::to_string(int(at.device)) + at.arch + "\n" + source).substr(0, 32);
    }
    /// The headers that kernels are compiled from.
    const module_sources& sources() const { return sources_; }
    /// The folder of the cache.
    const std::string& folder() const { return options_.folder; }

private:
    using clock = std::chrono::steady_clock;
    std::string path(const std::string& key, const char* end) const {
        return options_.folder + "/" + key + end;
    }
    std::string identity() const { return detail::identity_of_file(compiler_); }

    run_time_compiler& library(const kernel_target& at) {
        using enum kernel_target::kind;
        if (at.device == emulated)
            throw error("compiler", "none", "emulated kernels are compiled by a compiler that is a program");
        const gpu_vendor vendor = at.device == cuda ? gpu_vendor::nvidia : gpu_vendor::amd;
        if (!library_ || library_->vendor() != vendor)
            library_ = std::make_unique<run_time_compiler>(vendor, options_.library);
        return *library_;
    }

    void compile(const kernel_target& at, const std::string& source, time_limit limit,
                 const std::string& file, found_kernel& out) {
        const time_limit begin = clock::now();
        if (limit != time_limit::max() && limit - begin <= compiling_) {
            out.why = "the budget has no time to compile it", out.out_of_time = true;
            return;
        }
        const std::string own = path(out.key, ("." + std::to_string(::getpid())).c_str());
        const std::string log = compiler_.empty() ? by_library(at, source, own, limit, out)
                                                  : by_program(at, source, own, limit, out);
        // One that was killed would have taken longer than that.
        compiling_ = out.out_of_time ? std::max(compiling_, clock::now() - begin) : clock::now() - begin;
        if (log.empty() && ::chmod((own + ".out").c_str(), 0700) == 0 &&
            ::rename((own + ".out").c_str(), file.c_str()) == 0) {
            out.file = file;
            return;
        }
        ::unlink((own + ".out").c_str());
        out.why = log.empty()       ? "the cache cannot be written"
                  : out.out_of_time ? error_of(log)
                                    : "the compiler refuses it: " + error_of(log);
        if (out.why.find("static assertion failed") != std::string::npos)
            write(path(out.key, ".refused"), out.why);
    }
    /// What a compiler says that ended so; empty where it is done.
    std::string words_of_end(process_end end, const std::string& log, found_kernel& out) const {
        out.out_of_time = end == process_end::out_of_time;
        if (end == process_end::done) return {};
        if (out.out_of_time) return "error: the budget ended while it was compiled";
        if (end == process_end::not_started)
            return "error: " + (compiler_.empty() ? "a process" : "'" + compiler_ + "'") +
                   " cannot be started";
        const std::string said = text_of_file(log);
        return said.empty() ? "it ended without success" : said;
    }
    /// In a copy of this process: it cannot be stopped otherwise, and some crash (hipRTC 5.2).
    std::string by_library(const kernel_target& at, const std::string& source, const std::string& own,
                           time_limit limit, found_kernel& out) {
        const run_time_compiler& compiler = library(at);
        const std::string log = own + ".log";
        write(log, "");
        const process_end end = run_apart(
            [&] {
                const compiled_code made = compiler.compile(source, at.arch, sources_.folder, options_.flags);
                const bool done = !made.code.empty();
                write(done ? own + ".out" : log, done ? made.code : made.log);
                return done;
            },
            limit);
        const std::string said = words_of_end(end, log, out);
        ::unlink(log.c_str());
        return said;
    }
    std::string by_program(const kernel_target& at, const std::string& source, const std::string& own,
                           time_limit limit, found_kernel& out) {
        using enum kernel_target::kind;
        const std::string text = own + (at.device == cuda  ? ".cu"
                                        : at.device == hip ? ".hip"
                                                           : ".cpp"),
                          log = own + ".log";
        write(text, source);
        std::vector<std::string> words{
            compiler_, "-std=c++20", "-I" + sources_.folder, "-DFADE_MODULE_KEY=\"" + out.key + "\"", text,
            "-o",      own + ".out"};
        const auto add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
        if (at.device == emulated) add({"-O1", "-fPIC", "-shared", "-fvisibility=hidden"});
        if (at.device == cuda)
            add({"-O3", "-arch=" + at.arch, "-cubin", "--expt-relaxed-constexpr", "--extended-lambda"});
        if (at.device == hip)
            add({"-O3", "-x", "hip", "--offload-arch=" + at.arch, "--offload-device-only", "-nogpulib",
                 "--no-gpu-bundle-output"});
        words.insert(words.end(), options_.flags.begin(), options_.flags.end());
        const process_end end = run_process(words, options_.folder, log, limit);
        const std::string said = words_of_end(end, log, out);
        for (const std::string& one : {text, log}) ::unlink(one.c_str());
        return said;
    }

    /// The first line that names an error.
    static std::string error_of(const std::string& log) {
        const std::size_t at = log.find("error: ");
        if (at == std::string::npos) return log.substr(0, 300);
        const std::size_t begin = at + 7;
        return log.substr(begin, std::min<std::size_t>(log.find('\n', begin) - begin, 300));
    }
    static void write(const std::string& to, const std::string& text) {
        const int file = ::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
        const bool whole = file >= 0 && ::write(file, text.data(), text.size()) == ssize_t(text.size());
        if (file >= 0) ::close(file);
        if (!whole) throw error("folder", "'" + to + "'", "it cannot be written");
    }

    kernel_options options_;
    module_sources sources_;
    std::string compiler_;  // a program; empty: a library
    std::unique_ptr<run_time_compiler> library_;
    clock::duration compiling_{0};  // what the last one took
};

}  // namespace tune
}  // namespace FADE_NAMESPACE

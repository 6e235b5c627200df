// Kernels on the disk: compiled by NVRTC, hipRTC or the user's compiler, kept under the hash of what they
// were made of.
#pragma once
#include <chrono>
#include <fade/tune/module/cache.hpp>
#include <fade/tune/module/kernel_source.hpp>
#include <fade/tune/module/run_time_compiler.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <sys/auxv.h>
#include <utility>
#include <vector>

namespace FADE_NAMESPACE {

/// Where kernels come from that a program does not hold.
struct kernel_options {
    std::string library{};             ///< NVRTC or hipRTC: a path or name; empty: where the loader finds it
    std::string compiler{};            ///< instead of it: an absolute path, or a name that PATH has
    std::vector<std::string> flags{};  ///< for either, behind FADE's own
    std::string include{};             ///< the folder that holds FADE's headers, of this program's version
    std::string folder{};              ///< of the cache; empty: fade/modules in XDG_CACHE_HOME or ~/.cache
    bool compiles = true;              ///< false: what the cache has is loaded, and nothing is compiled
    int jobs = 0;  ///< compilers that run side by side; 0: as many as cores that this process may use
};

namespace tune {

/// What became of a request.
struct found_kernel {
    std::string file{};        ///< of the code; empty where there is none
    std::string key{};         ///< what it was made of
    bool cached = false;       ///< was it there?
    bool out_of_time = false;  ///< was the compiler killed, or not begun?
    std::string why{};         ///< there is none
};

/// A kernel that is wanted.
struct kernel_request {
    kernel_target at{};
    std::string source{};  ///< as kernel_source writes it
};

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
        jobs_ = detail::jobs_of(options_.jobs);
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
        return find_all({{at, source}}, limit).front();
    }
    /// The same of many, in their order: up to `jobs` compilers run side by side, begun in that order. At the
    /// limit, and where `stopped` says so, all are killed with what they started.
    std::vector<found_kernel> find_all(
        const std::vector<kernel_request>& wanted, time_limit limit,
        const std::function<bool()>& stopped = [] { return false; }) {
        std::vector<found_kernel> out(wanted.size());
        const compile_limits limits{limit, jobs_, stopped};
        run_concurrently(
            out.size(), limits,
            [&](std::size_t i) {
                return must_compile(wanted[i], out[i]) && has_time(limits, out[i])
                           ? std::optional(begin(wanted[i], out[i]))
                           : std::nullopt;
            },
            [&](compilation& one) { end(one); });
        return out;
    }
    /// Remembers why a kernel must not be used, and forgets its code. A cache that cannot be written stays.
    void refuse(const std::string& key, const std::string& why) const {
        for (const char* const code : {".so", ".code"}) ::unlink(path(key, code).c_str());
        static_cast<void>(written(path(key, ".refused"), why));
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

    /// A compiler that runs, and what it makes.
    struct compilation {
        found_kernel* to;
        temporary_files own;
        child_process process;
        std::string file;  // where the code goes
        time_limit begun;
    };

    /// Is it not on the disk? Else `out` says what is there.
    bool must_compile(const kernel_request& r, found_kernel& out) {
        out.key = key_of(r.at, r.source);
        const std::string file = file_of(r.at, out.key), refused = path(out.key, ".refused");
        if (detail::is_own_file(refused))
            out.why = text_of_file(refused), out.cached = true;
        else if (detail::is_own_file(file))
            out.file = file, out.cached = true;
        else if (!options_.compiles)
            out.why = "the cache has no kernel of this policy";
        else
            return true;
        return false;
    }
    std::string file_of(const kernel_target& at, const std::string& key) const {
        return path(key, at.device == kernel_target::kind::emulated ? ".so" : ".code");
    }
    bool has_time(const compile_limits& limits, found_kernel& out) const {
        const bool bounded = limits.end != time_limit::max();
        out.out_of_time = limits.stopped() || (bounded && limits.end - clock::now() <= compiling_);
        if (out.out_of_time) out.why = "the budget has no time to compile it";
        return !out.out_of_time;
    }
    compilation begin(const kernel_request& r, found_kernel& to) {
        temporary_files own(
            path(to.key, ("." + std::to_string(::getpid()) + "-" + std::to_string(begun_++)).c_str()));
        const time_limit now = clock::now();
        std::string file = file_of(r.at, to.key);
        child_process process = compiler_.empty() ? by_library(r, own) : by_program(r, own, to.key);
        return {&to, std::move(own), std::move(process), std::move(file), now};
    }
    /// Waits for its end, and keeps what it made.
    void end(compilation& c) {
        const process_end how = c.process.reap();
        found_kernel& out = *c.to;
        out.out_of_time = how == process_end::out_of_time;
        // One that was killed would have taken longer than that.
        const clock::duration took = clock::now() - c.begun;
        compiling_ = out.out_of_time ? std::max(compiling_, took) : took;
        const std::string made = c.own + ".out", said = words_of_end(how, c.own + ".log");
        if (said.empty() && ::chmod(made.c_str(), 0700) == 0 && ::rename(made.c_str(), c.file.c_str()) == 0) {
            out.file = c.file;
            return;
        }
        out.why = said.empty()      ? "the cache cannot be written"
                  : out.out_of_time ? error_of(said)
                                    : "the compiler refuses it: " + error_of(said);
        if (out.why.find("static assertion failed") != std::string::npos)
            write(path(out.key, ".refused"), out.why);
    }
    /// What a compiler says that ended so; empty where it is done.
    std::string words_of_end(process_end end, const std::string& log) const {
        if (end == process_end::done) return {};
        if (end == process_end::out_of_time) return "error: the budget ended while it was compiled";
        if (end == process_end::not_started)
            return "error: " + (compiler_.empty() ? "a process" : "'" + compiler_ + "'") +
                   " cannot be started";
        const std::string said = text_of_file(log);
        return said.empty() ? "it ended without success" : said;
    }
    /// In a copy of this process: it cannot be stopped otherwise, and some crash (hipRTC 5.2).
    child_process by_library(const kernel_request& r, const temporary_files& own) {
        const run_time_compiler& compiler = library(r.at);
        write(own + ".log", "");
        return child_process::apart([&] {
            const compiled_code made = compiler.compile(r.source, r.at.arch, sources_.folder, options_.flags);
            const bool done = !made.code.empty();
            write(own + (done ? ".out" : ".log"), done ? made.code : made.log);
            return done;
        });
    }
    child_process by_program(const kernel_request& r, const temporary_files& own,
                             const std::string& key) const {
        using enum kernel_target::kind;
        const auto device = r.at.device;
        const std::string text = own + (device == cuda ? ".cu" : device == hip ? ".hip" : ".cpp");
        write(text, r.source);
        std::vector<std::string> words{
            compiler_, "-std=c++20", "-I" + sources_.folder, "-DFADE_MODULE_KEY=\"" + key + "\"", text,
            "-o",      own + ".out"};
        const auto add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
        if (device == emulated) add({"-O1", "-fPIC", "-shared", "-fvisibility=hidden"});
        if (device == cuda)
            add({"-O3", "-arch=" + r.at.arch, "-cubin", "--expt-relaxed-constexpr", "--extended-lambda"});
        if (device == hip)
            add({"-O3", "-x", "hip", "--offload-arch=" + r.at.arch, "--offload-device-only", "-nogpulib",
                 "--no-gpu-bundle-output"});
        words.insert(words.end(), options_.flags.begin(), options_.flags.end());
        return child_process::program(words, options_.folder, own + ".log");
    }

    /// The first line that names an error.
    static std::string error_of(const std::string& log) {
        const std::size_t at = log.find("error: ");
        if (at == std::string::npos) return log.substr(0, 300);
        const std::size_t begin = at + 7;
        return log.substr(begin, std::min<std::size_t>(log.find('\n', begin) - begin, 300));
    }
    static bool written(const std::string& to, const std::string& text) {
        const int file = ::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
        const bool whole = file >= 0 && ::write(file, text.data(), text.size()) == ssize_t(text.size());
        if (file >= 0) ::close(file);
        return whole;
    }
    static void write(const std::string& to, const std::string& text) {
        if (!written(to, text)) throw error("folder", "'" + to + "'", "it cannot be written");
    }

    kernel_options options_;
    module_sources sources_;
    std::string compiler_;  // a program; empty: a library
    std::unique_ptr<run_time_compiler> library_;
    std::size_t jobs_ = 1;
    int begun_ = 0;                 // compilers, which names their files
    clock::duration compiling_{0};  // what the last one took
};

}  // namespace tune
}  // namespace FADE_NAMESPACE

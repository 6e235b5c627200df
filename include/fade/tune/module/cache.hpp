// Modules on the disk: compiled by the user's compiler, kept under the hash of what they were made of.
#pragma once
#include <cstring>
#include <dlfcn.h>
#include <fade/backend/host/thread_team.hpp>
#include <fade/core/require.hpp>
#include <fade/tune/module/compile_loop.hpp>
#include <fade/tune/module/interface.hpp>
#include <fade/tune/module/source.hpp>
#include <fade/tune/module/sources.hpp>
#include <fade/tune/module/step_time.hpp>
#include <map>
#include <optional>
#include <sys/auxv.h>

namespace FADE_NAMESPACE {

/// Where modules come from.
struct module_options {
    std::string compiler{};            ///< an absolute path, or a name that PATH has; $CXX where it is empty
    std::vector<std::string> flags{};  ///< for the compiler, behind FADE's own
    std::string include{};             ///< the folder that holds FADE's headers, of this program's version
    std::string folder{};              ///< of the cache; empty: fade/modules in XDG_CACHE_HOME or ~/.cache
    bool compiles = true;              ///< false: what the cache has is loaded, and nothing is compiled
    int jobs = 0;  ///< compilers that run side by side; 0: as many as cores that this process may use
};

namespace tune {

/// What became of a request.
struct found_module {
    const gemm_module* functions = nullptr;  ///< null where there is none
    bool cached = false;                     ///< was it there?
    bool out_of_time = false;                ///< was the compiler killed, or not begun?
    std::string why{};                       ///< there is none
};

namespace detail {

/// Makes a folder that nobody else may enter, or takes the one that is there. Throws fade::error for one that
/// is of somebody else, or that others may enter.
inline void make_private_folder(const std::string& path) {
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
        throw error("folder", "'" + path + "'", std::string("it cannot be made: ") + std::strerror(errno));
    struct stat at{};
    if (::lstat(path.c_str(), &at) != 0 || !S_ISDIR(at.st_mode) || at.st_uid != ::geteuid() ||
        (at.st_mode & 077) != 0)
        throw error("folder", "'" + path + "'",
                    "what is loaded comes from a folder of your own that nobody else may enter: chmod 700");
}

/// The default folder: XDG Base Directory Specification, where a path that is not absolute counts as none.
inline std::string default_module_folder() {
    const auto absolute = [](const char* variable) {
        const char* value = std::getenv(variable);
        return std::string(value && value[0] == '/' ? value : "");
    };
    std::string base = absolute("XDG_CACHE_HOME");
    if (base.empty()) {
        base = absolute("HOME");
        if (base.empty()) throw error("folder", "''", "neither XDG_CACHE_HOME nor HOME says where");
        base += "/.cache";
    }
    ::mkdir(base.c_str(), 0700);
    make_private_folder(base + "/fade");
    return base + "/fade/modules";
}

/// How many compilers run at once where so many were asked for. Throws fade::error for fewer than none.
inline std::size_t jobs_of(int asked) {
    require_real(asked >= 0, "jobs", asked, "compilers run side by side: 0 means as many as cores");
    return std::size_t(asked > 0 ? asked : backend::host::cores());
}

/// May it be loaded: a file of this user's, which nobody else may write?
inline bool is_own_file(const std::string& path) {
    struct stat at{};
    return ::lstat(path.c_str(), &at) == 0 && S_ISREG(at.st_mode) && at.st_uid == ::geteuid() &&
           (at.st_mode & 022) == 0;
}

/// What tells one compiler from another of the same name.
inline std::string identity_of_file(const std::string& path) {
    struct stat at{};
    if (::stat(path.c_str(), &at) != 0) return path;
    return path + " " + std::to_string(at.st_size) + " " + std::to_string(at.st_mtim.tv_sec) + "." +
           std::to_string(at.st_mtim.tv_nsec);
}

/// The first line of a log that names an error.
inline std::string first_error(const std::string& log) {
    std::ifstream in(log);
    for (std::string line; std::getline(in, line);)
        if (const std::size_t at = line.find("error: "); at != std::string::npos)
            return line.substr(at + 7, 300);
    return "it ended without success";
}

}  // namespace detail

/// One thread at a time. What was loaded stays so until the program ends.
class module_cache {
    using clock = std::chrono::steady_clock;
    struct opened {
        const gemm_module* module;
        module_target target;
        void* device;
    };

public:
    /// Throws fade::error for a compiler, headers or a folder that cannot be used, and in a program that
    /// has the rights of another user than the one that started it.
    explicit module_cache(module_options options) : options_(std::move(options)), sources_(options_.include) {
        if (::getauxval(AT_SECURE))
            throw error("module_cache", "asked for", "a program with another user's rights compiles nothing");
        jobs_ = detail::jobs_of(options_.jobs);
        const char* cxx = std::getenv("CXX");
        if (options_.compiler.empty()) options_.compiler = cxx ? cxx : "";
        compiler_ = program_file("compiler", options_.compiler);
        if (options_.folder.empty()) options_.folder = detail::default_module_folder();
        if (!options_.folder.starts_with("/"))
            throw error("folder", "'" + options_.folder + "'", "it must be an absolute path");
        detail::make_private_folder(options_.folder);
    }

    ~module_cache() {
        for (const opened& one : opened_) one.module->close(one.device);
    }
    module_cache(const module_cache&) = delete;
    module_cache& operator=(const module_cache&) = delete;
    /// What names the module of a request: a hash of the headers, the compiler, its flags and the source.
    std::string key_of(const module_request& r) const {
        std::string all = sources_.all + "\n" + detail::identity_of_file(compiler_);
        for (const std::string& flag : module_flags(r)) all += "\n" + flag;
        for (const std::string& flag : options_.flags) all += "\n" + flag;
        return sha256(all + "\n" + module_source(r)).substr(0, 32);
    }

    /// Loads it, after compiling it where it is not there and time is left: as much as the last one took. It
    /// returns by the limit. What FADE's rules refuse is remembered, and not compiled again.
    found_module find(const module_request& r, time_limit limit) { return find_all({r}, limit).front(); }
    /// The same of many, in their order: up to `jobs` compilers run side by side, begun in that order. Where
    /// `stopped` says so all are killed before the limit.
    std::vector<found_module> find_all(
        const std::vector<module_request>& wanted, time_limit limit,
        const std::function<bool()>& stopped = [] { return false; }) {
        std::vector<found_module> out(wanted.size());
        compile_limits limits{limit, std::min(jobs_, std::max<std::size_t>(wanted.size(), 1)), stopped};
        constexpr std::chrono::milliseconds another{2};  // that ends beside one
        if (limit != time_limit::max()) limits.end -= ending_.next() + another * (limits.jobs - 1);
        run_concurrently(
            out.size(), limits,
            [&](std::size_t i) {
                const std::string key = key_of(wanted[i]);
                return must_compile(key, out[i]) && has_time(limits, out[i])
                           ? std::optional(begin(wanted[i], key, out[i]))
                           : std::nullopt;
            },
            [&](compilation& one) { end(one); });
        return out;
    }

    /// The device of a module: opened once for each target, and open as long as the cache. Null where it
    /// cannot be opened, and `why` says so.
    void* device_of(const gemm_module& module, const module_target& target, module_words why) {
        for (const opened& one : opened_)
            if (one.module == &module && one.target == target) return one.device;
        void* const device = module.open(target, why);
        if (device) opened_.push_back({&module, target, device});
        return device;
    }
    /// The folder of the cache.
    const std::string& folder() const { return options_.folder; }
    /// The headers that modules are compiled from.
    const module_sources& sources() const { return sources_; }

private:
    std::string path(const std::string& key, const std::string& end) const {
        return options_.folder + "/" + key + end;
    }

    found_module load(const std::string& key, const std::string& file, bool cached) {
        void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!handle) return {.cached = cached, .why = ::dlerror()};
        using entry = const gemm_module* (*)();
        const auto functions = reinterpret_cast<entry>(::dlsym(handle, module_entry));
        const gemm_module* const found = functions ? functions() : nullptr;
        if (!found || key != found->key)
            return {.cached = cached, .why = "the file is no module of this key"};
        loaded_[key] = found;
        return {found, cached};
    }

    /// A compiler that runs, and what it makes.
    struct compilation {
        found_module* to;
        temporary_files own;
        child_process process;
        std::string key;
        time_limit begun;
    };

    /// Is it neither loaded nor on the disk? Else `out` says what is there.
    bool must_compile(const std::string& key, found_module& out) {
        if (const auto at = loaded_.find(key); at != loaded_.end())
            out = {at->second, true};
        else if (detail::is_own_file(path(key, ".so")))
            out = load(key, path(key, ".so"), true);
        else if (detail::is_own_file(path(key, ".refused")))
            out = {.cached = true, .why = text_of_file(path(key, ".refused"))};
        else if (!options_.compiles)
            out = {.why = "the cache has no module of this policy"};
        else
            return true;
        return false;
    }
    bool has_time(const compile_limits& limits, found_module& out) const {
        const bool bounded = limits.end != time_limit::max();
        out.out_of_time = limits.stopped() || (bounded && limits.end - clock::now() <= compiling_);
        if (out.out_of_time) out.why = "the budget has no time to compile it";
        return !out.out_of_time;
    }
    /// Under names of this process, so that others may compile the same; what is whole gets its own name.
    compilation begin(const module_request& r, const std::string& key, found_module& to) {
        const time_limit now = clock::now();
        temporary_files own(path(key, "." + std::to_string(::getpid()) + "-" + std::to_string(begun_++)));
        write(own + ".cpp", module_source(r));
        std::vector<std::string> words{compiler_};
        for (const std::string& flag : module_flags(r)) words.push_back(flag);
        words.insert(words.end(), {"-I" + sources_.folder, "-DFADE_MODULE_KEY=\"" + key + "\"",
                                   "-DFADE_SOURCE_FINGERPRINT=\"" + sources_.kernels + "\"", own + ".cpp",
                                   "-o", own + ".so"});
        words.insert(words.end(), options_.flags.begin(), options_.flags.end());
        child_process process = child_process::program(words, options_.folder, own + ".log");
        return {&to, std::move(own), std::move(process), key, now};
    }
    /// Waits for its end, loads what it made, and keeps it.
    void end(compilation& c) {
        const time_limit ended = clock::now();
        const process_end how = c.process.reap();
        const bool late = how == process_end::out_of_time;
        // One that was killed would have taken longer than that.
        compiling_ = late ? std::max(compiling_, ended - c.begun) : ended - c.begun;
        const std::string made = c.own + ".so";
        if (how == process_end::done && ::chmod(made.c_str(), 0700) == 0) {
            *c.to = load(c.key, made, false);
            if (c.to->functions) static_cast<void>(::rename(made.c_str(), path(c.key, ".so").c_str()));
        } else if (late)
            *c.to = {.out_of_time = true, .why = "the budget ended while it was compiled"};
        else
            *c.to = refused(c.key, c.own + ".log", how);
        ending_.took(clock::now() - ended);
    }

    found_module refused(const std::string& key, const std::string& log, process_end end) const {
        if (end != process_end::failed) return {.why = "'" + compiler_ + "' cannot be started"};
        const std::string said = detail::first_error(log), why = "the compiler refuses it: " + said;
        if (said.starts_with("static assertion failed")) write(path(key, ".refused"), why);
        return {.why = why};
    }
    static void write(const std::string& to, const std::string& text) {
        const int file = ::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
        const bool whole = file >= 0 && ::write(file, text.data(), text.size()) == ssize_t(text.size());
        if (file >= 0) ::close(file);
        if (!whole) throw error("folder", "'" + to + "'", "it cannot be written");
    }

    module_options options_;
    module_sources sources_;
    std::string compiler_;
    std::size_t jobs_ = 1;
    int begun_ = 0;                                    // compilers, which names their files
    clock::duration compiling_{0};                     // what the last compiler took
    step_time ending_{std::chrono::milliseconds(20)};  // from the end of a compiler until it is loaded
    std::map<std::string, const gemm_module*> loaded_;
    std::vector<opened> opened_;
};

}  // namespace tune
}  // namespace FADE_NAMESPACE

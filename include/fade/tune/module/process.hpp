// A program that runs until it ends or time is up: without a shell, and in a folder that is named.
#pragma once
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <fade/core/error.hpp>
#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

extern char** environ;

namespace FADE_NAMESPACE::tune {

/// When something must have ended.
using time_limit = std::chrono::steady_clock::time_point;

/// How a program ended.
enum class process_end { done, failed, out_of_time, not_started };

/// The file of a program: a path that is absolute, or a name that stands in an absolute folder of PATH.
/// Nothing is ever taken from the working directory. Throws fade::error for any other word.
inline std::string program_file(const std::string& argument, const std::string& word) {
    const auto runs = [](const std::string& path) {
        struct stat at{};
        return ::stat(path.c_str(), &at) == 0 && S_ISREG(at.st_mode) && ::access(path.c_str(), X_OK) == 0;
    };
    if (word.starts_with("/") && runs(word)) return word;
    if (word.empty() || word.find('/') != std::string::npos)
        throw error(argument, "'" + word + "'",
                    "it must be the absolute path of a program, or its name, which is looked for in PATH");
    const char* path = std::getenv("PATH");
    std::string left = path ? path : "";
    for (std::size_t at = 0; at <= left.size();) {
        const std::size_t end = std::min(left.find(':', at), left.size());
        const std::string file = left.substr(at, end - at) + "/" + word;
        if (file.starts_with("/") && file.size() > word.size() + 1 && runs(file)) return file;
        at = end + 1;
    }
    throw error(argument, "'" + word + "'", "no absolute folder of PATH has such a program");
}

namespace detail {

/// What posix_spawn is told, and gives back.
class spawn_settings {
public:
    spawn_settings(const std::string& folder, const std::string& log) {
        posix_spawn_file_actions_init(&actions_), posix_spawnattr_init(&attributes_);
        posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
        posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions_, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW,
                                         0600);
        posix_spawn_file_actions_adddup2(&actions_, 1, 2);
        posix_spawnattr_setpgroup(&attributes_, 0);  // so that what it starts can be ended with it
        sigset_t none;
        sigemptyset(&none);
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    }
    ~spawn_settings() { posix_spawn_file_actions_destroy(&actions_), posix_spawnattr_destroy(&attributes_); }
    spawn_settings(const spawn_settings&) = delete;
    spawn_settings& operator=(const spawn_settings&) = delete;

    posix_spawn_file_actions_t actions_;
    posix_spawnattr_t attributes_;
};

}  // namespace detail

/// A program, or a copy of this one, that runs beside this program: the first of a group of its own, so that
/// what it starts ends with it. One that runs when this is destroyed is killed.
class child_process {
public:
    /// Calls f() in a copy of this process, so that a fault of f ends the copy alone. False, and what f
    /// throws, are a failure. The copy has this thread and no other: f takes no lock that another thread may
    /// hold, asks no GPU, and leaves what it makes in files.
    template <class F>
    static child_process apart(const F& f) {
        child_process out(::fork());
        if (out.id_ == 0) {
            ::setpgid(0, 0);
            bool done = false;
            try {
                done = f();
            } catch (...) {  // a failure as well
            }
            ::_exit(done ? 0 : 1);
        }
        if (out.runs()) ::setpgid(out.id_, out.id_);  // it may be killed before it does so itself
        return out;
    }
    /// Runs words[0], an absolute path, with the environment of this program, nothing to read, and `log` for
    /// what it says. Threads of this program may do the same meanwhile.
    static child_process program(const std::vector<std::string>& words, const std::string& folder,
                                 const std::string& log) {
        std::vector<char*> argv;
        for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
        argv.push_back(nullptr);
        detail::spawn_settings settings(folder, log);
        pid_t child = 0;
        const bool begun = posix_spawn(&child, argv[0], &settings.actions_, &settings.attributes_,
                                       argv.data(), environ) == 0;
        return child_process(begun ? child : -1);
    }

    child_process(child_process&& other) noexcept
        : id_(std::exchange(other.id_, -1)), end_(other.end_), is_killed_(other.is_killed_) {}
    child_process& operator=(child_process&& other) noexcept {
        std::swap(id_, other.id_), std::swap(end_, other.end_), std::swap(is_killed_, other.is_killed_);
        return *this;
    }
    ~child_process() { kill(), reap(); }

    /// Has it ended? Asks once, and does not wait.
    bool has_ended() {
        if (runs()) look(WNOHANG);
        return !runs();
    }
    /// Ends it with all that it started, and does not wait until that is done.
    void kill() {
        if (!runs()) return;
        ::kill(-id_, SIGKILL), ::kill(id_, SIGKILL);
        is_killed_ = true;
    }
    /// Waits for its end, and says how that was.
    process_end reap() {
        while (runs()) look(0);
        return is_killed_ ? process_end::out_of_time : end_;
    }
    /// The same, and kills it at the limit.
    process_end reap(time_limit limit) {
        while (!has_ended()) {
            if (std::chrono::steady_clock::now() >= limit) return kill(), reap();
            std::this_thread::sleep_for(poll);
        }
        return reap();
    }
    /// Between two looks at what runs.
    static constexpr std::chrono::milliseconds poll{2};

private:
    explicit child_process(pid_t id) : id_(id) {}
    bool runs() const { return id_ > 0; }
    void look(int how) {
        int status = 0;
        const pid_t ended = ::waitpid(id_, &status, how);
        if (ended == 0 || (ended < 0 && errno == EINTR)) return;
        const bool done = ended == id_ && WIFEXITED(status) && WEXITSTATUS(status) == 0;
        end_ = done ? process_end::done : process_end::failed;
        id_ = -1;
    }

    pid_t id_;
    process_end end_ = process_end::not_started;
    bool is_killed_ = false;
};

/// Calls f() in a copy of this process, as child_process::apart does, until the limit.
template <class F>
process_end run_apart(const F& f, time_limit limit) {
    return child_process::apart(f).reap(limit);
}

/// Runs words[0] as child_process::program does, until the limit.
inline process_end run_process(const std::vector<std::string>& words, const std::string& folder,
                               const std::string& log, time_limit limit) {
    return child_process::program(words, folder, log).reap(limit);
}

}  // namespace FADE_NAMESPACE::tune

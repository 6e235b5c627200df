// Whose a database is, read past SQLite.
#pragma once
#include <array>
#include <cstdint>
#include <ctime>
#include <fade/core/namespace.hpp>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace FADE_NAMESPACE::tune {

/// The application_id of a database, big-endian at byte 68 (SQLite, "Database File Format"); 0 where there is
/// none. SQLite itself refuses a file that was killed while its log was brought into it, unless it may bring
/// the log into it. The descriptor stays open, one a file: to close it would lose the locks that SQLite holds
/// for this process.
inline std::int64_t file_mark(const std::string& path) {
    static std::mutex guard;
    static std::map<std::pair<dev_t, ino_t>, int> kept;
    struct stat at{};
    const std::lock_guard lock(guard);
    if (::stat(path.c_str(), &at) != 0) return 0;
    auto found = kept.find({at.st_dev, at.st_ino});
    if (found == kept.end()) {
        const int opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (opened < 0 || ::fstat(opened, &at) != 0) return 0;
        found = kept.insert_or_assign({at.st_dev, at.st_ino}, opened).first;
    }
    unsigned char mark[4];
    if (::pread(found->second, mark, sizeof mark, 68) != sizeof mark) return 0;
    return std::int64_t(mark[0]) << 24 | mark[1] << 16 | mark[2] << 8 | mark[3];
}

/// When a database was last written, as its file system says: that of the file and of its log.
class file_times {
public:
    file_times() = default;
    explicit file_times(const std::string& path) {
        struct timespec now{};
        ::clock_gettime(CLOCK_REALTIME, &now);
        for (const std::string& one : {path, path + "-wal"}) {
            struct stat at{};
            if (::stat(one.c_str(), &at) != 0) at = {};
            all_.push_back({std::int64_t(at.st_ino), std::int64_t(at.st_size), nanoseconds(at.st_mtim)});
            // Clocks of file systems tick some milliseconds: two writes within a tick look like one.
            const std::int64_t since = nanoseconds(now) - nanoseconds(at.st_mtim);
            settled_ = settled_ && (at.st_size == 0 || since < 0 || since > 100'000'000);
        }
    }
    /// Has nobody written since then? False where it cannot be told.
    bool still(const file_times& before) const {
        return before.settled_ && !all_.empty() && all_ == before.all_;
    }

private:
    static std::int64_t nanoseconds(const struct timespec& t) {
        return std::int64_t(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
    }
    std::vector<std::array<std::int64_t, 3>> all_;  // inode, size, time of the last write
    bool settled_ = true;
};

}  // namespace FADE_NAMESPACE::tune

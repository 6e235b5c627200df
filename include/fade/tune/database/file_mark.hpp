// Whose a database is, read past SQLite.
#pragma once
#include <cstdint>
#include <fade/core/namespace.hpp>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

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

}  // namespace FADE_NAMESPACE::tune

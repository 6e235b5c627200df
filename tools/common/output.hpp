// What a program writes to its standard output: all of it, or the program says that it could not.
#pragma once
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fade::tools {

/// Standard output takes no more: what() is one sentence.
class unwritten : public std::runtime_error {
public:
    explicit unwritten(int why)
        : std::runtime_error(std::string("The answer could not be written to standard output: ") +
                             std::strerror(why) + ".") {}
};

/// A stream that is closed gets a file that takes nothing. Else the next file that is opened would be that
/// stream, and would receive the answer. A reader that went away is an error of writing, and no signal.
inline void hold_standard_streams() {
    for (int stream : {0, 1, 2})
        if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF) static_cast<void>(::open("/dev/null", O_RDONLY));
    std::signal(SIGPIPE, SIG_IGN);
}

/// Throws where something that was printed did not arrive.
inline void finish_output() {
    const bool lost_before = std::ferror(stdout) != 0;
    errno = 0;
    if (std::fflush(stdout) != 0 || lost_before) throw unwritten(errno ? errno : EIO);
}

/// Writes a text now, not at the end of the program.
inline void write_output(std::string_view text) {
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) < text.size()) throw unwritten(errno ? errno : EIO);
    finish_output();
}

}  // namespace fade::tools

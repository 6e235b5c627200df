#include "progress.hpp"

#include <cstdio>
#include <unistd.h>
#include <utility>

namespace demo {

progress::progress(std::string what, int count)
    : what_(std::move(what)), count_(count), terminal_(isatty(2) != 0) {}

void progress::show(int done, float loss) {
    constexpr int width = 40;
    const bool last = done == count_;
    if (!terminal_ && !last) return;
    const std::string bar(std::size_t(width * done / count_), '#');
    std::fprintf(stderr, "%s%-16s [%-*s] epoch %d of %d, loss %.4f%s", terminal_ ? "\r" : "", what_.c_str(),
                 width, bar.c_str(), done, count_, double(loss), last ? "\n" : "");
    std::fflush(stderr);
}

}  // namespace demo

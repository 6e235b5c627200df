#include "progress.hpp"

#include <cstdio>
#include <unistd.h>
#include <utility>

namespace demo {

progress::progress(std::string what, int epochs)
    : what_(std::move(what)), epochs_(epochs), terminal_(isatty(2) != 0) {}

void progress::bar(double epochs_done, float loss) const {
    constexpr int columns = 30;
    const std::string done(std::size_t(columns * epochs_done / epochs_), '#');
    std::fprintf(stderr, "%s%-24s [%-*s] epoch %4.1f of %d, loss %.4f", terminal_ ? "\r" : "", what_.c_str(),
                 columns, done.c_str(), epochs_done, epochs_, double(loss));
}

void progress::step(int epoch, double done, float loss) const {
    if (terminal_) bar(epoch + done, loss);
    std::fflush(stderr);
}

void progress::epoch(int epoch, float loss, float accuracy) const {
    bar(epoch + 1, loss);
    std::fprintf(stderr, ", %.2f %% right%s", double(accuracy), terminal_ && epoch + 1 < epochs_ ? "" : "\n");
    std::fflush(stderr);
}

}  // namespace demo

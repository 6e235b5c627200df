// Ctrl-C, and what ends a run in the background, let a run stop behind the call that is being timed.
#pragma once
#include <csignal>

namespace fade::tools {

/// Has somebody asked for the end?
inline volatile std::sig_atomic_t interrupted = 0;

/// From now on SIGINT, SIGTERM and SIGHUP ask, but those that the program was started to ignore.
inline void stop_when_asked() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        if (std::signal(signal, [](int) { interrupted = 1; }) == SIG_IGN) std::signal(signal, SIG_IGN);
}

}  // namespace fade::tools

// Time of the processors that this process took: what other programs do on the same machine does not count.
#pragma once
#include <ctime>

namespace fade::test {

/// Seconds of all processors that all threads of this process have taken so far.
inline double processor_seconds() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + double(t.tv_nsec) / 1e9;
}

}  // namespace fade::test

// An unchanged program at its worst: threads set variables all the while, then there is no memory left. Exit
// 0 where every answer came.
#include "truth_shim/layout.hpp"
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

extern "C" int hipGetDevicePropertiesR0600(void*, int);
extern "C" int hipDeviceGetAttribute(int*, int, int);
extern "C" void* __libc_malloc(std::size_t);

namespace {

std::atomic<bool> empty{false};

/// Names that were not there before: the environment moves each time.
void set_variables(const std::atomic<bool>& done) {
    for (int i = 0; !done; ++i) {
        setenv(("RESTLESS_" + std::to_string(i % 5000)).c_str(), std::to_string(i).c_str(), 1);
        if (i % 5000 == 4999)
            for (int k = 0; k < 5000; ++k) unsetenv(("RESTLESS_" + std::to_string(k)).c_str());
    }
}

bool answers() {
    using namespace fade::shim;
    alignas(16) char p[1472];
    int count = 0;
    return hipGetDevicePropertiesR0600(p, 0) == 0 &&
           hipDeviceGetAttribute(&count, multiprocessor_count, 0) == 0 && count != 0 &&
           get<int>(p, new_layout.warp_size) == 32;
}

}  // namespace

extern "C" void* malloc(std::size_t bytes) { return empty ? nullptr : __libc_malloc(bytes); }

int main() {
    std::atomic<bool> done{false};
    std::thread other([&] { set_variables(done); });
    int answered = 0;
    for (int i = 0; i < 20000; ++i) answered += answers();
    done = true, other.join();
    empty = true;
    const bool poor = answers();
    empty = false;
    std::printf("%d of 20000, %s without memory\n", answered, poor ? "one" : "none");
    return answered == 20000 && poor ? 0 : 1;
}

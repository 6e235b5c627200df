#include "peer_library.hpp"
#include "../common/refusal.hpp"
#include <dlfcn.h>
#include <filesystem>

namespace fade::bench {

void* peer_function(const std::string& peer, const std::string& function) {
    std::error_code failure;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", failure);
    const auto library = program.parent_path() / ("libfade-bench-" + peer + ".so");
    void* loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    void* found = loaded ? dlsym(loaded, function.c_str()) : nullptr;
    if (found) return found;
    const char* why = dlerror();
    throw tools::refusal("--vs is " + peer +
                         ", whose library cannot be loaded: " + (why ? why : "no reason is given") + ".");
}

}  // namespace fade::bench

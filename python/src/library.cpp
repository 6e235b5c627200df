#include "library.hpp"
#include <dlfcn.h>

namespace fade::python {

library::~library() {
    if (handle) dlclose(handle);
}

std::shared_ptr<library> load(const std::string& path, std::string& why_not) {
    auto out = std::make_shared<library>();
    // A name without a folder would be looked for wherever the loader looks.
    if (path.empty() || path[0] != '/') return why_not = "its path must be absolute", nullptr;
    out->handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!out->handle) return why_not = dlerror(), nullptr;
#define FADE_PYTHON_FIND(name)                                                                               \
    out->name = reinterpret_cast<decltype(out->name)>(dlsym(out->handle, #name));                            \
    if (!out->name) return why_not = "it has no " #name, nullptr;
    FADE_PYTHON_FUNCTIONS(FADE_PYTHON_FIND)
    FADE_PYTHON_IMAGE_FUNCTIONS(FADE_PYTHON_FIND)
    FADE_PYTHON_OPTIMIZER_FUNCTIONS(FADE_PYTHON_FIND)
    FADE_PYTHON_TUNING_FUNCTIONS(FADE_PYTHON_FIND)
#undef FADE_PYTHON_FIND
    return out;
}

}  // namespace fade::python

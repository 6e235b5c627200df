#include "runner.hpp"
#include <algorithm>

namespace fade::bench {

std::vector<gpu_kind>& gpu_kinds() {
    static std::vector<gpu_kind> all;
    return all;
}

add_gpu_kind::add_gpu_kind(std::string name, int (*count)()) {
    if (!std::ranges::count(gpu_kinds(), name, &gpu_kind::name))
        gpu_kinds().push_back({std::move(name), count});
}

}  // namespace fade::bench

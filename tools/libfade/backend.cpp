#include "backend.hpp"

namespace fade::c {

std::vector<std::unique_ptr<backend>>& backends() {
    static std::vector<std::unique_ptr<backend>> all;
    return all;
}

backend& backend_of(const std::string& kind) {
    for (const auto& b : backends())
        if (b->kind == kind) return *b;
    backends().push_back(std::make_unique<backend>());
    backends().back()->kind = kind;
    return *backends().back();
}

}  // namespace fade::c

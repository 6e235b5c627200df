#include "on_device.hpp"

namespace demo {

std::unique_ptr<examiner> emulated_gfx942(const std::string& name) {
    using device = fade::emulated_device<fade::arch::gfx942>;
    return name == "emulated:gfx942" ? std::make_unique<examiner_on<device>>() : nullptr;
}

}  // namespace demo

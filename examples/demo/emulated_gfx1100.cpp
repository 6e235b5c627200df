#include "on_device.hpp"

namespace demo {

std::unique_ptr<examiner> emulated_gfx1100(const std::string& name) {
    using device = fade::emulated_device<fade::arch::gfx1100>;
    return name == "emulated:gfx1100" ? std::make_unique<examiner_on<device>>() : nullptr;
}

}  // namespace demo

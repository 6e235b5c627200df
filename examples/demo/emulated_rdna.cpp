#include "on_device.hpp"

namespace demo {

std::optional<outcome> on_emulated_rdna(const std::string& name, const settings& s, const digits& data) {
    using namespace fade::arch;
    return on_emulated(arch_list<gfx1030, gfx1100, gfx1201>{}, name, s, data);
}

}  // namespace demo

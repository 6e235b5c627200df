#include "on_device.hpp"

namespace demo {

std::optional<outcome> on_emulated_cdna(const std::string& name, const settings& s, const digits& data) {
    using namespace fade::arch;
    return on_emulated(arch_list<gfx906, gfx942, gfx950>{}, name, s, data);
}

}  // namespace demo

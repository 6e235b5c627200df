#include "table.hpp"
#include <fade/arch/arch_list.hpp>

namespace fade::doctor {
namespace {

/// The architecture whose kernels serve a chip: its own, or that of its family with the smaller register file.
std::string row_of(const std::string& gfx) {
    constexpr std::pair<const char*, const char*> kin[] = {{"gfx1031", "gfx1030"}, {"gfx1032", "gfx1030"}, {"gfx1033", "gfx1030"}, {"gfx1034", "gfx1030"}, {"gfx1035", "gfx1030"},
                                                           {"gfx1036", "gfx1030"}, {"gfx1103", "gfx1102"}, {"gfx1152", "gfx1150"}, {"gfx1153", "gfx1150"}};
    for (const auto& [chip, row] : kin)
        if (gfx == chip) return row;
    return arch::with_arch(arch::amd{}, gfx, [](auto) {}) ? gfx : "";
}

template <class... Archs>
std::string rows(arch::arch_list<Archs...>) {
    std::string out;
    const auto row = [&](const arch::arch_traits& t) {
        std::string name(t.name);
        name.resize(10, ' ');
        out += "  " + name + "wave " + std::to_string(t.wave_size) + ", emulated lane for lane on a CPU; compiled code: static audit; no measurement on the device\n";
    };
    (row(Archs::traits), ...);
    return out;
}

}  // namespace

std::string kernels_of(const std::string& gfx) {
    if (gfx == "sm_80" || gfx == "sm_90") return "kernels of " + gfx + (gfx == "sm_90" ? "a" : "") + " where the cuda preset is built";
    const std::string row = row_of(gfx);
    if (row.empty()) return {};
    return "kernels of " + row + (row == gfx ? "" : " (same instructions as " + gfx + ")") + "; evidence: emulated lane for lane, static audit of the code, not measured on the device";
}

std::string evidence() {
    return "Architectures that FADE has kernels for, and what their proof is:\n\n" + rows(arch::amd{}) +
           "  sm_80, sm_90a  wave 32, compiled by nvcc where the cuda preset is built\n  host      this CPU: tests and measurements run here\n";
}

}  // namespace fade::doctor

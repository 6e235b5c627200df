#include "table.hpp"
#include <algorithm>
#include <array>
#include <fade/arch/arch_list.hpp>

namespace fade::doctor {
namespace {

/// How the kernels of an architecture were tried. README.md shows the same table, and a test compares them.
struct proof {
    std::string_view arch;
    std::string_view emulated;  ///< which kernels: yes (all), or their name
    bool replayed = false, software_gpu = false;
    std::string_view device = {};  ///< that ran them
};

constexpr proof proofs[] = {
    {"gfx906", "yes", true, false},          {"gfx908", "yes", true, false},
    {"gfx90a", "yes", true, false},          {"gfx942", "yes", true, true},
    {"gfx950", "yes", true, false},          {"gfx1030", "yes", true, true},
    {"gfx1100", "yes", true, true},          {"gfx1101", "yes", true, false},
    {"gfx1102", "yes", true, false},         {"gfx1150", "yes", true, false},
    {"gfx1151", "yes", true, false},         {"gfx1200", "yes", true, false},
    {"gfx1201", "yes", true, true},          {"gfx1250", "yes", false, false},
    {"sm_90a", "yes", false, false, "H200"}, {"sm_80", "yes", false, false},
};

const proof* proof_of(std::string_view arch) {
    const auto found = std::ranges::find(proofs, arch, &proof::arch);
    return found == std::end(proofs) ? nullptr : found;
}

template <class... Archs>
constexpr bool all_have_rows(arch::arch_list<Archs...>) {
    return (std::ranges::any_of(proofs, [](const proof& p) { return p.arch == Archs::traits.name; }) && ...);
}
static_assert(all_have_rows(arch::amd{}), "an architecture without a row of proofs");

std::string words(const proof& p) {
    std::string out =
        "emulated lane for lane" + (p.emulated == "yes" ? "" : " (" + std::string(p.emulated) + ")");
    if (p.replayed) out += ", machine code replayed on a CPU";
    if (p.software_gpu) out += ", whole programs on a software GPU";
    return out + (p.device.empty() ? "; never yet on the device" : "; tests on an " + std::string(p.device));
}

std::string padded(std::string_view text, std::size_t width) {
    std::string out(text);
    out.resize(std::max(out.size(), width), ' ');
    return out + " ";
}

std::string yes(bool b) { return padded(b ? "yes" : "no", 16); }

std::string row(const proof& p) {
    const bool amd = p.arch.starts_with("gfx");
    const std::string compiled =
        amd ? yes(p.replayed) + yes(p.software_gpu) : padded("-", 16) + padded("-", 16);
    return "  " + padded(p.arch, 12) + padded(p.emulated, 16) + compiled +
           std::string(p.device.empty() ? "no" : p.device) + "\n";
}

}  // namespace

std::string kernels_of(const std::string& gfx) {
    const std::string own = gfx == "sm_90"           ? "sm_90a"
                            : gfx.starts_with("sm_") ? gfx
                                                     : std::string(arch::row_for(gfx));
    const proof* p = proof_of(own);
    if (!p) return {};
    return "kernels of " + own + (own == gfx || gfx == "sm_90" ? "" : " (same instructions as " + gfx + ")") +
           "; evidence: " + words(*p);
}

std::string evidence() {
    std::string out = "Architectures that FADE has kernels for, and what their proof is:\n\n  " +
                      padded("", 12) + padded("emulated", 16) + padded("code replayed", 16) +
                      padded("software GPU", 16) + "a GPU\n";
    for (const proof& p : proofs) out += row(p);
    return out + "\n  emulated: tile and lane maps, bounds, barriers, by the tests of the CPU. code "
                 "replayed: what the compiler made, instruction by instruction.\n"
                 "  software GPU: unchanged programs through the whole HIP path. This CPU (host) runs every "
                 "test natively.\n";
}

}  // namespace fade::doctor

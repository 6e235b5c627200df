// The architectures FADE knows. A new one is a file beside this, included here, and a name in `amd`.
#pragma once
#include <fade/arch/gfx1030.hpp>
#include <fade/arch/gfx1100.hpp>
#include <fade/arch/gfx1101.hpp>
#include <fade/arch/gfx1102.hpp>
#include <fade/arch/gfx1150.hpp>
#include <fade/arch/gfx1151.hpp>
#include <fade/arch/gfx1200.hpp>
#include <fade/arch/gfx1201.hpp>
#include <fade/arch/gfx1250.hpp>
#include <fade/arch/gfx906.hpp>
#include <fade/arch/gfx908.hpp>
#include <fade/arch/gfx90a.hpp>
#include <fade/arch/gfx942.hpp>
#include <fade/arch/gfx950.hpp>
#include <fade/arch/host.hpp>
#include <fade/arch/sm_80.hpp>
#include <fade/arch/sm_90a.hpp>
#include <fade/core/launch.hpp>

namespace FADE_NAMESPACE::arch {

template <class... Archs>
struct arch_list {};

/// AMD architectures, each with code and an emulated peer.
using amd = arch_list<gfx906, gfx908, gfx90a, gfx942, gfx950, gfx1030, gfx1100, gfx1101, gfx1102, gfx1150,
                      gfx1151, gfx1200, gfx1201, gfx1250>;

/// Calls f(Arch{}) for the architecture of that name; false where the list has none.
template <class F, class... Archs>
bool with_arch(arch_list<Archs...>, std::string_view name, F&& f) {
    return ((Archs::traits.name == name && (f(Archs{}), true)) || ...);
}

/// The shape in which the architecture of that name launches an entry; the list has it.
template <class Entry, class... Archs>
constexpr launch_shape shape_in(arch_list<Archs...>, std::string_view name) {
    constexpr launch_shape shapes[] = {Entry::template shape<Archs>()...};
    int at = 0;
    (void)((Archs::traits.name == name || (++at, false)) || ...);
    return shapes[at];
}

/// The row of the list that serves a chip: its own, or the generic one of its family (the one with the fewest
/// registers), or none.
inline std::string_view row_for(std::string_view chip) {
    chip = chip.substr(0, chip.find(':'));
    if (with_arch(amd{}, chip, [](auto) {})) return chip;
    struct generic {
        std::string_view prefix, row;
    };
    for (const generic& g : {generic{"gfx94", "gfx942"},
                             {"gfx103", "gfx1030"},
                             {"gfx110", "gfx1102"},
                             {"gfx115", "gfx1150"},
                             {"gfx120", "gfx1201"}})
        if (chip.size() == g.prefix.size() + 1 && chip.substr(0, g.prefix.size()) == g.prefix) return g.row;
    return {};
}

}  // namespace FADE_NAMESPACE::arch

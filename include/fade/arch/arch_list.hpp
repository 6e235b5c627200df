// The architectures FADE knows. A new one is a file beside this and a line here.
#pragma once
#include <fade/arch/gfx906.hpp>
#include <fade/arch/gfx908.hpp>
#include <fade/arch/gfx90a.hpp>
#include <fade/arch/gfx942.hpp>
#include <fade/arch/gfx950.hpp>
#include <fade/arch/gfx1030.hpp>
#include <fade/arch/gfx1100.hpp>
#include <fade/arch/gfx1101.hpp>
#include <fade/arch/gfx1102.hpp>
#include <fade/arch/gfx1150.hpp>
#include <fade/arch/gfx1151.hpp>
#include <fade/arch/gfx1200.hpp>
#include <fade/arch/gfx1201.hpp>
#include <fade/arch/gfx1250.hpp>
#include <fade/arch/host.hpp>
#include <fade/arch/sm_80.hpp>
#include <fade/arch/sm_90a.hpp>

namespace fade::arch {

template <class... Archs>
struct arch_list {};

/// AMD architectures, each with code and an emulated peer.
using amd = arch_list<gfx906, gfx908, gfx90a, gfx942, gfx950, gfx1030, gfx1100, gfx1101, gfx1102, gfx1150, gfx1151, gfx1200, gfx1201, gfx1250>;

/// Calls f(Arch{}) for the architecture of that name; false where the list has none.
template <class F, class... Archs>
bool with_arch(arch_list<Archs...>, std::string_view name, F&& f) {
    return ((Archs::traits.name == name && (f(Archs{}), true)) || ...);
}

}  // namespace fade::arch

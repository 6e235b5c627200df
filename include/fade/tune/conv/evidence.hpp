// What is known of the kernels that lay operands out for a product, and finish what it leaves.
#pragma once
#include <algorithm>
#include <fade/core/dtype.hpp>
#include <string>
#include <string_view>

namespace FADE_NAMESPACE::tune {

/// For a report of im2col, Winograd or mec; `what` names its kernels. Each architecture and type of the list
/// was compiled (clang 22, epilogue none) and looked at by itself.
inline std::string evidence_beside_product(const std::string& what, std::string_view arch, dtype in) {
    constexpr std::string_view archs[] = {"gfx942", "gfx1100", "gfx1201", "gfx1030"};
    constexpr dtype types[] = {dtype::f32, dtype::f16, dtype::bf16};
    const std::string on = " on " + std::string(arch);
    if (std::ranges::find(archs, arch) == std::end(archs) || std::ranges::find(types, in) == std::end(types))
        return "none: nobody audited or measured " + what + on;
    return "static audit alone: " + what + " spill no registers and use no scratch" + on +
           "; nobody measured them";
}

}  // namespace FADE_NAMESPACE::tune

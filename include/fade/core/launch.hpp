// What a kernel asks of the machine that launches it.
#pragma once
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

/// A kernel entry is a type with
///   using arguments = ...;                                         // trivially copyable, passed by value
///   template <class Arch> static constexpr launch_shape shape();   // for the architecture it is compiled
///   for template <workgroup Block> static void run(Block&, const arguments&);
struct launch_shape {
    int waves;  ///< of a workgroup
    int shared_bytes;
    int waves_per_simd = 1;  ///< occupancy to keep registers for
    bool awaits = false;     ///< run() calls block.await_inputs() itself, once it has done what needs only
                             ///< arguments; else it is called before run()
};

/// Workgroups in x, y and z.
struct grid_shape {
    int x = 1, y = 1, z = 1;
};

}  // namespace FADE_NAMESPACE

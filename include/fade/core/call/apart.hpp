// Parts of emulated kernels that many of them share.
#pragma once
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE {

/// f() in a function of its own: emulation is much code, and a verb that is compiled once for all kernels
/// that call it alike costs the calls. Never on a GPU, where a verb is to vanish into its kernel.
template <class F>
__attribute__((noinline)) auto apart(F f) {
    return f();
}

}  // namespace FADE_NAMESPACE

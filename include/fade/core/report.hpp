// What a call says of itself.
#pragma once
#include <fade/core/namespace.hpp>
#include <string>

namespace FADE_NAMESPACE {

/// The answer to "what ran, and why": every call returns one.
struct report {
    std::string requested;  ///< the problem in words
    std::string chosen;     ///< the kernel and its policy
    std::string why;        ///< what decided, and what stood in the way of anything better
    std::string device;     ///< the device's name
    std::string arch;       ///< the architecture the kernel was compiled for
    bool fallback =
        false;  ///< something slower than what the hardware offers was chosen; strict mode refuses it
    std::string evidence;  ///< what the choice of the policy rests on: measured, modelled or static audit
};

}  // namespace FADE_NAMESPACE

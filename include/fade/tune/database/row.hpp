// One row of a tuning database: what was tuned, by which sources, and what was found.
#pragma once
#include <cstdint>
#include <fade/core/version.hpp>
#include <fade/tune/tuned.hpp>
#include <string>

namespace FADE_NAMESPACE::tune {

/// What makes a time of one program worth nothing to another.
struct build {
    std::string fingerprint;  ///< of the sources of the kernels
    std::string compiler;     ///< and its version
    std::string version;      ///< of FADE
    /// Are all fields equal?
    bool operator==(const build&) const = default;
};

/// The build of this program. CMake's fade::tune hashes the sources; without it the version stands for them.
inline build this_build() {
#ifdef FADE_SOURCE_FINGERPRINT
    return {FADE_SOURCE_FINGERPRINT, __VERSION__, FADE_VERSION};
#else
    return {"version " FADE_VERSION, __VERSION__, FADE_VERSION};
#endif
}

/// Key: problem, machine and build. The rest is what was found.
struct tuning_row {
    tuning_problem problem;  ///< what was computed
    tuning_machine machine;  ///< where
    tune::build build = this_build();
    std::string policy{};    ///< the fastest, as policy_json spells it
    double nanoseconds = 0;  ///< median of a call
    double noise = 0;        ///< spread of the times over their median
    std::int64_t date = 0;   ///< seconds since 1970; orders nothing, since clocks are set back
    std::string evidence{};  ///< "measured on ..."
    /// Are all fields equal?
    bool operator==(const tuning_row&) const = default;
};

}  // namespace FADE_NAMESPACE::tune

// The variables that change what a runtime shows.
#pragma once
#include <string>
#include <string_view>
#include <fade/device/truth/readings.hpp>

extern "C" char** environ;

namespace fade::live {

/// Names that matter, a trailing * standing for any ending.
inline constexpr const char* watched[] = {"GPU_ENABLE_WGP_MODE", "HSA_OVERRIDE_GFX_VERSION*", "ROC_GLOBAL_CU_MASK", "HSA_CU_MASK", "HSA_COOP_CU_COUNT",
                                          "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"};

inline bool is_watched(std::string_view name) {
    for (std::string_view w : watched)
        if (w.ends_with('*') ? name.starts_with(w.substr(0, w.size() - 1)) : name == w) return true;
    return false;
}

inline void read_environment(truth::readings& r) {
    for (char** at = environ; at && *at; ++at) {
        const std::string_view row(*at);
        const std::size_t equals = row.find('=');
        if (equals != std::string_view::npos && is_watched(row.substr(0, equals))) r.environment.emplace(row.substr(0, equals), row.substr(equals + 1));
    }
}

}  // namespace fade::live

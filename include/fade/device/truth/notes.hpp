// What the variables that are set do to the answers of a runtime, as sentences for people.
#pragma once
#include <fade/device/truth/readings.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace FADE_NAMESPACE::truth {

namespace detail {

struct variable_words {
    std::string_view name;  ///< a trailing * stands for any ending
    const char* effect;
};

inline constexpr const char* shown_effect = "programs see only some devices, perhaps in another order; here "
                                            "devices are told apart by PCI address, never by index";
inline constexpr const char* mask_effect =
    "kernels run on some CUs only: usable_cu_count shrinks, cu_count does not";

inline constexpr variable_words variables[] = {
    {"GPU_ENABLE_WGP_MODE",
     "0 makes the runtime count CUs instead of work-group processors, with limits of a CU"},
    {"HSA_OVERRIDE_GFX_VERSION*", "the runtime shows this architecture instead of the chip's own; code must "
                                  "match it, limits of the hardware do not change"},
    {"ROC_GLOBAL_CU_MASK", mask_effect},
    {"HSA_CU_MASK", mask_effect},
    {"HSA_COOP_CU_COUNT", "the runtime may report fewer CUs, those that cooperative launches get"},
    {"HIP_VISIBLE_DEVICES", shown_effect},
    {"ROCR_VISIBLE_DEVICES", shown_effect},
    {"CUDA_VISIBLE_DEVICES", shown_effect},
    {"GPU_DEVICE_ORDINAL", shown_effect},
};

inline bool is_variable(std::string_view name, std::string_view of) {
    return of.ends_with('*') ? name.starts_with(of.substr(0, of.size() - 1)) : name == of;
}

}  // namespace detail

inline bool changes_answers(std::string_view name) {
    for (const auto& v : detail::variables)
        if (detail::is_variable(name, v.name)) return true;
    return false;
}

/// "ROC_GLOBAL_CU_MASK=0xf: kernels run on some CUs only ..."
inline std::vector<std::string> notes_on(const readings& r) {
    std::vector<std::string> out;
    for (const auto& [name, value] : r.environment)
        for (const auto& v : detail::variables)
            if (!value.empty() && detail::is_variable(name, v.name))
                out.push_back(name + "=" + value.substr(0, 80) + ": " + v.effect);
    if (r.state.container)
        out.push_back("in a container (" + r.state.container->substr(0, 80) +
                      "): devices are seen as far as they were passed to it");
    return out;
}

}  // namespace FADE_NAMESPACE::truth

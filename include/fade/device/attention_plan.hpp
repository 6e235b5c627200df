// What an attention will launch, decided but not run.
#pragma once
#include <cstddef>
#include <fade/core/report.hpp>
#include <fade/device/planned_launch.hpp>
#include <fade/kernel/attention/policy.hpp>
#include <fade/tune/attention/select.hpp>
#include <vector>

namespace FADE_NAMESPACE {

struct attention_plan {
    fade::report report;
    attention_policy policy;
    tune::attention_variant variant = tune::attention_variant::plain;
    std::vector<planned_launch> launches;  ///< copies, the attention (on Hopper without maps, which are made
                                           ///< at the launch), and what combines shared keys
    std::size_t main_launch = 0;           ///< which of them is the attention
    std::size_t workspace_bytes = 0;
};

}  // namespace FADE_NAMESPACE

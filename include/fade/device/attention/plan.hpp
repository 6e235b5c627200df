// What an attention is told beside its problem, and what it will launch, decided but not run.
#pragma once
#include <cstddef>
#include <fade/device/operation.hpp>
#include <fade/kernel/attention/policy.hpp>
#include <fade/tune/attention/select.hpp>
#include <fade/tune/tuned.hpp>
#include <optional>

namespace FADE_NAMESPACE {

/// What attention() is told beside its problem.
struct attention_options {
    int split_kv = 0;     ///< workgroups that share the keys of a tile of queries; 0: as many as idle compute
                          ///< units call for
    bool strict = false;  ///< refuse a fallback (tensors that must be copied first) instead of reporting it
    /// Are lengths and block tables looked at before the launch? True: the first wrong one is an error, which
    /// on a GPU waits for the stream. Unset: the host and emulated devices name it in the report, and GPUs do
    /// not look.
    std::optional<bool> check_indices{};
    void* workspace =
        nullptr;  ///< device memory for copies and for what is shared; null: the device's own pool
    std::size_t workspace_bytes = 0;  ///< of that memory
    const tuned_policies* tuned =
        nullptr;  ///< asked for the policy; null: the selector alone decides, and no file is touched
};

/// Launches: copies, the attention (on Hopper without maps, which are made at the launch), and what combines
/// shared keys. Report and workspace_bytes are those of every operation.
struct attention_plan : operation_plan {
    attention_policy policy{};                                         ///< how the problem is cut
    tune::attention_variant variant = tune::attention_variant::plain;  ///< which kernel
    std::size_t main_launch = 0;  ///< which of the launches is the attention
};

}  // namespace FADE_NAMESPACE

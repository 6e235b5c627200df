// Rules of a user's own for scores: a type with score_mod, mask_mod or both.
#pragma once
#include <fade/core/config.hpp>
#include <fade/core/namespace.hpp>
#include <type_traits>

namespace FADE_NAMESPACE {

/// Nothing of one's own is done to scores.
struct no_rule {};

/// float score_mod(float score, int batch, int head, int query, int key) const: what a score becomes, after
/// scale, softcap, ALiBi and bias.
template <class Rule>
inline constexpr bool has_score_mod =
    requires(const Rule& r, float score) { score = r.score_mod(score, 0, 0, 0, 0); };

/// bool mask_mod(int batch, int head, int query, int key) const: whether a query sees a key.
template <class Rule>
inline constexpr bool has_mask_mod = requires(const Rule& r, bool seen) { seen = r.mask_mod(0, 0, 0, 0); };

/// What attention() takes for a rule: it travels to the device by value. Both functions are FADE_FN, so that
/// they compile for host and device.
template <class Rule>
concept attention_rule = std::is_trivially_copyable_v<Rule> &&
                         (std::is_same_v<Rule, no_rule> || has_score_mod<Rule> || has_mask_mod<Rule>);

}  // namespace FADE_NAMESPACE

// The kernels of attention.
#pragma once
#include <fade/core/namespace.hpp>

namespace FADE_NAMESPACE::kernel {

/// plain: full, causal and padded attention; tma: the same of tensors that hardware copies in boxes;
/// general: every rule; decode: every rule for few queries, of keys that workgroups share and that may lie in
/// pages.
enum class attention_variant { plain, tma, general, decode };

/// The two without rules.
constexpr bool without_rules(attention_variant v) {
    return v == attention_variant::plain || v == attention_variant::tma;
}

constexpr const char* name(attention_variant v) {
    constexpr const char* names[] = {"plain", "tma", "general", "decode"};
    return names[int(v)];
}

}  // namespace FADE_NAMESPACE::kernel

// What a table of attention policies is: for each padded head dimension one policy a kernel. Data; what a
// policy rests on stands in evidence.hpp.
#pragma once
#include <fade/kernel/attention/policy.hpp>
#include <fade/kernel/attention/variant.hpp>

namespace FADE_NAMESPACE::tune {

using kernel::attention_variant, kernel::without_rules, kernel::name;

/// Head dimensions are padded to the next of 64, 128, 256 and 512.
constexpr int head_class_of(int head_dim) {
    return head_dim <= 64 ? 64 : head_dim <= 128 ? 128 : head_dim <= 256 ? 256 : 512;
}

/// The policies of one padded head dimension. One without waves: tiles of that size fit neither registers nor
/// shared memory, or the architecture has no such kernel.
struct head_policies {
    attention_policy plain{.waves = 0}, tma{.waves = 0}, general{.waves = 0}, decode{.waves = 0};
    constexpr const attention_policy& of(attention_variant v) const {
        return v == attention_variant::plain     ? plain
               : v == attention_variant::tma     ? tma
               : v == attention_variant::general ? general
                                                 : decode;
    }
};

/// The policies of one kind of instruction and size of element.
struct attention_table {
    head_policies d64, d128, d256, d512;
    constexpr const attention_policy& of(int head_class, attention_variant v) const {
        const head_policies& head = head_class == 64    ? d64
                                    : head_class == 128 ? d128
                                    : head_class == 256 ? d256
                                                        : d512;
        return head.of(v);
    }
};

}  // namespace FADE_NAMESPACE::tune

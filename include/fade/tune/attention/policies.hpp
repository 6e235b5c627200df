// Where the policies of an attention come from: the table of its architecture, or the caller.
#pragma once
#include <fade/kernel/attention/fit.hpp>
#include <fade/tune/attention/entry.hpp>
#include <fade/tune/passed.hpp>

namespace FADE_NAMESPACE {

/// The kernels that a call of attention is compiled with: by the policies of the architecture's table, or by
/// one that is passed.
struct attention_kernels {
    bool passes_policy = false;    ///< is `policy` the caller's?
    attention_policy policy = {};  ///< the one that is passed
    /// Are all fields equal?
    constexpr bool operator==(const attention_kernels&) const = default;
};

/// Kernels by a policy of the caller's, for problems of every size whose heads it holds: `attention<f16, f16,
/// with_policy({.keys = 32, .head_dim = 64})>(device, ...)`. What an architecture cannot run does not compile
/// for it; the host takes none.
constexpr attention_kernels with_policy(const attention_policy& policy) {
    return {.passes_policy = true, .policy = policy};
}

namespace tune {

struct table_attention_policies {
    static constexpr bool passed = false;
    static constexpr bool takes(attention_variant) { return true; }
    static constexpr int head_class(int head_dim) { return head_class_of(head_dim); }
    template <class Arch, class In>
    static constexpr attention_policy row(int head_class, attention_variant variant) {
        return attention_row<Arch, In>(head_class, variant);
    }
    template <class In, class Out, int HeadClass, attention_variant Variant, class Rule>
    using entry = attention_entry<In, Out, HeadClass, Variant, Rule>;
};

/// One symbol for each policy that is passed, and kernel.
template <class In, class Out, attention_policy Policy, attention_variant Variant, class Rule>
struct passed_attention_entry {
    using arguments = attention_arguments_of<In, Out, Variant, Rule>;

    template <class Arch>
    static constexpr bool exists() {
        if constexpr (arch::has_atom<Arch, kernel::multiplied_as<In>>)
            return kernel::misfit_of<Arch, In, Policy>() == kernel::attention_misfit::none;
        else
            return false;
    }
    template <class Arch>
    static constexpr launch_shape shape() {
        if constexpr (exists<Arch>()) {
            constexpr launch_shape shape = attention_shape<Arch, In, Policy>();
            static_assert(shape.shared_bytes == kernel::detail::attention_shared_bytes<Arch, In, Policy>());
            return shape;
        } else {
            return {.waves = 1, .shared_bytes = 16};  // refused before a launch
        }
    }
    template <workgroup Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        if constexpr (kernel::require_fit<typename Block::arch, In, Policy>())
            run_attention<Policy, Variant>(block, args);
    }
};

template <attention_policy Policy>
struct passed_attention_policy {
    static constexpr bool passed = true;
    static constexpr attention_policy policy = Policy;
    static constexpr bool takes(attention_variant v) { return kernel::takes(Policy, v); }
    static constexpr int head_class(int) { return Policy.head_dim; }
    template <class Arch, class In>
    static constexpr attention_policy row(int, attention_variant variant) {
        return takes(variant) ? Policy : attention_policy{.waves = 0};
    }
    template <class In, class Out, int, attention_variant Variant, class Rule>
    using entry = passed_attention_entry<In, Out, Policy, Variant, Rule>;
};

template <attention_kernels Kernels>
using attention_policies_of =
    std::conditional_t<Kernels.passes_policy, passed_attention_policy<Kernels.policy>,
                       table_attention_policies>;

/// Refuses what a passed policy is not for: architectures that cannot run it, heads that it does not hold.
template <class Policies, class Arch, class In>
void require_runnable(index head_dim) {
    if constexpr (Policies::passed) {
        if constexpr (kernel::misfit_of<Arch, In, Policies::policy>() != kernel::attention_misfit::none)
            refuse_passed(Policies::policy, Arch::traits.name);
        if (head_dim > Policies::policy.head_dim)
            throw error("head_dim", std::to_string(head_dim),
                        "the policy that was passed holds heads of up to " +
                            std::to_string(Policies::policy.head_dim) + " dimensions");
    }
}

/// Refuses problems for whose kernel a passed policy is not, and workgroups that shall share keys where it
/// does not decode. `why` says what asks for that kernel.
template <class Policies>
void require_kernel(attention_variant needed, int asked_splits, const std::string& why) {
    if constexpr (Policies::passed) {
        if (!Policies::takes(needed))
            throw error("policy", in_words(Policies::policy),
                        std::string("the ") + name(needed) +
                            " kernel does not run it, and this problem takes that one: " + why);
        if (asked_splits > 1 && !Policies::takes(attention_variant::decode))
            throw error(
                "split_kv", std::to_string(asked_splits),
                "the decoding kernel shares keys, which does not run the policy that was passed: give "
                "1 or 0, or let its schedule be in_order");
    }
}

}  // namespace tune

}  // namespace FADE_NAMESPACE

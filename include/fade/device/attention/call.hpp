// One call of attention: checked, chosen, and the list of its launches.
#pragma once
#include <fade/device/attention/choice.hpp>
#include <fade/device/attention/indices.hpp>
#include <fade/device/attention/plan.hpp>
#include <fade/kernel/attention/pack_gqa.hpp>

namespace FADE_NAMESPACE {

/// Can the architecture of a device, where the compiler knows it, run the policy that is passed? Where not,
/// the call does not compile.
template <class Device, class In, attention_kernels Kernels>
constexpr bool fits_device() {
    if constexpr (Kernels.passes_policy && requires { typename Device::arch; })
        return kernel::require_fit<typename Device::arch, In, Kernels.policy>();
    else
        return true;
}

template <class In, class Out, class Device, class Rule, attention_kernels Kernels = attention_kernels{}>
class attention_operation {
    static_assert(std::is_same_v<accumulator_t<In>, float>,
                  "attention takes f32, f16, bf16 and the f8 types, whose sums are f32: convert Q, K and V "
                  "to one of those");
    static_assert(std::is_floating_point_v<Out> || is_storage<Out>,
                  "attention has averages for results: let O be of a floating-point type");
    static_assert(attention_rule<Rule>,
                  "a rule of one's own is trivially copyable and has score_mod(score, batch, head, query, "
                  "key), mask_mod(batch, head, query, key) or both");
    static constexpr bool on_host = std::is_same_v<Device, host_device>;
    using setting_type = attention_setting<In, Out, Rule, Kernels>;
    using policies = typename setting_type::policies;

public:
    attention_operation(const Device& device, const attention_problem& problem,
                        const attention_operands<In, Out>& operands, const attention_options& options,
                        const Rule& rule)
        : setting_{.problem = kernel::checked(problem), .operands = operands, .rule = rule},
          check_indices_(options.check_indices) {
        kernel::check_lengths(problem, operands);
        kernel::check_operands(setting_.problem, operands);
        require(options.split_kv >= 0 && options.split_kv <= 4096, "split_kv", options.split_kv,
                "it must be between 1 and 4096, or 0 to leave it to the selector");
        require(!on_host || options.split_kv <= 1, "split_kv", options.split_kv,
                "on this CPU a thread walks over all keys of its queries: give 1 or 0");
        report_.requested = detail::requested_words(setting_);
        const bool packs = !setting_type::has_score_mod_rule && kernel::gqa_packs(setting_.problem, operands);
        if (packs) setting_.problem = kernel::packed_gqa(setting_.problem);
        with_multiplying_arch<kernel::multiplied_as<In>>(device, [&](auto arch) {
            attention_wishes wishes{options.split_kv, packs, options.tuned,
                                    compiles_for<entry_of<64, tune::attention_variant::general>, Device>()};
            compiled_ = decide<decltype(arch)>(setting_, report_, device, wishes);
            if (!compiled_) return;
            wishes.missing = missing_kernels(device, *this);
            if (!wishes.missing.empty())
                compiled_ = decide<decltype(arch)>(setting_, report_, device, wishes);
        });
        workspace_.size(setting_, options.split_kv);
        if (workspace_bytes() > 0 && reinterpret_cast<std::uintptr_t>(options.workspace) % 16)
            throw error("workspace", "at an address that is no multiple of 16",
                        "kernels read and write it 16 bytes at a time");
    }

    const report& said() const { return report_; }
    const attention_policy& policy() const { return setting_.policy; }
    /// Workgroups that share the keys of a tile of queries.
    int splits() const { return setting_.choice.splits; }
    tune::attention_variant variant() const { return setting_.choice.variant; }
    /// Which of the launches is the attention: the copies come before it.
    std::size_t main_launch() const { return workspace_.copies(); }

    std::size_t workspace_bytes() const { return setting_.empty() ? 0 : workspace_.bytes(); }
    std::string what_needs() const {
        const tune::gathered_tensors copied = setting_.choice.gathered;
        return copied.any() ? "copies of " + copied.names() + " need" : "sharing keys among workgroups needs";
    }
    void place(void* memory) { workspace_.place(setting_, memory); }

    /// Only a launch has maps: the pointers of a plan may be of no memory, which drivers refuse.
    void before_launches(Device& device) {
        if (setting_.empty()) return;
        report_.why += said_of_indices(device, setting_.problem, setting_.operands, check_indices_);
        if constexpr (requires(const tile_source& s) { device.map(s); })
            if (variant() == tune::attention_variant::tma) make_tensor_maps(device);
    }

    template <class F>
    void each_launch(F f) const {
        if (setting_.empty()) return;
        const attention_problem& p = setting_.problem;
        const auto args = arguments_of(setting_);
        workspace_.each_copy(p.batch, f);
        dispatch([&](auto entry) {
            f(entry_by<Device>(entry, setting_.policy, compiled_), grid_of(setting_),
              arguments_for(entry, args));
        });
        if constexpr (!on_host)
            if (setting_.choice.splits > 1)
                f(tune::split_combine_entry<typename setting_type::arguments>{},
                  grid_shape{int(p.seq_q), int(p.heads), int(p.batch)}, args);
    }

private:
    template <int HeadClass, tune::attention_variant Variant>
    using entry_of = typename policies::template entry<In, Out, HeadClass, Variant, Rule>;

    void make_tensor_maps(const Device& device) {
        const auto a = arguments_of(setting_);
        const int batches = int(setting_.problem.batch), keys = setting_.policy.keys;
        q_map_ = device.map(kernel::queries_to_map(a, batches, setting_.policy.queries()));
        k_map_ = device.map(kernel::keys_to_map(a, batches, keys));
        v_map_ = device.map(kernel::values_to_map(a, batches, keys));
    }
    template <class Entry>
    auto arguments_for(Entry, const typename setting_type::arguments& args) const {
        if constexpr (std::is_same_v<typename Entry::arguments, typename setting_type::arguments>)
            return args;
        else
            return typename Entry::arguments{args, q_map_, k_map_, v_map_};
    }

    template <class F>
    void dispatch(F f) const {
        if constexpr (on_host)
            f(entry_of<tune::host_attention.head_dim, tune::attention_variant::general>{});
        else if constexpr (policies::passed)
            dispatch_variant<policies::policy.head_dim>(f);
        else
            static_cast<void>(try_class<64>(f) || try_class<128>(f) || try_class<256>(f) ||
                              try_class<512>(f));
    }
    template <int HeadClass, class F>
    bool try_class(F& f) const {
        if (setting_.choice.head_class != HeadClass) return false;
        dispatch_variant<HeadClass>(f);
        return true;
    }
    template <int HeadClass, class F>
    void dispatch_variant(F& f) const {
        using enum tune::attention_variant;
        if constexpr (!setting_type::has_score_mod_rule) {
            if constexpr (has_tensor_maps<Device> && policies::takes(tma))
                if (variant() == tma) return f(entry_of<HeadClass, tma>{});
            if constexpr (policies::takes(plain))
                if (variant() == plain) return f(entry_of<HeadClass, plain>{});
        }
        if constexpr (policies::takes(general)) {
            if (variant() == general)
                f(entry_of<HeadClass, general>{});
            else if (variant() == decode)
                f(entry_of<HeadClass, decode>{});
        }
    }

    setting_type setting_;
    attention_workspace<setting_type> workspace_;
    std::optional<bool> check_indices_;
    bool compiled_ = false;  // is the policy none of the program's?
    tensor_map q_map_{}, k_map_{}, v_map_{};
    report report_;
};

}  // namespace FADE_NAMESPACE

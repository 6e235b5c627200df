// One call of a row operator: checked, chosen, and the list of its launches.
#pragma once
#include <fade/device/operation.hpp>
#include <fade/device/tuning_machine.hpp>
#include <fade/kernel/rows/check.hpp>
#include <fade/tune/ask.hpp>
#include <fade/tune/rows/entry.hpp>
#include <fade/tune/rows/report.hpp>
#include <fade/tune/rows/tuned.hpp>

namespace FADE_NAMESPACE {

template <class Operator, class Device>
class row_operation {
    static constexpr bool on_host = std::is_same_v<Device, host_device>;
    using kind = tune::row_kind;

public:
    row_operation(const Device& device, const char* name, const kernel::row_size& size, const Operator& op,
                  const tuned_policies* tuned = nullptr)
        : size_(size), op_(op) {
        kernel::check_rows(op, size);
        with_arch_of(device, [&](auto arch) {
            choose(name, device, tuned, arch);
            if (!choice_.compiled) return;
            missing_ = missing_kernels(device, *this);
            if (!missing_.empty()) choose(name, device, tuned, arch);
        });
    }

    const report& said() const { return said_; }
    const row_policy& policy() const { return choice_.policy; }
    /// Are all rows whole runs of 16 bytes?
    bool reads_runs() const { return choice_.whole_runs; }

    template <class F>
    void each_launch(F f) const {
        if (size_.rows == 0) return;
        if constexpr (on_host)
            launch<kind::streamed, false>(f);
        else if (choice_.whole_runs)
            by_kind<true>(f);
        else
            by_kind<false>(f);
    }

private:
    template <class Arch>
    void choose(const char* name, const Device& device, const tuned_policies* tuned, Arch arch) {
        constexpr int lanes = Arch::traits.wave_size;
        if constexpr (!on_host) {
            choice_.whole_runs = kernel::has_whole_runs(op_, size_, 16 / Operator::element_bytes);
            choice_.kind = tune::choose_row_kind<Operator>(size_.columns, choice_.whole_runs, Arch::traits);
        }
        const auto heard = tuned && size_.rows > 0 ? ask(name, device, *tuned, arch) : tune::heard_of_rows{};
        if (!choice_.compiled)
            choice_.policy = tune::row_policy_for<Operator>(choice_.kind, choice_.whole_runs, Arch::traits);
        const row_policy p = choice_.policy;
        const index taken = p.rows_at_once();
        const index at_once = device.compute_units() * index(p.waves_per_simd * 4 / p.waves);
        groups_ = min_of<index>(ceil_div<index>(max_of<index>(size_.rows, 1), taken), groups_of(p, at_once));
        said_ = tune::report_of_rows(name, size_, choice_, p.columns(lanes), heard);
        said_.device = device.name(), said_.arch = std::string(Arch::traits.name);
    }
    /// Puts the kind of a tuned row in the place of the model's.
    template <class Arch>
    tune::heard_of_rows ask(const char* name, const Device& device, const tuned_policies& source, Arch) {
        tune::heard_of_rows out;
        const auto found = tune::ask<tuned_rows>(
            source, tune::rows_to_ask(name, Operator::operands, Operator::element_bytes, size_, choice_),
            machine_of(device), out.why);
        if (!found.policy) return out;
        const bool runs = choice_.whole_runs;
        tune::rows_fit fit{.obstacle = "the host has one kernel"};
        if constexpr (!on_host)
            fit = tune::fit_rows<Operator>(size_.columns, runs, found.policy->policy, Arch::traits);
        if constexpr (compiles_for<tune::row_entry<Operator, tune::chosen_row_policy<kind::wave, true>>,
                                   Device>())
            if (!fit.obstacle.empty()) {
                choice_.policy = found.policy->policy;
                fit = tune::fit_compiled_rows<Operator>(size_.columns, runs, choice_.policy, Arch::traits);
                if (fit.obstacle.empty()) fit.obstacle = missing_;
                choice_.compiled = fit.obstacle.empty();
            }
        out.why += tune::words_of_use(fit.obstacle);
        if (fit.obstacle.empty()) choice_.kind = fit.kind, out.evidence = found.evidence;
        return out;
    }
    /// Workgroups for rows, of which units hold `at_once`. Short rows are taken in turn, since a workgroup
    /// takes longer to begin than they do. Of 16 KB each has one (H200: up to 40 % faster), unless the next
    /// comes to shared memory meanwhile (15 % faster in turn). On a CPU a workgroup has rows of 256 KB, since
    /// a thread that takes one waits for what it has streamed before.
    index groups_of(const row_policy& p, index at_once) const {
        if (!on_host && p.ahead && choice_.kind != kind::wide) return 2 * at_once;
        index bytes = 0;
        op_.each_tensor([&](const char*, const auto& t, bool = false) {
            if (t.data && t.stride != 0) bytes += size_.columns * index(sizeof(*t.data));
        });
        if (on_host) return min_of(max_of(8 * at_once, size_.rows * bytes >> 18), max_groups);
        // Four rows a wave are a workgroup's work as well (H200: 7 % faster), two are not (4 % slower).
        const index at_a_time = p.rows_of_wave > 2 ? p.rows_at_once() : 1;
        return bytes * at_a_time >= 16384 ? max_groups : min_of(6 * at_once, max_groups);
    }

    template <bool WholeRuns, class F>
    void by_kind(F& f) const {
        switch (choice_.kind) {
        case kind::short_wave:
            return launch<kind::short_wave, WholeRuns>(f);
        case kind::wave:
            return launch<kind::wave, WholeRuns>(f);
        case kind::lanes_128:
            return launch<kind::lanes_128, WholeRuns>(f);
        case kind::lanes_256:
            return launch<kind::lanes_256, WholeRuns>(f);
        case kind::lanes_512:
            return launch<kind::lanes_512, WholeRuns>(f);
        case kind::wide:
            return launch<kind::wide, WholeRuns>(f);
        default:
            return launch<kind::streamed, WholeRuns>(f);
        }
    }
    template <kind Kind, bool WholeRuns, class F>
    void launch(F& f) const {
        using entry = tune::row_entry<Operator, tune::chosen_row_policy<Kind, WholeRuns>>;
        f(entry_by<Device>(entry{}, choice_.policy, choice_.compiled), grid_shape{int(groups_), 1, 1},
          arguments<WholeRuns>());
    }
    /// Runs follow the addresses of the tensor that is named first.
    template <bool WholeRuns>
    kernel::row_arguments<Operator> arguments() const {
        kernel::row_arguments<Operator> out{
            .op = op_,
            .extent = {.rows = size_.rows, .columns = int(size_.columns), .groups = int(groups_)},
            .begin = nullptr,
            .row_bytes = 0,
            .element_bytes = 1};
        if (on_host || WholeRuns) return out;
        bool first = true;
        op_.each_tensor([&](const char*, const auto& t, bool = false) {
            if (!first) return;
            first = false, out.element_bytes = int(sizeof(*t.data));
            out.begin = reinterpret_cast<const char*>(t.data);
            out.row_bytes = kernel::row_stride(t, size_) * out.element_bytes;
        });
        return out;
    }

    static constexpr index max_groups = index(1) << 20;
    kernel::row_size size_;
    Operator op_;
    tune::row_choice choice_{.on_host = on_host};
    std::string missing_{};  // why the device cannot have the row's kernel; empty where it can
    index groups_ = 1;
    report said_;
};

/// Runs a row operator of the library or of one's own over `rows` rows of `columns` columns. `tuned` is asked
/// for the policy, under the operator's name; without it the length of a row decides.
template <class Operator, class Device>
report run_rows(Device& device, const char* name, const kernel::row_size& size, const Operator& op,
                const operation_options& options = {}, const tuned_policies* tuned = nullptr) {
    row_operation<Operator, Device> operation(device, name, size, op, tuned);
    return run_operation(device, operation, options);
}
template <class Operator, class Device>
operation_plan plan_rows(Device& device, const char* name, const kernel::row_size& size, const Operator& op,
                         const operation_options& options = {}, const tuned_policies* tuned = nullptr) {
    row_operation<Operator, Device> operation(device, name, size, op, tuned);
    return plan_operation(device, operation, options);
}

}  // namespace FADE_NAMESPACE

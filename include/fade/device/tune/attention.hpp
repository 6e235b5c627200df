// Which policy is the fastest for one attention here, and whether a kept one still is.
#pragma once
#include <fade/device/attention/call.hpp>
#include <fade/device/tune/gemm.hpp>

namespace FADE_NAMESPACE {

namespace detail {

/// An attention as tuning sees it. What it refers to must outlive it.
template <class In, class Out, class Rule, class Device = host_device>
class attention_to_tune {
    using operation = attention_operation<In, Out, Device, Rule>;
    static constexpr bool on_host = std::is_same_v<Device, host_device>;

public:
    attention_to_tune(Device& device, const attention_problem& problem,
                      const attention_operands<In, Out>& operands, const Rule& rule)
        : device_(device), problem_(problem), operands_(operands), rule_(rule),
          sets_(memory_space_of(device)) {}

    report said() const { return asking(operands_).said(); }
    tuned_call call() {
        return {.source = source,
                .run = [this] { run(); },
                .model = tune::policy_json(decided(model())),
                .device = device_.name()};
    }
    std::vector<candidate> candidates() const {
        if constexpr (on_host)
            return numbers_of_queries();
        else
            return kernels_of_program();
    }
    /// Of a device that compiles kernels: the table's, then other steps and workgroups than the model's.
    std::vector<std::string> policies_to_compile() const {
        std::vector<std::string> out;
        if constexpr (compiles_for<tune::attention_entry<In, Out, 64, tune::attention_variant::general, Rule>,
                                   Device>()) {
            const tuned_attention best = decided(model());
            const auto add = [&](const attention_policy& p) {
                out.push_back(tune::policy_json(tuned_attention{p, best.split_kv}));
            };
            for (const attention_policy& p : device_.candidates.attention) add(p);
            const std::size_t max = out.size() + device_.candidates.max;
            const int step = best.policy.by_warpgroup() ? 32 : 16;  // of what instructions multiply
            for (const int waves : {4, 8, 2})
                for (const int keys : {2, 3, 4, 6, 8}) {
                    attention_policy p = best.policy;
                    p.waves = waves, p.keys = keys * step / 2;
                    const bool whole = !p.by_warpgroup() || (waves % 4 == 0 && keys >= 4);
                    if (whole && p.keys <= 128 && out.size() < max) add(p);
                }
        }
        return out;
    }
    double multiplications() const {
        constexpr double exponential = 32;
        const attention_problem p = kernel::checked(problem_);
        return double(p.batch) * double(p.heads) * double(p.seq_q) * double(p.seq_k) *
               (double(p.head_dim) + double(p.head_dim_v) + exponential);
    }
    /// Not of packed sequences and pages, whose lengths lie in memory.
    int rotate(std::size_t bytes, const deadline& end) {
        const attention_problem p = kernel::checked(problem_);
        const auto& o = operands_;
        if (o.lengths_q || o.lengths_k || o.block_table) return sets_.count();
        const auto of_k = [&](const char* name, auto at, const attention_strides& s, index dim) {
            return kernel::tensor_range(name, at.get(), s, p.batch, p.seq_k, p.kv_heads, dim);
        };
        const auto of_q = [&](const char* name, auto at, const attention_strides& s, index dim) {
            return kernel::tensor_range(name, at.get(), s, p.batch, p.seq_q, p.heads, dim);
        };
        sets_.make({{of_q("q", o.q, p.q_strides, p.head_dim)},
                    {of_k("k", o.k, p.k_strides, p.head_dim)},
                    {of_k("v", o.v, p.v_strides, p.head_dim_v)},
                    written_piece<Out>(of_q("o", o.o, p.o_strides, p.head_dim_v))},
                   bytes, end);
        return sets_.count();
    }
    /// Other copies, of which no call that was chosen knows.
    void renew(std::size_t bytes, const deadline& end) { calls_ = {}, sets_.renew(bytes, end); }
    /// One call, to its end.
    void call_once() { run_once(device_, asking(next_operands())); }
    memory_sets& memory() { return sets_; }
    one_policy source;
    int at_once = 1;  ///< calls of a GPU that are begun before they are waited for

private:
    static constexpr double slowest_kernel = 16;  // times the model's choice

    operation asking(const attention_operands<In, Out>& operands, const tuned_policies* tuned,
                     int split_kv = 0) const {
        return {device_, problem_, operands, {.split_kv = split_kv, .tuned = tuned}, rule_};
    }
    operation asking(const attention_operands<In, Out>& operands) const { return asking(operands, &source); }
    void run() {
        if constexpr (on_host) {
            operation one = asking(next_operands());
            run_operation(device_, one, {});
        } else
            calls_.run(device_, source.policy, sets_.count(), at_once,
                       [&] { return ready_call(device_, asking(next_operands())); });
    }
    /// The model's number of queries, its parts and multiples in whole strips.
    std::vector<candidate> numbers_of_queries() const {
        using traits = kernel::attention_traits<arch::host, In, tune::host_attention>;
        const attention_policy best = model().policy();
        const int max = tune::max_host_queries<In>(kernel::checked(problem_));
        std::vector<int> taken{best.wave_queries};
        std::vector<candidate> out;
        for (const int wanted : {best.wave_queries / 2, best.wave_queries * 2, best.wave_queries / 4,
                                 best.wave_queries * 4, best.wave_queries * 3 / 4, max, int(traits::strip)}) {
            attention_policy p = best;
            p.wave_queries =
                std::clamp(wanted / int(traits::strip) * int(traits::strip), int(traits::strip), max);
            if (std::ranges::find(taken, p.wave_queries) != taken.end()) continue;
            taken.push_back(p.wave_queries);
            // Keys and values are packed for each tile of queries.
            out.push_back({tune::policy_json(tuned_attention{p}),
                           std::max(1.0, double(best.wave_queries) / p.wave_queries)});
        }
        return out;
    }
    /// What a GPU's program takes where keys are shared by so many workgroups.
    std::vector<candidate> kernels_of_program() const {
        const tuned_attention best = decided(model());
        std::vector<tuned_attention> seen{best};
        std::vector<candidate> out;
        one_policy row;
        for (const int parts : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}) {
            const tuned_attention one = decided(asking(operands_, nullptr, parts));
            if (std::ranges::find(seen, one) != seen.end()) continue;
            seen.push_back(one);
            row.policy = tune::policy_json(one);
            if (asking(operands_, &row).said().evidence == one_policy::evidence)
                out.push_back({row.policy, slowest_kernel});
        }
        return out;
    }
    static tuned_attention decided(const operation& one) { return {one.policy(), one.splits()}; }
    attention_operands<In, Out> next_operands() {
        attention_operands<In, Out> out = operands_;
        sets_.next();
        sets_.move(0, out.q), sets_.move(1, out.k), sets_.move(2, out.v), sets_.move(3, out.o);
        return out;
    }
    operation model() const { return asking(operands_, nullptr); }

    Device& device_;
    const attention_problem& problem_;
    const attention_operands<In, Out>& operands_;
    const Rule& rule_;
    memory_sets sets_;
    chosen_calls calls_;
};

}  // namespace detail

/// Times policies of one attention on the host or a GPU for at most `budget`, and keeps the fastest in the
/// database. Of a GPU they are numbers of workgroups that share keys. O is written, and lse where it is
/// wanted. What is kept won over the model's choice twice, or is that. Throws fade::error for what
/// attention() refuses.
template <class In, class Out = In, class Device, class Rule = no_rule>
tuning tune_attention(Device& device, const attention_problem& problem,
                      const attention_operands<In, Out>& operands, tuning_database& database,
                      std::chrono::duration<double> budget, const Rule& rule = {}) {
    static_assert(
        detail::has_speed<Device>,
        "tune_attention times calls of fade::host_device and GPUs: an emulated device has no speed");
    detail::attention_to_tune<In, Out, Rule, Device> attention(device, problem, operands, rule);
    return detail::tune_within(device, attention, database, budget);
}

/// Times a row and the model's choice, one after the other, on the host or a GPU. O is written, unless
/// `obstacle` says why the row does not belong to this call. Throws fade::error for what attention() refuses.
template <class In, class Out = In, class Device, class Rule = no_rule>
verification verify_attention(Device& device, const attention_problem& problem,
                              const attention_operands<In, Out>& operands, const tune::tuning_row& row,
                              const Rule& rule = {}) {
    static_assert(
        detail::has_speed<Device>,
        "verify_attention times calls of fade::host_device and GPUs: an emulated device has no speed");
    detail::attention_to_tune<In, Out, Rule, Device> attention(device, problem, operands, rule);
    return detail::verify_row(device, attention, row);
}

}  // namespace FADE_NAMESPACE

// Which policy is the fastest for one attention here, and whether a kept one still is.
#pragma once
#include <fade/device/attention/call.hpp>
#include <fade/device/tune/gemm.hpp>

namespace FADE_NAMESPACE {

namespace detail {

/// An attention as tuning sees it. What it refers to must outlive it.
template <class In, class Out, class Rule>
class attention_to_tune {
    using operation = attention_operation<In, Out, host_device, Rule>;

public:
    attention_to_tune(host_device& device, const attention_problem& problem,
                      const attention_operands<In, Out>& operands, const Rule& rule)
        : device_(device), problem_(problem), operands_(operands), rule_(rule) {}

    report said() const { return asking(operands_).said(); }
    tuned_call call() {
        return {.source = source,
                .run =
                    [this] {
                        operation one = asking(next_operands());
                        run_operation(device_, one, {});
                    },
                .model = tune::policy_json(tuned_attention{model()}),
                .device = device_.name()};
    }
    /// The model's number of queries, its parts and multiples in whole strips.
    std::vector<candidate> candidates() const {
        using traits = kernel::attention_traits<arch::host, In, tune::host_attention>;
        const attention_policy best = model();
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
                    {of_q("o", o.o, p.o_strides, p.head_dim_v), false}},
                   bytes, end);
        return sets_.count();
    }
    one_policy source;

private:
    operation asking(const attention_operands<In, Out>& operands) const {
        return {device_, problem_, operands, {.tuned = &source}, rule_};
    }
    attention_operands<In, Out> next_operands() {
        attention_operands<In, Out> out = operands_;
        sets_.next();
        sets_.move(0, out.q), sets_.move(1, out.k), sets_.move(2, out.v), sets_.move(3, out.o);
        return out;
    }
    attention_policy model() const { return operation(device_, problem_, operands_, {}, rule_).policy(); }

    host_device& device_;
    const attention_problem& problem_;
    const attention_operands<In, Out>& operands_;
    const Rule& rule_;
    memory_sets sets_;
};

}  // namespace detail

/// Times policies of one attention on the host for at most `budget`, and keeps the fastest in the database. O
/// is written, and lse where it is wanted. What is kept won over the model's choice twice, or is that. Throws
/// fade::error for what attention() refuses.
template <class In, class Out = In, class Device, class Rule = no_rule>
tuning tune_attention(Device& device, const attention_problem& problem,
                      const attention_operands<In, Out>& operands, tuning_database& database,
                      std::chrono::duration<double> budget, const Rule& rule = {}) {
    static_assert(std::is_same_v<Device, host_device>,
                  "tune_attention times calls of fade::host_device: an emulated device has no speed");
    detail::attention_to_tune<In, Out, Rule> attention(device, problem, operands, rule);
    return detail::tune_within(device, attention, database, budget);
}

/// Times a row and the model's choice, one after the other, on the host. O is written, unless `obstacle` says
/// why the row does not belong to this call. Throws fade::error for what attention() refuses.
template <class In, class Out = In, class Device, class Rule = no_rule>
verification verify_attention(Device& device, const attention_problem& problem,
                              const attention_operands<In, Out>& operands, const tune::tuning_row& row,
                              const Rule& rule = {}) {
    static_assert(std::is_same_v<Device, host_device>,
                  "verify_attention times calls of fade::host_device: an emulated device has no speed");
    detail::attention_to_tune<In, Out, Rule> attention(device, problem, operands, rule);
    return detail::verify_row(device, attention, row);
}

}  // namespace FADE_NAMESPACE

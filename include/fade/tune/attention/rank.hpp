// The static model's opinion of the policies of an attention, without the machine.
#pragma once
#include <fade/kernel/attention/check.hpp>
#include <fade/tune/attention/evidence.hpp>
#include <fade/tune/attention/select.hpp>
#include <fade/tune/attention/tuned.hpp>
#include <fade/tune/ranked.hpp>

namespace FADE_NAMESPACE::tune {

/// A policy and the parts of the keys.
using ranked_attention = ranked<tuned_attention>;

namespace detail {

/// What a policy keeps the multiplying units busy, from 0 to 1, as machine code that was read says; 0 where
/// no figure is known.
inline double busy_share(std::string_view arch, dtype in, const attention_choice& c,
                         const attention_policy& policy) {
    for (const attention_audit& a : attention_audits)
        if (speaks_for(a, arch, in, c.variant, c.head_class, policy)) return a.figure.sim / 100.0;
    return 0;
}

/// Multiplications in the time of the busiest compute unit: those of its tiles, as busy as the figure says,
/// or what it waits for keys and values, whichever is longer; then what shares of keys store and read again.
/// Tiles of decoding kernels have no figure, since they wait for memory.
inline double modelled_cost(const attention_problem& p, const attention_choice& c,
                            const attention_policy& policy, double busy, int compute_units) {
    constexpr double moved = 128;  // multiplications in the time in which a compute unit reads an element
    const index tiles = ceil_div<index>(p.seq_q * c.tile_heads, policy.queries()) * policy.value_parts *
                        (p.heads / c.tile_heads) * p.batch * c.splits,
                keys = ceil_div<index>(ceil_div<index>(p.seq_k, c.splits), policy.keys) * policy.keys;
    const double rounds = double(ceil_div<index>(tiles, compute_units));
    const double columns = double(c.head_class) * (1 + 1.0 / policy.value_parts);
    const double multiplied = double(policy.queries()) * double(keys) * columns,
                 read = double(keys) * double(p.head_dim + p.head_dim_v) * moved;
    const double sums = c.splits == 1 ? 0
                                      : moved * 2 * double(p.seq_q) * double(p.heads) * double(p.batch) *
                                            double(p.head_dim_v) * c.splits / compute_units;
    if (busy <= 0 && multiplied > read) return no_figure;
    return rounds * (busy > 0 ? max_of(multiplied / busy, read) : read) + sums;
}

}  // namespace detail

/// The policies of the table that an attention without rules beside `causal` can get on an AMD architecture,
/// by how many workgroups share its keys, the one that the model thinks fastest first. Sizes are all above 0.
/// Masked keys are counted: a causal mask spares all policies the same part. Throws fade::error for what
/// attention() refuses.
template <class Arch, class In>
std::vector<ranked_attention> rank_attention(const attention_problem& problem, int compute_units) {
    const attention_operands<In, In> none{};
    attention_problem p = kernel::checked(problem);
    if (kernel::gqa_packs(p, none)) p = kernel::packed_gqa(p);
    const auto choose = [&](int split_kv) {
        return select_attention<table_attention_policies, Arch>(p, none, false, split_kv, compute_units);
    };
    const int own = choose(0).splits;
    std::vector<ranked_attention> out;
    for (const int parts : {own, 1, own / 2, 2 * own, 4 * own}) {
        if (parts < 1) continue;
        const attention_choice c = choose(parts);
        const attention_policy policy = attention_row<Arch, In>(c.head_class, c.variant);
        const tuned_attention choice{policy, c.splits};
        if (detail::has(out, choice)) continue;
        const double busy = detail::busy_share(Arch::traits.name, dtype_v<In>, c, policy);
        out.push_back({choice, detail::modelled_cost(p, c, policy, busy, compute_units),
                       attention_evidence(Arch::traits.name, dtype_v<In>, c.variant, c.head_class, policy)});
    }
    return detail::in_order(out);
}

}  // namespace FADE_NAMESPACE::tune

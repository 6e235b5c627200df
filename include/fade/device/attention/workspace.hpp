// The workspace of an attention: copies of tensors that cannot be read as they lie, then what workgroups that
// share keys leave.
#pragma once
#include <fade/core/error.hpp>
#include <fade/core/launch.hpp>
#include <fade/core/require.hpp>
#include <fade/device/attention/setting.hpp>
#include <vector>

namespace FADE_NAMESPACE {

/// Elements of a copied row: whole runs of 16 bytes.
template <class In>
constexpr index copied_row(index dim) {
    return ceil_div<index>(dim * index(sizeof(In)), 16) * 16 / index(sizeof(In));
}

template <class Setting>
class attention_workspace {
    using In = typename Setting::In;
    using copy_type = kernel::gather_arguments<In>;

public:
    /// Refuses what fits no memory.
    void size(const Setting& s, int asked_splits) {
        copied_ = copied_bytes(s), shared_ = shared_bytes(s, asked_splits);
        for (const index rows : {s.choice.gathered.q ? s.problem.seq_q * s.problem.heads : 0,
                                 s.choice.gathered.kv ? s.problem.seq_k * s.problem.kv_heads : 0})
            require(ceil_div<index>(rows, kernel::gather_rows) < (index(1) << 31), "seq_k", s.problem.seq_k,
                    "at most 2^31 - 1 workgroups can copy its heads");
    }
    std::size_t bytes() const { return copied_ + shared_; }

    /// Tensors that are copied lie at their copies from then on. A plan may have no memory.
    void place(Setting& s, void* memory) {
        place_copies(s, static_cast<In*>(memory));
        if (s.choice.splits == 1 || !memory) return;
        const attention_problem& p = s.problem;
        const index rows = p.batch * p.heads * p.seq_q * s.choice.splits;
        s.splits.outputs = reinterpret_cast<float*>(static_cast<char*>(memory) + copied_);
        s.splits.maxima = s.splits.outputs + rows * p.head_dim_v;
        s.splits.sums = s.splits.maxima + rows;
    }

    std::size_t copies() const { return copies_.size(); }
    template <class F>
    void each_copy(index batch, F& f) const {
        for (const copy_type& c : copies_)
            f(tune::gather_entry<In>{},
              grid_shape{int(ceil_div<index>(index(c.positions) * c.heads, kernel::gather_rows)), 1,
                         int(batch)},
              c);
    }

private:
    static constexpr wide_index limit = wide_index(1) << 60;

    static index q_elements(const attention_problem& p) {
        return p.batch * p.seq_q * p.heads * copied_row<In>(p.head_dim);
    }
    static index kv_elements(const attention_problem& p, index dim) {
        return p.batch * p.seq_k * p.kv_heads * copied_row<In>(dim);
    }
    static std::size_t copied_bytes(const Setting& s) {
        const attention_problem& p = s.problem;
        const wide_index all = wide_index(p.batch) * copied_row<In>(max_of(p.head_dim, p.head_dim_v)) *
                               (wide_index(p.seq_q) * p.heads + 2 * wide_index(p.seq_k) * p.kv_heads);
        if (s.choice.gathered.any() && all > limit)
            throw error("seq_k", std::to_string(p.seq_k), "copies of tensors of that size fit no memory");
        index elements = 0;
        if (s.choice.gathered.q) elements += q_elements(p);
        if (s.choice.gathered.kv) elements += kv_elements(p, p.head_dim) + kv_elements(p, p.head_dim_v);
        return std::size_t(elements) * sizeof(In);
    }
    /// An average, a largest score and a sum a query and split.
    static std::size_t shared_bytes(const Setting& s, int asked_splits) {
        if (s.choice.splits == 1) return 0;
        const attention_problem& p = s.problem;
        const wide_index all =
            wide_index(p.batch) * p.heads * p.seq_q * s.choice.splits * (p.head_dim_v + 2) * 4;
        if (all > limit)
            throw error("split_kv", std::to_string(asked_splits),
                        "what so many workgroups find fits no memory");
        return std::size_t(all);
    }

    void place_copies(Setting& s, In* to) {
        const attention_problem& p = s.problem;
        auto& o = s.operands;
        const auto behind = [&](index elements) { return to ? to + elements : nullptr; };
        if (s.choice.gathered.q) {
            copies_.push_back({.from = o.q,
                               .to = to,
                               .batch_stride = o.lengths_q ? 0 : p.q_strides.batch,
                               .position_stride = p.q_strides.position,
                               .head_stride = p.q_strides.head,
                               .positions = int(p.seq_q),
                               .heads = int(p.heads),
                               .head_dim = int(p.head_dim),
                               .row = int(copied_row<In>(p.head_dim)),
                               .lengths = s.lengths_q(),
                               .pages = {},
                               .length_step = bool(o.lengths_q)});
            o.q = to, to = behind(q_elements(p));
        }
        if (!s.choice.gathered.kv) return;
        copies_.push_back(copy_of_keys(s, o.k, p.k_strides, p.head_dim, to));
        o.k = to, to = behind(kv_elements(p, p.head_dim));
        copies_.push_back(copy_of_keys(s, o.v, p.v_strides, p.head_dim_v, to));
        o.v = to;
    }
    /// Of keys, and of values.
    static copy_type copy_of_keys(const Setting& s, const In* from, const attention_strides& strides,
                                  index dim, In* to) {
        const attention_problem& p = s.problem;
        return {.from = from,
                .to = to,
                .batch_stride = s.operands.lengths_k && !s.operands.block_table ? 0 : strides.batch,
                .position_stride = strides.position,
                .head_stride = strides.head,
                .positions = int(p.seq_k),
                .heads = int(p.kv_heads),
                .head_dim = int(dim),
                .row = int(copied_row<In>(dim)),
                .lengths = s.lengths_k(),
                .pages = {.table = s.operands.block_table,
                          .size = kernel::page_size(int(p.page_size)),
                          .width = int(p.table_width),
                          .count = s.page_count(),
                          .in_place = 0},
                .length_step = bool(s.operands.lengths_k)};
    }

    std::size_t copied_ = 0, shared_ = 0;
    std::vector<copy_type> copies_;
};

}  // namespace FADE_NAMESPACE

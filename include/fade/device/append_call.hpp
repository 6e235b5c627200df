// One call of append_kv: checked, and the list of its launches.
#pragma once
#include <fade/device/operation.hpp>
#include <fade/kernel/kv_cache/memory.hpp>
#include <fade/tune/attention/append_entry.hpp>

namespace FADE_NAMESPACE {

/// What an append will launch, decided but not run: one launch, or none where there is nothing to do.
using append_plan = operation_plan;

template <class In, class Cache, class Table = float>
class append_operation {
    static_assert(std::is_same_v<accumulator_t<In>, float> && std::is_same_v<accumulator_t<Cache>, float>,
                  "append_kv takes f32, f16, bf16 and the f8 types, in which attention reads a cache: "
                  "convert keys, values and queries to one of those");
    static_assert(std::is_same_v<Table, float> || std::is_same_v<Table, f16> || std::is_same_v<Table, bf16>,
                  "append_kv takes tables of cosines and sines in f32, f16 and bf16: convert them to one of "
                  "those");
    using entry = tune::append_entry<In, Cache, Table>;
    using args_type = typename entry::arguments;

public:
    template <class Device>
    append_operation(const Device& device, const append_problem& problem,
                     const append_operands<In, Cache, Table>& operands)
        : problem_(kernel::checked(problem)), operands_(operands) {
        kernel::check_operands(problem_, operands_);
        require(groups() < (index(1) << 31), "new_positions", problem_.new_positions,
                "at most 2^31 - 1 workgroups can take their heads");
        with_arch_of(device, [&](auto arch) { report_.arch = std::string(arch.traits.name); });
        report_.requested = words(), report_.device = device.name();
        report_.chosen = "append_kv " + std::to_string(kernel::append_rows) + " heads a workgroup";
        report_.why = "one kernel reads any strides, pages and head dimensions pair by pair";
        report_.evidence = "no measurement: it moves each element once";
    }

    const report& said() const { return report_; }

    template <class F>
    void each_launch(F f) const {
        if (problem_.batch == 0 || problem_.new_positions == 0) return;
        f(entry{}, grid_shape{int(groups()), 1, int(problem_.batch)}, arguments());
    }

private:
    index groups() const {
        return ceil_div<index>(problem_.new_positions * (problem_.heads + 2 * problem_.kv_heads),
                               kernel::append_rows);
    }

    std::string words() const {
        const append_problem& p = problem_;
        std::string s = "append_kv batch " + std::to_string(p.batch) + ", " +
                        std::to_string(p.new_positions) + " positions x " + std::to_string(p.kv_heads) +
                        " heads";
        if (p.heads > 0) s += " and " + std::to_string(p.heads) + " of q";
        s += ", head_dim " + std::to_string(p.head_dim) + ", " + fade::name(dtype_v<In>) + " to " +
             fade::name(dtype_v<Cache>) + ", capacity " + std::to_string(p.capacity);
        if (p.rotary_dim > 0)
            s += std::string(", rotary ") + name(p.style) + " of " + std::to_string(p.rotary_dim) +
                 (dtype_v<Table> == dtype::f32 ? "" : std::string(" by ") + fade::name(dtype_v<Table>));
        return s + (operands_.new_lengths ? ", variable lengths" : "") +
               (p.page_size ? ", pages of " + std::to_string(p.page_size) : "");
    }

    args_type arguments() const {
        const append_problem& p = problem_;
        const auto& o = operands_;
        const auto packed = [&](attention_strides s) { return s.batch = o.new_lengths ? 0 : s.batch, s; };
        return {.k = {.from = o.new_k,
                      .to = o.k,
                      .from_strides = packed(p.new_k_strides),
                      .to_strides = p.k_strides},
                .v = {.from = o.new_v,
                      .to = o.v,
                      .from_strides = packed(p.new_v_strides),
                      .to_strides = p.v_strides},
                .q = {.from = o.q,
                      .to = o.q_out,
                      .from_strides = packed(p.q_strides),
                      .to_strides = packed(p.q_out_strides)},
                .cos = o.cos,
                .sin = o.sin,
                .cache_lengths = o.cache_lengths,
                .new_lengths = o.new_lengths,
                .block_table = o.block_table,
                .page_count = p.page_count ? p.page_count : kernel::any_page,
                .kv_heads = int(p.kv_heads),
                .heads = int(p.heads),
                .new_positions = int(p.new_positions),
                .capacity = int(p.capacity),
                .head_dim = int(p.head_dim),
                .rotary_dim = int(p.rotary_dim),
                .rotary_stride = int(p.rotary_stride),
                .interleaved = p.style == rotary_style::interleaved,
                .page_size = int(p.page_size),
                .table_width = int(p.table_width)};
    }

    append_problem problem_;
    append_operands<In, Cache, Table> operands_;
    report report_;
};

}  // namespace FADE_NAMESPACE

// One call of attention: checked, chosen, launched, reported.
#pragma once
#include <fade/device/attention_indices.hpp>
#include <fade/device/attention_plan.hpp>
#include <fade/device/devices.hpp>
#include <fade/kernel/attention/check.hpp>
#include <fade/kernel/attention/pack_groups.hpp>

namespace FADE_NAMESPACE {

template <class In, class Out, class Device, class Rule>
class attention_call {
    static_assert(std::is_same_v<accumulator_t<In>, float>,
                  "attention takes f32, f16, bf16 and the f8 types, whose sums are f32: convert Q, K and V "
                  "to one of those");
    static_assert(std::is_floating_point_v<Out> || is_storage<Out>,
                  "attention has averages for results: let O be of a floating-point type");
    static_assert(attention_rule<Rule>,
                  "a rule of one's own is trivially copyable and has score_mod(score, batch, head, query, "
                  "key), mask_mod(batch, head, query, key) or both");
    static constexpr bool on_host = std::is_same_v<Device, host_device>;
    using args_type = kernel::attention_arguments<In, Out, Rule>;
    static constexpr bool own_rule = !std::is_same_v<Rule, no_rule>;
    using copy_type = kernel::gather_arguments<In>;

public:
    attention_call(Device& device, const attention_problem& problem,
                   const attention_operands<In, Out>& operands, const attention_options& options,
                   const Rule& rule)
        : device_(device), problem_(kernel::checked(problem)), operands_(operands), options_(options),
          rule_(rule) {
        kernel::check_lengths(problem, operands);
        kernel::check_operands(problem_, operands_);
        require(options_.split_kv >= 0 && options_.split_kv <= 4096, "split_kv", options_.split_kv,
                "it must be between 1 and 4096, or 0 to leave it to the selector");
        require(!on_host || options_.split_kv <= 1, "split_kv", options_.split_kv,
                "on this CPU a thread walks over all keys of its queries: give 1 or 0");
        plan_.report.requested = words();
        if (!own_rule && kernel::groups_pack(problem_, operands_))
            problem_ = kernel::packed_groups(problem_), packs_ = true;
        with_multiplying_arch<kernel::multiplied_as<In>>(device_,
                                                         [&](auto arch) { choose<decltype(arch)>(); });
    }

    report run() {
        if (empty()) return plan_.report;
        const auto alone = device_.use();
        plan_.report.why += said_of_indices(device_, problem_, operands_, options_.check_indices);
        take_workspace();
        for (const copy_type& c : copies_) device_.template launch<copy_entry>(copy_grid(c), c);
        dispatch(
            [&](auto entry) { device_.template launch<decltype(entry)>(grid(), arguments_of(entry, true)); });
        if constexpr (!on_host)
            if (choice_.splits > 1) device_.template launch<combiner>(combine_grid(), arguments());
        return plan_.report;
    }

    attention_plan plan() {
        if (empty()) return plan_;
        place_workspace(options_.workspace);
        for (const copy_type& c : copies_)
            plan_.launches.push_back(plan_launch<copy_entry>(device_, copy_grid(c), c));
        plan_.main_launch = plan_.launches.size();
        dispatch([&](auto entry) {
            plan_.launches.push_back(
                plan_launch<decltype(entry)>(device_, grid(), arguments_of(entry, false)));
        });
        if constexpr (!on_host)
            if (choice_.splits > 1)
                plan_.launches.push_back(plan_launch<combiner>(device_, combine_grid(), arguments()));
        return plan_;
    }

private:
    using copy_entry = tune::gather_entry<In>;
    using combiner = tune::split_combine_entry<args_type>;
    template <int HeadClass, tune::attention_variant Variant>
    using entry_of = tune::attention_entry<In, Out, HeadClass, Variant, Rule>;

    bool empty() const { return problem_.batch == 0 || problem_.heads == 0 || problem_.seq_q == 0; }

    template <class Arch>
    void choose() {
        if constexpr (on_host)
            choice_ = tune::select_host_attention(problem_);
        else
            choice_ = tune::select_attention<Arch>(problem_, operands_, own_rule, options_.split_kv,
                                                   device_.compute_units());
        if (choice_.gathered.any() && options_.strict)
            throw error("strict", "set", "this problem needs a fallback: " + choice_.why);
        plan_.policy = tune::attention_row<Arch, In>(choice_.head_class, choice_.variant),
        plan_.variant = choice_.variant;
        if constexpr (on_host)
            plan_.policy.wave_queries = tune::host_queries<In>(problem_, device_.compute_units());
        if constexpr (!on_host) check_reach();
        plan_.workspace_bytes = copied_bytes() + shared_bytes();
        if (options_.split_kv > 1 && choice_.splits != options_.split_kv)
            choice_.why += "; there are too few keys for " + std::to_string(options_.split_kv) + " tiles";
        if (packs_)
            choice_.why +=
                "; the " + std::to_string(problem_.seq_q) + " heads that share keys are queries of one tile";
        plan_.report = {.requested = plan_.report.requested,
                        .chosen = chosen(),
                        .why = choice_.why,
                        .device = device_.name(),
                        .arch = std::string(Arch::traits.name),
                        .fallback = choice_.gathered.any(),
                        .evidence = tune::attention_evidence<Arch>};
    }

    std::string words() const {
        const attention_problem& p = problem_;
        std::string s = "attention batch " + std::to_string(p.batch) + ", heads " + std::to_string(p.heads) +
                        " over " + std::to_string(p.kv_heads) + ", " + std::to_string(p.seq_q) +
                        " queries x " + std::to_string(p.seq_k) + " keys, head_dim " +
                        std::to_string(p.head_dim) +
                        (p.head_dim_v != p.head_dim ? " and " + std::to_string(p.head_dim_v) + " of v" : "") +
                        ", " + fade::name(dtype_v<In>) + " to " + fade::name(dtype_v<Out>);
        if (p.causal != causal_kind::none) s += std::string(", causal ") + fade::name(p.causal);
        if (p.window_left >= 0 || p.window_right >= 0)
            s += ", window " + std::to_string(p.window_left) + "," + std::to_string(p.window_right);
        return s + (p.softcap > 0 ? ", softcap" : "") + (operands_.alibi ? ", ALiBi" : "") +
               (operands_.bias ? ", bias" : "") + (own_rule ? ", a rule of one's own" : "") +
               (operands_.sink ? ", sink" : "") + (p.dropout > 0 ? ", dropout" : "") +
               (lengths_q() || lengths_k() ? ", variable lengths" : "") +
               (p.page_size ? ", pages of " + std::to_string(p.page_size) : "");
    }
    std::string chosen() const {
        const attention_policy& t = plan_.policy;
        return std::string("attention_") + tune::name(plan_.variant) + "_d" + std::to_string(t.head_dim) +
               " " + std::to_string(t.queries()) + " queries x " + std::to_string(t.keys) + " keys, " +
               std::to_string(t.waves) + " waves";
    }

    /// Cumulative ones, or those of each sequence.
    const int* lengths_q() const { return operands_.lengths_q ? operands_.lengths_q : operands_.counts_q; }
    const int* lengths_k() const { return operands_.lengths_k ? operands_.lengths_k : operands_.counts_k; }
    int page_count() const { return problem_.page_count ? int(problem_.page_count) : kernel::any_page; }

    // ---- copies of tensors that cannot be read as they lie

    static index row(index dim) {
        return ceil_div<index>(dim * index(sizeof(In)), 16) * 16 / index(sizeof(In));
    }
    index q_elements() const {
        return problem_.batch * problem_.seq_q * problem_.heads * row(problem_.head_dim);
    }
    index kv_elements(index dim) const {
        return problem_.batch * problem_.seq_k * problem_.kv_heads * row(dim);
    }
    std::size_t copied_bytes() const {
        const wide_index limit = wide_index(1) << 60,
                         all = wide_index(problem_.batch) *
                               row(most(problem_.head_dim, problem_.head_dim_v)) *
                               (wide_index(problem_.seq_q) * problem_.heads +
                                2 * wide_index(problem_.seq_k) * problem_.kv_heads);
        if (choice_.gathered.any() && all > limit)
            throw error("seq_k", std::to_string(problem_.seq_k),
                        "copies of tensors of that size fit no memory");
        return std::size_t(choice_.gathered.q * q_elements() +
                           choice_.gathered.kv *
                               (kv_elements(problem_.head_dim) + kv_elements(problem_.head_dim_v))) *
               sizeof(In);
    }

    /// What workgroups that share keys leave: an average, a largest score and a sum a query and split.
    std::size_t shared_bytes() const {
        if (choice_.splits == 1) return 0;
        const wide_index limit = wide_index(1) << 60, all = wide_index(problem_.batch) * problem_.heads *
                                                            problem_.seq_q * choice_.splits *
                                                            (problem_.head_dim_v + 2) * 4;
        if (all > limit)
            throw error("split_kv", std::to_string(options_.split_kv),
                        "what so many workgroups find fits no memory");
        return std::size_t(all);
    }

    void take_workspace() {
        if (plan_.workspace_bytes == 0) return;
        if (reinterpret_cast<std::uintptr_t>(options_.workspace) % 16)
            throw error("workspace", "at an address that is no multiple of 16",
                        "kernels read and write it 16 bytes at a time");
        place_workspace(workspace_of(device_, options_, plan_.workspace_bytes,
                                     choice_.gathered.any()
                                         ? "copies of " + choice_.gathered.names() + " need"
                                         : "sharing keys among workgroups needs"));
    }

    void place_workspace(void* memory) {
        place_copies(static_cast<In*>(memory));
        shared_ = memory ? reinterpret_cast<float*>(static_cast<char*>(memory) + copied_bytes()) : nullptr;
    }

    kernel::key_splits splits() const {
        if (choice_.splits == 1 || !shared_) return {choice_.splits, nullptr, nullptr, nullptr};
        const index rows = problem_.batch * problem_.heads * problem_.seq_q * choice_.splits;
        float* const maxima = shared_ + rows * problem_.head_dim_v;
        return {choice_.splits, shared_, maxima, maxima + rows};
    }

    grid_shape combine_grid() const {
        return {int(problem_.seq_q), int(problem_.heads), int(problem_.batch)};
    }

    void place_copies(In* to) {
        const attention_problem& p = problem_;
        const auto skip = [&](index elements) {
            to = to ? to + elements : nullptr;
        };  // a plan may have no memory
        if (choice_.gathered.q)
            add_copy(operands_.q, to, p.q_strides, p.head_dim, p.seq_q, p.heads, lengths_q(),
                     operands_.lengths_q, nullptr),
                skip(q_elements());
        if (!choice_.gathered.kv) return;
        add_copy(operands_.k, to, p.k_strides, p.head_dim, p.seq_k, p.kv_heads, lengths_k(),
                 operands_.lengths_k, operands_.block_table),
            skip(kv_elements(p.head_dim));
        add_copy(operands_.v, to, p.v_strides, p.head_dim_v, p.seq_k, p.kv_heads, lengths_k(),
                 operands_.lengths_k, operands_.block_table);
    }

    /// The tensor lies at `to` from then on.
    void add_copy(element_pointer<const In>& tensor, In* to, const attention_strides& s, index dim,
                  index length, index heads, const int* lengths, bool cumulative, const int* table) {
        copies_.push_back({tensor, to, cumulative && !table ? 0 : s.batch, s.position, s.head, int(length),
                           int(heads), int(dim), int(row(dim)), lengths, table, int(problem_.page_size),
                           int(problem_.table_width), page_count(), cumulative});
        tensor = to;
    }

    grid_shape copy_grid(const copy_type& c) const {
        const index groups = ceil_div<index>(index(c.positions) * c.heads, kernel::gather_rows);
        require(groups < (index(1) << 31), "seq_k", c.positions,
                "at most 2^31 - 1 workgroups can copy its heads");
        return {int(groups), 1, int(problem_.batch)};
    }

    // ---- the attention itself

    grid_shape grid() const {
        const index tiles = ceil_div<index>(problem_.seq_q * choice_.tile_heads, plan_.policy.queries()) *
                            plan_.policy.value_parts * choice_.splits;
        require(tiles < (index(1) << 31), "seq_q", problem_.seq_q,
                "at most 2^31 - 1 workgroups can share its tiles");
        return {int(tiles), int(problem_.heads / choice_.tile_heads), int(problem_.batch)};
    }

    kernel::sequence_strides strides(bool gathered, bool packed, const attention_strides& s, index dim,
                                     index length, index heads) const {
        if (gathered) return {length * heads * row(dim), int(heads * row(dim)), int(row(dim))};
        return {packed ? 0 : s.batch, int(s.position), int(s.head)};
    }

    args_type arguments() const {
        const attention_problem& p = problem_;
        const auto& o = operands_;
        const auto all = [](index n) {
            return n < 0 || n > kernel::all_keys / 2 ? kernel::all_keys : int(n);
        };
        const bool packed_q = o.lengths_q && !choice_.gathered.q, packed_k = o.lengths_k && !p.page_size,
                   copied = choice_.gathered.kv;
        return {.q = o.q,
                .k = o.k,
                .v = o.v,
                .o = o.o,
                .lse = o.lse,
                .q_strides = strides(choice_.gathered.q, packed_q, p.q_strides, p.head_dim, p.seq_q, p.heads),
                .k_strides = strides(copied, packed_k, p.k_strides, p.head_dim, p.seq_k, p.kv_heads),
                .v_strides = strides(copied, packed_k, p.v_strides, p.head_dim_v, p.seq_k, p.kv_heads),
                .o_strides = strides(false, o.lengths_q, p.o_strides, p.head_dim_v, p.seq_q, p.heads),
                .seq_q = int(p.seq_q),
                .seq_k = int(p.seq_k),
                .heads = int(p.heads),
                .group = int(p.heads / p.kv_heads),
                .head_dim = columns(p.head_dim),
                .value_dim = columns(p.head_dim_v),
                .output_dim = int(p.head_dim_v),
                .tile_queries = plan_.policy.queries(),
                .tile_heads = choice_.tile_heads,
                .last = 0,
                .bottom_right = p.causal != causal_kind::top_left,
                .left = all(p.window_left),
                .right = p.causal == causal_kind::none ? all(p.window_right) : 0,
                .scale = in_f32(scale()),
                .scale_log2 = in_f32(scale() * exact_log2_e),
                .lengths_q = lengths_q(),
                .lengths_k = lengths_k(),
                .packed_q = packed_q,
                .packed_k = packed_k && !copied,
                .step_q = bool(o.lengths_q),
                .step_k = bool(o.lengths_k),
                .pages = {copied && !p.page_count ? nullptr : o.block_table,
                          kernel::page_size(int(p.page_size)), int(p.table_width), page_count(),
                          o.block_table && !copied && p.seq_k > 0},
                .rules = rules(),
                .splits = splits(),
                .scales = {o.scales.q, o.scales.k, o.scales.v, o.scales.per_head ? 1 : 0},
                .rule = rule_};
    }

    /// A plan has no maps: its pointers may be of no memory, which drivers refuse.
    template <class Entry>
    auto arguments_of(Entry, bool launched) const {
        if constexpr (std::is_same_v<typename Entry::arguments, args_type>)
            return arguments();
        else {
            const args_type a = arguments();
            const int batches = int(problem_.batch), keys = plan_.policy.keys;
            typename Entry::arguments mapped{a, {}, {}, {}};
            if constexpr (requires(const tile_source& s) { device_.map(s); })
                if (launched)
                    mapped.q_map = device_.map(kernel::queries_to_map(a, batches, plan_.policy.queries())),
                    mapped.k_map = device_.map(kernel::keys_to_map(a, batches, keys)),
                    mapped.v_map = device_.map(kernel::values_to_map(a, batches, keys));
            return mapped;
        }
    }

    /// What is read of a row: on GPUs whole runs, which only copies may have to be widened to.
    int columns(index dim) const { return int(on_host || !choice_.gathered.any() ? dim : row(dim)); }

    /// Of the tensors as the kernel finds them: copies have strides of their own.
    void check_reach() const {
        const args_type a = arguments();
        const index queries = plan_.policy.queries(), keys = plan_.policy.keys;
        kernel::check_reach("q_strides", a.q_strides, problem_.seq_q, queries, sizeof(In));
        kernel::check_reach("k_strides", a.k_strides, problem_.seq_k, keys, sizeof(In));
        kernel::check_reach("v_strides", a.v_strides, problem_.seq_k, keys, sizeof(In));
        kernel::check_reach("o_strides", a.o_strides, problem_.seq_q, queries, sizeof(Out));
    }

    double scale() const {
        return problem_.scale != 0 ? problem_.scale : 1 / __builtin_sqrt(double(problem_.head_dim));
    }

    /// The nearest finite number.
    static float in_f32(double x) {
        const double most = -double(hidden_score);
        return float(x > most ? most : x < -most ? -most : x);
    }

    kernel::score_rules rules() const {
        const attention_problem& p = problem_;
        const double below = p.dropout * 4294967296.0;
        return {in_f32(p.softcap),
                p.softcap > 0 ? in_f32(1 / p.softcap) : 0.0f,
                operands_.alibi,
                operands_.sink,
                operands_.bias,
                p.bias_strides.batch,
                p.bias_strides.head,
                operands_.bias ? int(p.bias_strides.query) : -1,
                below >= 4294967295.0 ? 0xffffffffu : std::uint32_t(below),
                float(1 / (1 - p.dropout)),
                p.seed,
                p.offset};
    }

    template <class F>
    void dispatch(F f) {
        if constexpr (on_host)
            f(entry_of<tune::host_attention.head_dim, tune::attention_variant::general>{});
        else
            static_cast<void>(try_class<64>(f) || try_class<128>(f) || try_class<256>(f) ||
                              try_class<512>(f));
    }
    template <int HeadClass, class F>
    bool try_class(F f) {
        if (choice_.head_class != HeadClass) return false;
        using enum tune::attention_variant;
        if constexpr (!own_rule) {
            if constexpr (has_tile_maps<Device>)
                if (plan_.variant == mapped) return f(entry_of<HeadClass, mapped>{}), true;
            if (plan_.variant == plain) return f(entry_of<HeadClass, plain>{}), true;
        }
        if (plan_.variant == general)
            f(entry_of<HeadClass, general>{});
        else
            f(entry_of<HeadClass, decode>{});
        return true;
    }

    Device& device_;
    attention_problem problem_;
    attention_operands<In, Out> operands_;
    attention_options options_;
    Rule rule_;
    attention_plan plan_;
    tune::attention_choice choice_{};
    float* shared_ = nullptr;  // what workgroups that share keys leave
    bool packs_ = false;       // heads of a group stand for queries
    std::vector<copy_type> copies_;
};

}  // namespace FADE_NAMESPACE

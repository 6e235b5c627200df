// One call of gemm: checked, chosen, and the list of its launches.
#pragma once
#include <fade/device/gemm_arguments.hpp>
#include <fade/device/gemm_choice.hpp>
#include <fade/device/gemm_plan.hpp>
#include <fade/device/plan/run_time_entry.hpp>
#include <fade/device/tuning_machine.hpp>

namespace FADE_NAMESPACE {

/// Can the architecture of a device, where the compiler knows it, run the policy that is passed? Where not,
/// the call does not compile.
template <class Device, class In, gemm_kernels Kernels>
constexpr bool fits_device() {
    if constexpr (Kernels.passes_policy && requires { typename Device::arch; })
        return kernel::require_fit<typename Device::arch, In, Kernels.policy>();
    else
        return true;
}

template <class In, class Out, class Device, class Epilogue, gemm_kernels Kernels>
class gemm_operation {
    using acc = accumulator_t<In>;
    using value = epilogue::value_t<acc, Out, Epilogue>;
    using policies = tune::policies_of<Kernels>;
    static constexpr bool on_host = std::is_same_v<Device, host_device>,
                          passes_stream_k =
                              Kernels.passes_policy && Kernels.policy.schedule == gemm_schedule::stream_k,
                          streams =
                              passes_stream_k && Kernels.policy.pipeline != block::pipeline_kind::tma_ring;
    static constexpr int joined = epilogue::columns_per_output<Epilogue>;
    /// Of what was timed on such GPUs.
    static constexpr bool may_transpose =
        has_tensor_maps<Device> && sizeof(In) == 2 && !Kernels.passes_policy;
    static_assert(!is_operand_pair<Out>,
                  "an operand_pair names the types of A and B, and D has one: let Out be "
                  "an element type");
    static_assert(!passes_stream_k || joined == 1,
                  "stream_k adds up columns one by one, and a gate pairs them: let the gemm_policy have the "
                  "schedule tiles, or gate behind the product");

public:
    gemm_operation(const Device& device, const gemm_problem& problem, const gemm_operands<In, Out>& operands,
                   const Epilogue& epilogue, const gemm_options& options)
        : asked_{.problem = kernel::checked(problem, joined),
                 .operands = operands,
                 .epilogue = epilogue,
                 .split_k = options.split_k,
                 .tuned = options.tuned} {
        if (options.tuned) asked_.machine = machine_of(device);
        asked_.compiles = compiles_for<entry_of<operand_access::nt, tune::size_class::large>, Device>();
        gemm_problem& p = asked_.problem;
        kernel::check_scalars<value>(p);
        kernel::check_gate<Epilogue>(p.beta);
        kernel::check_operands(p, operands, joined);
        if (!asked_.empty()) epilogue::bind(asked_.epilogue, {p.m, p.n, p.batch});
        require(options.split_k >= 0 && options.split_k <= 4096, "split_k", options.split_k,
                "it must be between 1 and 4096, or 0 to leave it to the selector");
        if constexpr (passes_stream_k)
            require(options.split_k <= 1, "split_k", options.split_k,
                    "stream_k shares the k of the last tiles by itself: let split_k be 1, or the schedule of "
                    "the gemm_policy tiles");
        if (p.alpha == 0) p.k = 0;  // A and B are not read then
        with_multiplying_arch<In>(device, [&](auto arch) {
            if constexpr (may_transpose && decltype(arch)::traits.tensor_maps)
                transpose(device.compute_units());
            const auto choose = [&] {
                decided_ = decide<policies, decltype(arch)>(asked_, device.name(), device.compute_units());
            };
            choose();
            if (!decided_.compiled) return;
            asked_.missing = missing_kernels(device, *this);
            if (!asked_.missing.empty()) choose();
        });
        if (!asked_.empty()) check_grid();
    }

    const report& said() const { return decided_.report; }
    const gemm_policy& policy() const { return decided_.policy; }
    operand_access access() const { return decided_.access; }
    /// Workgroups that share a tile's k through memory.
    int splits() const { return decided_.splits; }
    /// Columns of the product that make one of D.
    static constexpr int columns_joined() { return joined; }

    std::size_t workspace_bytes() const {
        const gemm_problem& p = asked_.problem;
        if (streams)
            return std::size_t(shares().places()) * std::size_t(Kernels.policy.block_tile.m) *
                   std::size_t(Kernels.policy.block_tile.n) * sizeof(acc);
        if (const auto tail = tail_shares(); tail.shared > 0)
            return transposed_bytes() + std::size_t(tail.places() * decided_.policy.cluster) *
                                            std::size_t(tile().m) * std::size_t(tile().n) * sizeof(acc);
        return transposed_bytes() + (decided_.splits > 1
                                         ? std::size_t(p.m) * std::size_t(p.n) *
                                               std::size_t(p.batch * decided_.splits) * sizeof(acc)
                                         : 0);
    }
    std::string what_needs() const {
        if (transposes())
            return std::string("a copy of ") +
                   (asked_.transposed == tune::transposed_operand::a ? "A" : "B") + " along k needs";
        if (streams || shares_tail()) return "sharing the k of the last tiles needs";
        return "sharing k among " + std::to_string(decided_.splits) + " workgroups needs";
    }
    void place(void* memory) {
        if constexpr (may_transpose) {
            auto* copy = static_cast<In*>(memory);
            if (asked_.transposed == tune::transposed_operand::a) asked_.operands.a = copy;
            if (asked_.transposed == tune::transposed_operand::b) asked_.operands.b = copy;
        }
        partial_ = memory ? reinterpret_cast<acc*>(static_cast<char*>(memory) + transposed_bytes()) : nullptr;
    }

    /// Only a launch has maps: the pointers of a plan may be of no memory, which drivers refuse.
    void before_launches(Device& device) {
        if constexpr (requires(const tile_source& s) { device.map(s); })
            if (by_boxes() && !asked_.empty()) dispatch([&](auto entry) { make_tensor_maps(device, entry); });
    }

    template <class F>
    void each_launch(F f) const {
        if (asked_.empty()) return;
        const gemm_problem& p = asked_.problem;
        const arguments_type args = arguments();
        if constexpr (may_transpose)
            if (transposes())
                f(tune::transpose_few_entry<In>{}, kernel::transpose_few_grid(copy_, copies()),
                  copy_of_now());
        dispatch([&](auto entry) {
            f(entry_by<Device>(entry, decided_.policy, decided_.compiled), grid_of(entry, args),
              arguments_for(entry, args));
            if constexpr (has_maps<decltype(entry)> && joined == 1)
                if (const auto all = arguments_for(entry, args); all.tail.shares.shared > 0)
                    f(tune::tail_combine_entry<In, Out, Epilogue>{},
                      block::combine_grid(index(tile().m) * tile().n, block::usual_sharers,
                                          all.tail.shares.shared * all.tail.cluster),
                      all);
        });
        if constexpr (streams) {
            if (const auto all = shares(); all.shared > 0)
                f(tune::stream_k_combine_entry<In, Out, Kernels.policy, Epilogue>{},
                  block::combine_grid(index(tile().m) * tile().n, block::usual_sharers, all.shared),
                  stream_k_arguments{args, all});
        } else if (decided_.splits > 1)
            f(tune::combine_entry<In, Out, Epilogue>{},
              block::combine_grid(p.m * (p.n / joined), args.splits, p.batch), args);
    }

private:
    template <operand_access Access, tune::size_class Size>
    using entry_of = typename policies::template entry<In, Out, Access, Size, Epilogue>;
    using arguments_type = kernel::gemm_arguments<In, Out, Epilogue>;
    using tma_arguments_type = kernel::tma_gemm_arguments<In, Out, Epilogue>;
    using stream_k_arguments = kernel::stream_k_arguments<In, Out, Epilogue>;
    using sliced_arguments = kernel::sliced_arguments<In, Out, Epilogue>;
    template <class Entry>
    static constexpr bool has_maps = std::is_same_v<typename Entry::arguments, tma_arguments_type>;

    bool transposes() const { return asked_.transposed != tune::transposed_operand::none; }
    bool transposes_a() const { return asked_.transposed == tune::transposed_operand::a; }
    /// Matrices of the batch that are not one repeated.
    index copies() const {
        const gemm_problem& p = asked_.problem;
        return (transposes_a() ? p.stride_a : p.stride_b) == 0 ? 1 : p.batch;
    }
    std::size_t transposed_bytes() const {
        constexpr std::size_t line = 256;
        if (!transposes()) return 0;
        const auto bytes = std::size_t(copy_.count * copy_.k * copies()) * sizeof(In);
        return (bytes + line - 1) / line * line;
    }
    /// What few rows or columns are copied from, and the problem of the copy.
    void transpose(int compute_units) {
        gemm_problem& p = asked_.problem;
        auto& [a, b, c, d] = asked_.operands;
        if (asked_.empty() || p.k == 0) return;
        p = tune::with_vector_along_k(p, a.get(), b.get(), int(sizeof(In)), Kernels);
        asked_.transposed = tune::transposed_of(p, a.get(), b.get(), int(sizeof(In)), compute_units, Kernels);
        if (!transposes()) return;
        copy_ = transposes_a()
                    ? kernel::transpose_few_arguments<In>{a.get(), nullptr, p.k, p.m, p.lda, p.stride_a}
                    : kernel::transpose_few_arguments<In>{b.get(), nullptr, p.k, p.n, p.ldb, p.stride_b};
        (transposes_a() ? a : b) = nullptr;
        p = tune::with_transposed(p, asked_.transposed);
    }
    kernel::transpose_few_arguments<In> copy_of_now() const {
        kernel::transpose_few_arguments<In> out = copy_;
        out.to = const_cast<In*>((transposes_a() ? asked_.operands.a : asked_.operands.b).get());
        return out;
    }

    bool by_boxes() const { return decided_.policy.pipeline == block::pipeline_kind::tma_ring; }

    int layers() const { return int(asked_.problem.batch) * decided_.splits; }
    int cluster_columns(const arguments_type& args) const {
        return block::cluster_columns(args.tile_rows, args.tile_columns, decided_.policy.cluster);
    }
    template <class Entry>
    grid_shape grid_of(Entry, const arguments_type& args) const {
        if constexpr (has_maps<Entry>) {
            if (const int ranks = decided_.policy.cluster_k; ranks > 1)
                return {args.tile_rows * args.tile_columns * layers() * ranks};
            if (const auto tail = tail_shares(); tail.shared > 0)
                return {tail.workgroups * decided_.policy.cluster};
            return {block::persistent_workgroups(args.tile_rows, args.tile_columns, layers(),
                                                 decided_.policy.cluster, decided_.compute_units,
                                                 cluster_columns(args))};
        } else if (streams)
            return {shares().workgroups};
        else
            return {args.tile_rows * args.tile_columns, 1, layers()};
    }
    template <class Entry>
    auto arguments_for(Entry entry, const arguments_type& args) const {
        if constexpr (has_maps<Entry>) {
            tma_arguments_type out{
                args, int(asked_.problem.batch), grid_of(entry, args).x, 1, a_map_, b_map_, out_map_};
            out.cluster_columns = cluster_columns(args);
            out.tail = {tail_shares(),
                        tail_map_,
                        tile().m,
                        tile().n,
                        decided_.policy.cluster,
                        decided_.policy.swizzle_rows};
            out.boxes_out = kernel::takes_boxes(kernel::stored_to_map(out));
            return out;
        } else if constexpr (streams)
            return stream_k_arguments{args, shares()};
        else if constexpr (std::is_same_v<typename Entry::arguments, sliced_arguments>)
            return sliced_arguments_of(args, decided_.size == tune::size_class::skinny_columns);
        else
            return args;
    }
    template <class Entry>
    void make_tensor_maps(const Device& device, Entry entry) {
        if constexpr (has_maps<Entry>) {
            const tma_arguments_type args = arguments_for(entry, arguments());
            constexpr kernel::gemm_access access = tune::access_of(Entry::access);
            const tile_shape& tile = decided_.policy.block_tile;
            const int cluster = decided_.policy.cluster;
            a_map_ = device.map(kernel::a_to_map(args, access.a, tile, args.cluster_columns));
            b_map_ = device.map(kernel::b_to_map(args, access.b, tile, cluster / args.cluster_columns));
            if (args.tail.shares.shared > 0) tail_map_ = device.map(kernel::tail_to_map(args));
            if (args.boxes_out) out_map_ = device.map(kernel::stored_to_map(args));
        }
    }

    const tile_shape& tile() const { return decided_.policy.block_tile; }
    index steps() const { return max_of<index>(ceil_div<index>(asked_.problem.k, tile().k), 1); }
    block::stream_k_shares shares() const {
        if (asked_.empty()) return {};
        const index tiles = tile_rows() * tile_columns() * asked_.problem.batch;
        return block::stream_k_shares::of(
            tiles, steps(), min_of<index>(tiles * steps(), decided_.compute_units * decided_.resident));
    }
    bool shares_tail() const {
        return by_boxes() && decided_.policy.schedule == gemm_schedule::stream_k && asked_.problem.k > 0;
    }
    /// The same of clusters; none are shared where that was not chosen.
    block::stream_k_shares tail_shares() const {
        if (!shares_tail() || asked_.empty()) return {};
        return tune::shares_of_tail(decided_.policy, asked_.problem, decided_.compute_units);
    }
    index tile_rows() const { return ceil_div<index>(asked_.problem.m, decided_.policy.block_tile.m); }
    index tile_columns() const { return ceil_div<index>(asked_.problem.n, decided_.policy.block_tile.n); }
    void check_grid() const {
        const index tiles = tile_rows() * tile_columns(), layers = asked_.problem.batch * decided_.splits;
        require(tiles * (by_boxes() || streams ? layers : 1) < (index(1) << 31) / decided_.policy.cluster_k,
                "m x n", tiles, "at most 2^31 - 1 tiles of D can be launched");
        if constexpr (streams)
            require(index(shares().shared) * steps() < (index(1) << 31), "k", asked_.problem.k,
                    "workgroups share at most 2^31 - 1 steps of the last tiles: let the schedule of the "
                    "gemm_policy be tiles");
        require(
            !shares_tail() || tune::counts_tail(decided_.policy, asked_.problem, decided_.compute_units), "k",
            asked_.problem.k,
            "clusters share at most 2^30 - 1 steps of the last tiles: let the schedule of the gemm_policy be "
            "tiles");
        require(layers <= 65535, "batch x split_k", layers, "at most 65535 layers can be launched");
    }

    arguments_type arguments() const {
        const index k_split =
            block::share_of<index>(asked_.problem.k, decided_.splits, decided_.policy.block_tile.k);
        return gemm_arguments_of(asked_.problem, asked_.operands, asked_.epilogue,
                                 {tile_rows(), tile_columns(), decided_.splits, k_split}, partial_);
    }

    /// Calls f with the entry that was chosen.
    template <class F>
    void dispatch(F f) const {
        using enum operand_access;
        const bool found = try_access<nn>(f) || try_access<nt>(f) || try_access<tn>(f) || try_access<tt>(f) ||
                           try_access<strided>(f);
        if (!found)
            throw error("Kernels", "without " + std::string(fade::name(decided_.access)),
                        "this problem needs that reading (" + decided_.report.why +
                            "): add it to the call's template argument");
    }

    /// The host reads any strides and cuts D as the problem needs, so it has one kernel; GPUs read strided
    /// operands with small tiles only.
    template <operand_access Access, class F>
    bool try_access(F& f) const {
        constexpr bool strided = Access == operand_access::strided;
        if constexpr ((Kernels.has(Access) && !on_host) || (strided && on_host)) {
            if (decided_.access != Access) return false;
            if constexpr (on_host || !strided)
                if (decided_.size == tune::size_class::large)
                    return call_with<entry_of<Access, tune::size_class::large>>(f), true;
            if constexpr (!on_host && !Kernels.passes_policy && !strided) {
                using enum tune::size_class;
                if (decided_.size == skinny) return f(entry_of<Access, skinny>{}), true;
                if (decided_.size == skinny_columns)
                    return f(entry_of<tune::transposed(Access), skinny>{}), true;
                if constexpr (has_medium())
                    if (decided_.size == medium) return call_with<entry_of<Access, medium>>(f), true;
                if constexpr (has_tensor_maps<Device>) {
                    if (decided_.size == flat) return call_with<entry_of<Access, flat>>(f), true;
                    if (decided_.size == clustered) return call_with<entry_of<Access, clustered>>(f), true;
                    if (decided_.size == quad) return call_with<entry_of<Access, quad>>(f), true;
                    if (decided_.size == flat_quad) return call_with<entry_of<Access, flat_quad>>(f), true;
                    if (decided_.size == tall) return call_with<entry_of<Access, tall>>(f), true;
                    if (decided_.size == tiny) return call_with<entry_of<Access, tiny>>(f), true;
                    if (decided_.size == deep) return call_with<entry_of<Access, deep>>(f), true;
                    if (decided_.size == flat_clustered)
                        return call_with<entry_of<Access, flat_clustered>>(f), true;
                }
            }
            if constexpr (!on_host) return call_with<entry_of<Access, tune::size_class::small>>(f), true;
        }
        return false;
    }

    /// May this device's architecture have tiles between large and small?
    static constexpr bool has_medium() {
        if constexpr (requires { typename Device::arch; })
            return tune::row_of<typename Device::arch, In>().medium.block_tile.m > 0;
        else
            return !has_tensor_maps<Device> || tune::row_of<arch::sm_90a, In>().medium.block_tile.m > 0;
    }

    /// With the entry, or with the one of the same kernel that has maps.
    template <class Entry, class F>
    void call_with(F& f) const {
        if constexpr (has_tensor_maps<Device> && Entry::access != operand_access::strided)
            if (by_boxes()) return f(tune::tma_gemm_entry<Entry, In, Out, Epilogue>{});
        f(Entry{});
    }

    gemm_request<In, Out, Epilogue> asked_;
    gemm_decision decided_;
    acc* partial_ = nullptr;
    std::conditional_t<may_transpose, kernel::transpose_few_arguments<In>,
                       kernel::transpose_few_arguments<char>>
        copy_{};
    tensor_map a_map_{}, b_map_{}, out_map_{}, tail_map_{};
};

}  // namespace FADE_NAMESPACE

// One call of a product of groups along k: checked, chosen, and its launch.
#pragma once
#include <fade/arch/host.hpp>
#include <fade/device/gemm_arguments.hpp>
#include <fade/device/gemm_plan.hpp>
#include <fade/device/grouped_call.hpp>
#include <fade/device/host_copy.hpp>
#include <fade/device/run_on.hpp>
#include <fade/epilogue/chain.hpp>
#include <fade/tune/gemm/report_words.hpp>
#include <fade/tune/grouped/along_k_entry.hpp>
#include <fade/tune/grouped/evidence.hpp>

namespace FADE_NAMESPACE {

template <class In, class Out, class Device, class Epilogue>
class grouped_k_operation {
    using value = epilogue::value_t<accumulator_t<In>, Out, Epilogue>;
    using arguments_type = kernel::grouped_k_arguments<In, Out, Epilogue>;
    using boxes_arguments = kernel::with_maps<arguments_type>;
    static constexpr bool on_host = std::is_same_v<Device, host_device>;
    static constexpr int joined = epilogue::columns_per_output<Epilogue>;

public:
    grouped_k_operation(const Device& device, const grouped_k_gemm_problem& problem,
                        const grouped_k_gemm_operands<In, Out>& operands, const Epilogue& epilogue,
                        const grouped_gemm_options& options)
        : problem_(kernel::checked(problem, joined)), operands_(operands), epilogue_(epilogue),
          check_indices_(options.check_indices.value_or(is_cpu<Device>)) {
        kernel::check_scalars<value>(kernel::as_batch(problem_));
        kernel::check_gate<Epilogue>(problem_.beta);
        kernel::check_operands(problem_, operands_, joined);
        if (!empty()) epilogue::bind(epilogue_, {problem_.m, problem_.n, problem_.groups});
        rows_ = kernel::as_rows(problem_);
        if (problem_.alpha == 0) problem_.k = 0;  // A and B are not read then
        with_multiplying_arch<In>(device, [&](auto arch) { decide<decltype(arch)>(device); });
    }

    const report& said() const { return report_; }
    const gemm_policy& policy() const { return policy_; }
    operand_access access() const { return choice_.access; }

    /// Only a run looks at the table, and has maps: those of a plan may be no memory.
    void before_launches(Device& device) {
        if (empty()) return;
        if constexpr (requires(const tile_source& s) { device.map(s); })
            if (by_boxes()) make_tensor_maps(device);
        if (!check_indices_) return;
        const std::vector<int> ends = host_copy(device, operands_.ends.get(), problem_.groups);
        kernel::check_ends(ends.data(), rows_);
    }

    template <class F>
    void each_launch(F f) const {
        if (empty()) return;
        using enum operand_access;
        using enum tune::size_class;
        const arguments_type args = arguments();
        if constexpr (has_tensor_maps<Device>)
            if (by_boxes()) {
                const boxes_arguments boxes = with_maps(args);
                const grid_shape grid{boxes.workgroups};
                if (choice_.size == large) return f(boxes_entry_of<large>{}, grid, boxes);
                return f(boxes_entry_of<small>{}, grid, boxes);
            }
        const grid_shape grid{args.tile_rows * args.tile_columns, 1, problem_.groups};
        if (on_host || choice_.access == strided)
            f(entry_of<strided, on_host ? large : small>{}, grid, args);
        else if constexpr (!on_host) {
            if (choice_.size == large)
                f(entry_of<tn, large>{}, grid, args);
            else
                f(entry_of<tn, small>{}, grid, args);
        }
    }

private:
    template <operand_access Access, tune::size_class Size>
    using entry_of = tune::grouped_k_entry<arguments_type, Access, Size>;
    template <tune::size_class Size>
    using boxes_entry_of = tune::grouped_k_boxes_entry<In, Out, Size, Epilogue>;
    bool by_boxes() const { return policy_.pipeline == block::pipeline_kind::tma_ring; }
    bool empty() const { return problem_.m == 0 || problem_.n == 0 || problem_.groups == 0; }

    template <class Arch>
    void decide(const Device& device) {
        const grouped_k_gemm_problem& p = problem_;
        if constexpr (on_host) {
            choice_ = tune::select_host_gemm(device.compute_units());
            policy_ = tune::host_policy<In>(tune::average_group(p), device.compute_units(),
                                            tune::few_rows::as_dots);
        } else {
            constexpr tune::gemm_row row = tune::row_of_two_sizes<Arch, In>();
            choice_ = tune::select_grouped_k(row, p, operands_.a, operands_.b, sizeof(In),
                                             device.compute_units(), tune::model_of<Arch, In>());
            policy_ = tune::policy_for(row, choice_.size, choice_.access);
            if constexpr (has_tensor_maps<Device> && tune::groups_by_boxes<Arch, In>())
                choose_boxes<Arch>(device.compute_units());
            compute_units_ = device.compute_units();
            kernel::check_reach<In, Out>(kernel::as_batch(p), policy_.block_tile);
        }
        report_ = {.requested = requested_words(),
                   .chosen = tune::kernel_words("grouped_k_gemm", choice_, policy_),
                   .why = choice_.why,
                   .device = device.name(),
                   .arch = std::string(Arch::traits.name),
                   .fallback = choice_.fallback,
                   .evidence = tune::grouped_k_evidence(Arch::traits.name, dtype_v<In>, dtype_v<Out>,
                                                        choice_.access, choice_.size)};
        if (empty()) return tune::report_nothing(report_);
        require(tile_rows() * tile_columns() < index(1) << 31, "m x n", tile_rows() * tile_columns(),
                "at most 2^31 - 1 tiles of D can be launched");
    }
    template <class Arch>
    void choose_boxes(int compute_units) {
        using enum tune::size_class;
        if (choice_.access == operand_access::strided) return;
        const auto policy = [](tune::size_class size) { return tune::grouped_boxes_policy<Arch, In>(size); };
        choice_ = tune::select_grouped_k_boxes(policy(large), policy(small), problem_, compute_units);
        policy_ = policy(choice_.size);
    }
    std::string requested_words() const {
        const grouped_k_gemm_problem& p = problem_;
        return "grouped_k_gemm " + std::to_string(p.groups) + " groups along k, " + std::to_string(p.m) +
               " x " + std::to_string(p.n) + " x " + std::to_string(p.k) + ", " + fade::name(dtype_v<In>) +
               " to " + fade::name(dtype_v<Out>) + ", epilogue " + name_of(epilogue_);
    }

    index tile_rows() const { return ceil_div<index>(problem_.m, policy_.block_tile.m); }
    index tile_columns() const { return ceil_div<index>(problem_.n, policy_.block_tile.n); }

    arguments_type arguments() const {
        const grouped_k_gemm_problem& p = problem_;
        const gemm_operands<In, Out> operands{operands_.a, operands_.b, operands_.c, operands_.d};
        return {gemm_arguments_of(kernel::as_batch(p), operands, epilogue_, {tile_rows(), tile_columns()}),
                {operands_.ends.get(), p.groups, int(p.k)}};
    }

    int cluster_columns() const {
        return block::cluster_columns(tile_rows(), tile_columns(), policy_.cluster);
    }
    boxes_arguments with_maps(const arguments_type& args) const {
        const int workgroups =
            block::persistent_workgroups(args.tile_rows, args.tile_columns, problem_.groups, policy_.cluster,
                                         compute_units_, cluster_columns());
        boxes_arguments out{args, problem_.groups, workgroups, false, a_map_, b_map_, out_map_};
        out.cluster_columns = cluster_columns();
        out.boxes_out = kernel::takes_boxes(kernel::stored_to_map(out));
        return out;
    }
    void make_tensor_maps(const Device& device) {
        const boxes_arguments args = with_maps(arguments());
        const kernel::gemm_access access = tune::access_of(operand_access::tn);
        const int beside = args.cluster_columns;
        a_map_ = device.map(kernel::a_to_map(args, access.a, policy_.block_tile, beside));
        b_map_ = device.map(kernel::b_to_map(args, access.b, policy_.block_tile, policy_.cluster / beside));
        if (args.boxes_out) out_map_ = device.map(kernel::stored_to_map(args));
    }

    grouped_k_gemm_problem problem_;
    grouped_gemm_problem rows_;  ///< whose ends are checked
    grouped_k_gemm_operands<In, Out> operands_;
    Epilogue epilogue_;
    bool check_indices_;
    report report_;
    tune::gemm_choice choice_{};
    gemm_policy policy_{};
    int compute_units_ = 1;
    tensor_map a_map_{}, b_map_{}, out_map_{};
};

}  // namespace FADE_NAMESPACE

// One call of a grouped matrix multiplication: checked, chosen, and its launch.
#pragma once
#include <fade/arch/host.hpp>
#include <fade/device/gemm_arguments.hpp>
#include <fade/device/gemm_plan.hpp>
#include <fade/device/host_copy.hpp>
#include <fade/device/run_on.hpp>
#include <fade/epilogue/chain.hpp>
#include <fade/tune/gemm/report_words.hpp>
#include <fade/tune/grouped/entry.hpp>
#include <fade/tune/grouped/select.hpp>
#include <optional>
#include <vector>

namespace FADE_NAMESPACE {

/// What grouped_gemm() is told beside its problem.
struct grouped_gemm_options {
    bool strict = false;  ///< refuse a fallback instead of reporting it
    /// Are ends and row_list looked at before the launch? True: the first wrong one is an error, which on a
    /// GPU waits for the stream. Unset: the host and emulated devices refuse them, and GPUs do not look:
    /// what a wrong table names beyond the memory is not touched.
    std::optional<bool> check_indices{};
};

template <class In, class Out, class Device, class Epilogue>
class grouped_operation {
    using acc = accumulator_t<In>;
    using value = epilogue::value_t<acc, Out, Epilogue>;
    using arguments_type = kernel::grouped_arguments<In, Out, Epilogue>;
    using boxes_arguments = kernel::with_maps<arguments_type>;
    static constexpr bool on_host = std::is_same_v<Device, host_device>;
    static constexpr int joined = epilogue::columns_per_output<Epilogue>;

public:
    grouped_operation(const Device& device, const grouped_gemm_problem& problem,
                      const grouped_gemm_operands<In, Out>& operands, const Epilogue& epilogue,
                      const grouped_gemm_options& options)
        : problem_(kernel::checked(problem, joined)), operands_(operands), epilogue_(epilogue),
          check_indices_(options.check_indices.value_or(is_cpu<Device>)) {
        kernel::check_scalars<value>(kernel::as_batch(problem_));
        kernel::check_gate<Epilogue>(problem_.beta);
        kernel::check_operands(problem_, operands_, joined);
        if (!empty()) epilogue::bind(epilogue_, {problem_.rows, problem_.n, problem_.groups, true});
        if (problem_.alpha == 0) problem_.k = 0;  // A and B are not read then
        with_multiplying_arch<In>(device, [&](auto arch) { decide<decltype(arch)>(device); });
    }

    const report& said() const { return report_; }
    const gemm_policy& policy() const { return policy_; }
    operand_access access() const { return choice_.access; }

    /// Only a run looks at the tables, and has maps: those of a plan may be no memory.
    void before_launches(Device& device) {
        if (empty()) return;
        if constexpr (requires(const tile_source& s) { device.map(s); })
            if (by_boxes()) make_tensor_maps(device);
        if (check_indices_) check_tables(device);
    }

    template <class F>
    void each_launch(F f) const {
        if (empty()) return;
        const arguments_type args = arguments();
        if constexpr (has_tensor_maps<Device>)
            if (by_boxes())
                return with_boxes_entry([&](auto entry) { f(entry, boxes_grid(), with_maps(args)); });
        const grid_shape grid{args.tile_rows * args.tile_columns, 1, 1};
        if constexpr (on_host)
            f(entry_of<operand_access::strided, tune::size_class::large>{}, grid, args);
        else {
            using enum operand_access;
            dispatch<nn>(f, grid, args), dispatch<nt>(f, grid, args), dispatch<strided>(f, grid, args);
        }
    }

private:
    template <operand_access Access, tune::size_class Size>
    using entry_of = tune::grouped_entry<In, Out, Access, Size, Epilogue>;
    bool empty() const { return problem_.rows == 0 || problem_.n == 0 || problem_.groups == 0; }
    bool by_boxes() const { return policy_.pipeline == block::pipeline_kind::tma_ring; }

    void check_tables(Device& device) const {
        const grouped_gemm_problem& p = problem_;
        const std::vector<int> ends = host_copy(device, operands_.ends.get(), p.groups);
        kernel::check_ends(ends.data(), p);
        if (operands_.row_list && p.k > 0)
            kernel::check_list(host_copy(device, operands_.row_list.get(), p.rows).data(), p, ends.back());
    }

    template <class Arch>
    void decide(const Device& device) {
        const grouped_gemm_problem& p = problem_;
        if constexpr (on_host) {
            choice_ = tune::select_host_gemm(device.compute_units());
            policy_ = tune::host_policy<In>(tune::average_group(p), device.compute_units());
        } else {
            constexpr tune::gemm_row row = tune::row_of_two_sizes<Arch, In>();
            choice_ = tune::select_grouped(row, p, operands_.a, operands_.b, sizeof(In),
                                           device.compute_units(), tune::model_of<Arch, In>());
            policy_ = tune::policy_for(row, choice_.size, choice_.access);
            if constexpr (has_tensor_maps<Device> && tune::groups_by_boxes<Arch, In>())
                choose_boxes<Arch>(device.compute_units());
            compute_units_ = device.compute_units();
            check_reach();
        }
        report_ = {.requested = requested_words(),
                   .chosen = tune::kernel_words("grouped_gemm", choice_, policy_),
                   .why = choice_.why,
                   .device = device.name(),
                   .arch = std::string(Arch::traits.name),
                   .fallback = choice_.fallback,
                   .evidence = tune::grouped_evidence(Arch::traits.name, dtype_v<In>, choice_, policy_)};
        if (!empty()) return check_grid();
        tune::report_nothing(report_);
    }

    /// Rows that a list names are no box.
    template <class Arch>
    void choose_boxes(int compute_units) {
        if (operands_.row_list) {
            choice_.why += "; rows of A by a list are no boxes, so that lanes copy them";
            return;
        }
        using enum tune::size_class;
        const auto policy = [](tune::size_class size) { return tune::grouped_boxes_policy<Arch, In>(size); };
        const tune::gemm_choice boxes =
            tune::select_grouped_boxes(policy(large), policy(small), problem_, choice_.access, compute_units);
        if (!boxes.why.empty()) choice_ = boxes, policy_ = policy(boxes.size);
    }

    std::string requested_words() const {
        const grouped_gemm_problem& p = problem_;
        return "grouped_gemm " + std::string(fade::name(p.layout)) + " " + std::to_string(p.groups) +
               " groups, " + std::to_string(p.rows) + " x " + std::to_string(p.n) + " x " +
               std::to_string(p.k) + (operands_.row_list ? ", rows of A by a list" : "") + ", " +
               fade::name(dtype_v<In>) + " to " + fade::name(dtype_v<Out>) + ", epilogue " +
               name_of(epilogue_);
    }

    /// Rows that a list names may lie anywhere in A.
    void check_reach() const {
        gemm_problem one = kernel::as_batch(problem_);
        kernel::check_reach<In, Out>(one, policy_.block_tile);
        if (operands_.row_list) kernel::check_reach_of("lda", problem_.rows_of_a, problem_.lda, sizeof(In));
    }
    void check_grid() const {
        require(index(tile_rows()) * tile_columns() < index(1) << 31, "rows x n", problem_.rows,
                "at most 2^31 - 1 tiles of D can be launched");
    }
    int tile_rows() const {
        return block::tile_numbers(int(problem_.rows), problem_.groups, policy_.block_tile.m);
    }
    int tile_columns() const { return int(ceil_div<index>(problem_.n, policy_.block_tile.n)); }

    arguments_type arguments() const {
        const grouped_gemm_problem& p = problem_;
        const gemm_operands<In, Out> operands{operands_.a, operands_.b, operands_.c, operands_.d};
        return {gemm_arguments_of(kernel::as_batch(p), operands, epilogue_, {tile_rows(), tile_columns()}),
                {operands_.ends.get(), p.groups, int(p.rows)},
                operands_.row_list.get(),
                int(operands_.row_list ? p.rows_of_a : p.rows),
                policy_.block_tile.m,
                policy_.block_tile.n};
    }

    template <class F>
    void with_boxes_entry(F f) const {
        with_boxes_entry<operand_access::nn>(f), with_boxes_entry<operand_access::nt>(f);
    }
    template <operand_access Access, class F>
    void with_boxes_entry(F& f) const {
        using enum tune::size_class;
        if (choice_.access != Access) return;
        if (choice_.size == large)
            f(tune::grouped_boxes_entry<In, Out, Access, large, Epilogue>{});
        else
            f(tune::grouped_boxes_entry<In, Out, Access, small, Epilogue>{});
    }
    /// No more workgroups than tiles that have rows, if no group is empty.
    grid_shape boxes_grid() const {
        return {
            block::persistent_workgroups(tile_rows(), tile_columns(), 1, policy_.cluster, compute_units_)};
    }
    boxes_arguments with_maps(const arguments_type& args) const {
        boxes_arguments out{args, problem_.groups, boxes_grid().x, false, a_map_, b_map_, out_map_};
        out.boxes_out = kernel::takes_boxes(kernel::stored_to_map(out));
        return out;
    }
    void make_tensor_maps(const Device& device) {
        const boxes_arguments args = with_maps(arguments());
        const kernel::gemm_access access = tune::access_of(choice_.access);
        a_map_ = device.map(kernel::grouped_a_to_map(args, policy_.block_tile, policy_.cluster));
        b_map_ = device.map(kernel::b_to_map(args, access.b, policy_.block_tile, policy_.cluster));
        if (args.boxes_out) out_map_ = device.map(kernel::stored_to_map(args));
    }

    template <operand_access Access, class F>
    void dispatch(F& f, const grid_shape& grid, const arguments_type& args) const {
        if (choice_.access != Access) return;
        if constexpr (Access != operand_access::strided)
            if (choice_.size == tune::size_class::large)
                return f(entry_of<Access, tune::size_class::large>{}, grid, args);
        f(entry_of<Access, tune::size_class::small>{}, grid, args);
    }

    grouped_gemm_problem problem_;
    grouped_gemm_operands<In, Out> operands_;
    Epilogue epilogue_;
    bool check_indices_;
    report report_;
    tune::gemm_choice choice_{};
    gemm_policy policy_{};
    int compute_units_ = 1;
    tensor_map a_map_{}, b_map_{}, out_map_{};
};

}  // namespace FADE_NAMESPACE

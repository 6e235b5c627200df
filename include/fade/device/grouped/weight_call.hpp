// One call of a grouped product with quantised weights: checked, chosen, and its launch.
#pragma once
#include <fade/arch/host.hpp>
#include <fade/device/gemm_arguments.hpp>
#include <fade/device/host_copy.hpp>
#include <fade/device/operation.hpp>
#include <fade/device/run_on.hpp>
#include <fade/epilogue/chain.hpp>
#include <fade/kernel/grouped/weights_check.hpp>
#include <fade/tune/gemm/report_words.hpp>
#include <fade/tune/grouped/evidence.hpp>
#include <fade/tune/grouped/weights_entry.hpp>
#include <optional>
#include <vector>

namespace FADE_NAMESPACE {

/// What grouped_weight_gemm() is told beside its problem.
struct grouped_weight_gemm_options {
    /// Are ends and row_list looked at before the launch? As of grouped_gemm_options.
    std::optional<bool> check_indices{};
};

/// Report, launches and workspace_bytes are those of every operation.
struct grouped_weight_gemm_plan : operation_plan {
    gemm_policy policy;  ///< how the problem is cut
};

template <weight_format Format, class In, class Out, class Device, class Epilogue>
class grouped_weight_operation {
    using value = epilogue::value_t<accumulator_t<In>, Out, Epilogue>;
    using arguments_type = kernel::grouped_weight_arguments<In, Out, Epilogue>;
    static constexpr bool on_host = std::is_same_v<Device, host_device>;
    static constexpr int joined = epilogue::columns_per_output<Epilogue>;

public:
    grouped_weight_operation(const Device& device, const grouped_weight_gemm_problem& problem,
                             const grouped_weight_gemm_operands<Format, In, Out>& operands,
                             const Epilogue& epilogue, const grouped_weight_gemm_options& options)
        : problem_(kernel::checked(problem, Format, joined)), operands_(operands), epilogue_(epilogue),
          check_indices_(options.check_indices.value_or(is_cpu<Device>)) {
        kernel::check_scalars<value>(product());
        kernel::check_gate<Epilogue>(problem_.beta);
        kernel::check_operands(problem_, operands_, joined);
        if (!empty()) epilogue::bind(epilogue_, {problem_.rows, problem_.n, problem_.groups, true});
        weights_ = kernel::memory_of(kernel::of_one_group(problem_), operands_.weights,
                                     operands_.scales.get(), operands_.zeros);
        if (problem_.alpha == 0) problem_.k = 0;  // A and W are not read then
        with_multiplying_arch<In>(device, [&](auto arch) { decide<decltype(arch)>(device); });
    }

    const report& said() const { return report_; }
    const gemm_policy& policy() const { return policy_; }

    /// Only a run looks at the tables: those of a plan may be no memory.
    void before_launches(Device& device) {
        if (empty() || !check_indices_) return;
        const grouped_gemm_problem p = kernel::as_groups(problem_);
        const std::vector<int> ends = host_copy(device, operands_.ends.get(), p.groups);
        kernel::check_ends(ends.data(), p);
        if (operands_.row_list && p.k > 0)
            kernel::check_list(host_copy(device, operands_.row_list.get(), p.rows).data(), p, ends.back());
    }

    template <class F>
    void each_launch(F f) const {
        if (empty()) return;
        const arguments_type args = arguments();
        const grid_shape grid{args.tile_rows * args.tile_columns, 1, 1};
        if (on_host || size_ == tune::size_class::large)
            f(entry_of<tune::size_class::large>{}, grid, args);
        else if constexpr (!on_host)
            f(entry_of<tune::size_class::small>{}, grid, args);
    }

private:
    template <tune::size_class Size>
    using entry_of = tune::grouped_weight_entry<Format, In, Out, Size, Epilogue>;
    bool empty() const { return problem_.rows == 0 || problem_.n == 0 || problem_.groups == 0; }
    gemm_problem product() const { return kernel::as_batch(kernel::as_groups(problem_)); }

    template <class Arch>
    void decide(const Device& device) {
        const gemm_problem average = tune::average_group(kernel::as_groups(problem_));
        std::string why;
        if constexpr (on_host) {
            policy_ = tune::host_policy<In>(average, device.compute_units());
            why = tune::select_host_gemm(device.compute_units()).why;
        } else {
            const tune::gemm_choice choice = tune::select_grouped_weights(
                tune::grouped_weight_policy<Arch, In, Format>(tune::size_class::large), average,
                device.compute_units());
            size_ = choice.size, why = choice.why;
            policy_ = tune::grouped_weight_policy<Arch, In, Format>(size_);
            kernel::check_weight_reach<Format, In, Out>(kernel::of_one_group(problem_), policy_.block_tile,
                                                        joined);
            if (operands_.row_list)
                kernel::check_reach_of("lda", problem_.rows_of_a, problem_.lda, sizeof(In));
        }
        const tile_shape& t = policy_.block_tile;
        report_ = {.requested = requested_words(),
                   .chosen = std::string("grouped_weight_gemm_") + tune::name(size_) + " " +
                             std::to_string(t.m) + "x" + std::to_string(t.n) + "x" + std::to_string(t.k) +
                             ", " + block::name(policy_.pipeline),
                   .why = why,
                   .device = device.name(),
                   .arch = std::string(Arch::traits.name),
                   .fallback = false,
                   .evidence =
                       tune::grouped_weight_evidence(Arch::traits.name, Format, problem_.group, dtype_v<In>,
                                                     dtype_v<Out>, size_, operands_.row_list != nullptr)};
        if (empty()) return tune::report_nothing(report_);
        require(tile_rows() * tile_columns() < index(1) << 31, "rows x n", tile_rows() * tile_columns(),
                "at most 2^31 - 1 tiles of D can be launched");
    }
    std::string requested_words() const {
        const grouped_weight_gemm_problem& p = problem_;
        return "grouped_weight_gemm " + std::to_string(p.groups) + " groups, " + std::to_string(p.rows) +
               " x " + std::to_string(p.n) + " x " + std::to_string(p.k) +
               (operands_.row_list ? ", rows of A by a list, " : ", ") + fade::name(dtype_v<In>) + " by " +
               in_words(kernel::with_group(Format, kernel::of_one_group(p))) + " to " +
               fade::name(dtype_v<Out>) + ", epilogue " + name_of(epilogue_);
    }

    index tile_rows() const {
        return block::tile_numbers(int(problem_.rows), problem_.groups, policy_.block_tile.m);
    }
    index tile_columns() const { return ceil_div<index>(problem_.n, policy_.block_tile.n); }

    arguments_type arguments() const {
        const grouped_weight_gemm_problem& p = problem_;
        const gemm_operands<In, Out> operands{operands_.a, nullptr, operands_.c, operands_.d};
        return {{gemm_arguments_of(product(), operands, epilogue_, {tile_rows(), tile_columns()}),
                 {operands_.ends.get(), p.groups, int(p.rows)},
                 operands_.row_list.get(),
                 int(operands_.row_list ? p.rows_of_a : p.rows),
                 policy_.block_tile.m,
                 policy_.block_tile.n},
                weights_};
    }

    grouped_weight_gemm_problem problem_;
    grouped_weight_gemm_operands<Format, In, Out> operands_;
    Epilogue epilogue_;
    bool check_indices_;
    block::weight_memory weights_{};
    report report_;
    tune::size_class size_ = tune::size_class::large;
    gemm_policy policy_{};
};

}  // namespace FADE_NAMESPACE

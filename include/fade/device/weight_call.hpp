// One call of a product with quantised weights: checked, chosen, and the list of its launches.
#pragma once
#include <fade/arch/host.hpp>
#include <fade/device/gemm_arguments.hpp>
#include <fade/device/operation.hpp>
#include <fade/device/run_on.hpp>
#include <fade/epilogue/chain.hpp>
#include <fade/tune/gemm/report_words.hpp>
#include <fade/tune/weights/entry.hpp>
#include <fade/tune/weights/report_words.hpp>
#include <fade/tune/weights/select.hpp>

namespace FADE_NAMESPACE {

/// What weight_gemm() is told beside its problem.
struct weight_gemm_options {
    bool strict = false;  ///< refuse a fallback instead of reporting it
    int split_k = 0;      ///< workgroups that share a tile's k; 0: as many as idle compute units call for
    void* workspace = nullptr;        ///< device memory for shared k; null: the device's own pool
    std::size_t workspace_bytes = 0;  ///< of that memory
};

/// Report, launches and workspace_bytes are those of every operation.
struct weight_gemm_plan : operation_plan {
    gemm_policy policy;  ///< how the problem is cut
};

template <weight_format Format, class In, class Out, class Device, class Epilogue>
class weight_operation {
    using acc = accumulator_t<In>;
    using arguments_type = kernel::weight_arguments<In, Out, Epilogue>;
    static constexpr bool on_host = std::is_same_v<Device, host_device>;
    static constexpr int joined = epilogue::columns_per_output<Epilogue>;

public:
    weight_operation(const Device& device, const weight_gemm_problem& problem,
                     const weight_gemm_operands<Format, In, Out>& operands, const Epilogue& epilogue,
                     const weight_gemm_options& options)
        : problem_(kernel::checked(problem, Format, joined)), operands_(operands), epilogue_(epilogue) {
        kernel::check_gate<Epilogue>(problem_.beta);
        kernel::check_operands(problem_, operands_, joined);
        require(options.split_k >= 0 && options.split_k <= 4096, "split_k", options.split_k,
                "it must be between 1 and 4096, or 0 to leave it to the selector");
        if (!empty()) epilogue::bind(epilogue_, {problem_.m, problem_.n, 1});
        weights_ = kernel::memory_of(problem_, operands_.weights, operands_.scales.get(), operands_.zeros);
        if (problem_.alpha == 0) problem_.k = 0;  // A and W are not read then
        with_multiplying_arch<In>(device,
                                  [&](auto arch) { decide<decltype(arch)>(device, options.split_k); });
    }

    const report& said() const { return report_; }
    const gemm_policy& policy() const { return policy_; }

    std::size_t workspace_bytes() const {
        return splits_ > 1
                   ? std::size_t(problem_.m) * std::size_t(problem_.n) * std::size_t(splits_) * sizeof(acc)
                   : 0;
    }
    std::string what_needs() const {
        return "sharing k among " + std::to_string(splits_) + " workgroups needs";
    }
    void place(void* memory) { partial_ = static_cast<acc*>(memory); }

    template <class F>
    void each_launch(F f) const {
        if (empty()) return;
        const arguments_type args = arguments();
        const grid_shape grid{args.tile_rows * args.tile_columns * ranks_, 1, splits_, ranks_};
        if (on_host || size_ == tune::size_class::large)
            f(entry_of<tune::size_class::large>{}, grid, args);
        else if constexpr (!on_host) {
            using enum tune::size_class;
            if (size_ == skinny)
                launch_of<skinny>(f, grid, args);
            else if (size_ == narrow)
                launch_of<narrow>(f, grid, args);
            else if (size_ == medium)
                launch_of<medium>(f, grid, args);
            else if (size_ == flat)
                launch_of<flat>(f, grid, args);
            else
                f(entry_of<tune::size_class::small>{}, grid, args);
        }
        if (splits_ > 1)
            f(tune::combine_entry<In, Out, Epilogue>{},
              block::combine_grid(problem_.m * (problem_.n / joined), splits_, 1),
              static_cast<const kernel::gemm_arguments<In, Out, Epilogue>&>(args));
    }

private:
    template <tune::size_class Size, bool Wide = false>
    using entry_of = tune::weight_entry<Format, In, Out, Size, Epilogue, Wide>;
    template <class Arch>
    static constexpr gemm_policy policy_of(tune::size_class size, bool wide = false) {
        return tune::weight_policy_of<Arch, In, Format>(size, wide);
    }
    /// Of few rows; Hopper alone has kernels of wide tiles.
    template <tune::size_class Size, class F>
    void launch_of(F& f, grid_shape grid, const arguments_type& args) const {
        if constexpr (has_tensor_maps<Device> && policy_of<arch::sm_90a>(Size, true).block_tile.m > 0)
            if (wide_) return f(entry_of<Size, true>{}, grid, args);
        f(entry_of<Size>{}, grid, args);
    }
    bool empty() const { return problem_.m == 0 || problem_.n == 0; }

    template <class Arch>
    void decide(const Device& device, int split_k) {
        const gemm_problem p = kernel::checked(kernel::as_product(problem_), joined);
        std::string why;
        if constexpr (on_host) {
            policy_ = tune::host_policy<In>(p, device.compute_units());
            why = tune::select_host_gemm(device.compute_units()).why;
        } else {
            constexpr tune::weight_policies all{policy_of<Arch>(tune::size_class::large),
                                                policy_of<Arch>(tune::size_class::skinny),
                                                policy_of<Arch>(tune::size_class::narrow),
                                                policy_of<Arch>(tune::size_class::medium),
                                                policy_of<Arch>(tune::size_class::flat),
                                                {policy_of<Arch>(tune::size_class::skinny, true),
                                                 policy_of<Arch>(tune::size_class::narrow, true),
                                                 policy_of<Arch>(tune::size_class::medium, true),
                                                 policy_of<Arch>(tune::size_class::flat, true)}};
            const tune::weight_choice choice = tune::select_weights(all, p, split_k, device.compute_units());
            size_ = choice.size, why = choice.why, wide_ = choice.wide;
            policy_ = policy_of<Arch>(size_, wide_);
            kernel::check_weight_reach<Format, In, Out>(problem_, policy_.block_tile, joined);
        }
        if (tune::streams_weights(policy_)) {
            const auto parts = tune::parts_of_stream(policy_, p, split_k, device.compute_units());
            ranks_ = parts.ranks, splits_ = parts.splits;
        } else
            splits_ = tune::splits_for(policy_, p, split_k, device.compute_units());
        report_ = tune::weight_report(problem_, Format, dtype_v<In>, dtype_v<Out>,
                                      {policy_, size_, splits_, ranks_, split_k, why}, device.name(),
                                      Arch::traits.name);
        report_.requested += ", epilogue " + name_of(epilogue_);
        if (!empty()) return check_grid();
        splits_ = ranks_ = 1, tune::report_nothing(report_);
    }

    index tile_rows() const { return ceil_div<index>(problem_.m, policy_.block_tile.m); }
    index tile_columns() const { return ceil_div<index>(problem_.n, policy_.block_tile.n); }
    void check_grid() const {
        require(tile_rows() * tile_columns() < index(1) << 31, "m x n", tile_rows() * tile_columns(),
                "at most 2^31 - 1 tiles of D can be launched");
    }

    arguments_type arguments() const {
        const gemm_problem p = kernel::checked(kernel::as_product(problem_), joined);
        const gemm_operands<In, Out> operands{operands_.a, nullptr, operands_.c, operands_.d};
        const index k_split = block::share_of<index>(p.k, splits_, policy_.block_tile.k);
        return {gemm_arguments_of(p, operands, epilogue_, {tile_rows(), tile_columns(), splits_, k_split},
                                  partial_),
                weights_, policy_.block_tile.m, policy_.block_tile.n, ranks_};
    }

    weight_gemm_problem problem_;
    weight_gemm_operands<Format, In, Out> operands_;
    Epilogue epilogue_;
    block::weight_memory weights_{};
    report report_;
    tune::size_class size_ = tune::size_class::large;
    gemm_policy policy_{};
    bool wide_ = false;           ///< of few rows: tiles whose waves share rows of A
    int splits_ = 1, ranks_ = 1;  ///< by sums in memory, and in clusters
    acc* partial_ = nullptr;
};

}  // namespace FADE_NAMESPACE

// One call of gemm: checked, chosen, launched, reported.
#pragma once
#include <fade/core/error.hpp>
#include <fade/device/gemm_plan.hpp>
#include <fade/device/run_on.hpp>
#include <fade/epilogue/chain.hpp>
#include <fade/kernel/gemm/check.hpp>
#include <fade/tune/gemm/policies.hpp>

namespace FADE_NAMESPACE {

struct gemm_options {
    bool strict = false;  ///< refuse a fallback instead of reporting it
    int split_k = 1;      ///< workgroups that share a tile's k; 0: as many as idle compute units call for
    void* workspace = nullptr;  ///< device memory for shared k; null: the device's own pool
    std::size_t workspace_bytes = 0;
};

/// Can the architecture of a device, where the compiler knows it, run the policy that is passed? Where not,
/// the call does not compile.
template <class Device, class In, gemm_kernels Kernels>
constexpr bool fits_device() {
    if constexpr (Kernels.passes_policy && requires { typename Device::arch; })
        return kernel::require_fit<typename Device::arch, In, Kernels.policy>();
    else
        return true;
}

/// Policies: the table's, or one that the caller passed.
template <class In, class Out, class Device, class Epilogue, class Policies = tune::table_policies>
class gemm_call {
    using acc = accumulator_t<In>;
    using value = epilogue::value_t<acc, Out, Epilogue>;
    static constexpr bool on_host = std::is_same_v<Device, host_device>;

public:
    gemm_call(Device& device, const gemm_problem& problem, const gemm_operands<In, Out>& operands,
              const Epilogue& epilogue, const gemm_options& options)
        : device_(device), problem_(kernel::checked(problem)), operands_(operands), epilogue_(epilogue),
          options_(options) {
        kernel::check_scalars<value>(problem_);
        kernel::check_operands(problem_, operands_);
        if (!empty()) epilogue::bind(epilogue_, {problem_.m, problem_.n, problem_.batch});
        require(options_.split_k >= 0 && options_.split_k <= 4096, "split_k", options_.split_k,
                "it must be between 1 and 4096, or 0 to leave it to the selector");
        if (problem_.alpha == 0) problem_.k = 0;  // A and B are not read then
        with_multiplying_arch<In>(device_, [&](auto arch) {
            tune::require_runnable<Policies, decltype(arch), In>();
            choose<decltype(arch)>();
        });
    }

    template <gemm_kernels Kernels>
    report run() {
        if (empty()) return plan_.report;
        const auto alone = device_.use();
        take_workspace();
        dispatch<Kernels>([&](auto entry) { device_.template launch<decltype(entry)>(grid(), arguments()); });
        if (splits_ > 1) device_.template launch<combiner>(combine_grid(), arguments());
        return plan_.report;
    }

    template <gemm_kernels Kernels>
    gemm_plan plan() {
        if (empty()) return plan_;
        partial_ = static_cast<acc*>(options_.workspace);
        dispatch<Kernels>([&](auto entry) {
            plan_.launches.push_back(plan_launch<decltype(entry)>(device_, grid(), arguments()));
        });
        if (splits_ > 1)
            plan_.launches.push_back(plan_launch<combiner>(device_, combine_grid(), arguments()));
        return plan_;
    }

private:
    template <gemm_reading Reading, tune::size_class Size>
    using entry_of = typename Policies::template entry<In, Out, Reading, Size, Epilogue>;
    using combiner = tune::combine_entry<In, Out, Epilogue>;
    bool empty() const { return problem_.m == 0 || problem_.n == 0 || problem_.batch == 0; }

    template <class Arch>
    void choose() {
        constexpr tune::gemm_row row = Policies::template row<Arch, In>;
        auto choice = selected(row);
        if (choice.fallback && options_.strict && !empty())
            throw error("strict", "set", "this problem needs a fallback: " + choice.why);
        size_ = choice.size;
        plan_.policy = tune::policy_for(row, size_, choice.reading), plan_.reading = choice.reading;
        if constexpr (on_host)
            plan_.policy = tune::host_policy<In>(problem_, device_.compute_units());
        else
            kernel::check_reach<In, Out>(problem_, plan_.policy.block_tile);
        splits_ = tune::splits_for(plan_.policy, problem_, options_.split_k, device_.compute_units());
        if (options_.split_k > 1 && splits_ != options_.split_k)
            choice.why += "; k is too shallow for " + std::to_string(options_.split_k) +
                          " equal parts of whole steps, so " + std::to_string(splits_) + " share it";
        plan_.workspace_bytes = splits_ > 1 ? std::size_t(problem_.m) * std::size_t(problem_.n) *
                                                  std::size_t(problem_.batch * splits_) * sizeof(acc)
                                            : 0;
        plan_.report = {.requested = words(),
                        .chosen = chosen(),
                        .why = choice.why,
                        .device = device_.name(),
                        .arch = std::string(Arch::traits.name),
                        .fallback = choice.fallback,
                        .evidence = Policies::passed
                                        ? tune::passed_evidence(Arch::traits.name)
                                        : tune::gemm_evidence(Arch::traits.name, dtype_v<In>, problem_.layout,
                                                              choice.reading, plan_.policy)};
        if (empty()) nothing_to_launch();
    }

    tune::gemm_choice selected(const tune::gemm_row& row) const {
        if constexpr (on_host)
            return tune::select_host_gemm(device_.compute_units());
        else if constexpr (Policies::passed)
            return tune::select_passed(row, problem_, operands_.a, operands_.b, sizeof(In));
        else
            return tune::select_gemm(row, problem_, operands_.a, operands_.b, sizeof(In),
                                     device_.compute_units());
    }

    /// A D without elements has no kernel, so nothing is said of one.
    void nothing_to_launch() {
        plan_.report.chosen = "nothing", plan_.report.why = "D has no elements, so nothing is launched";
        plan_.report.evidence = "none is needed", plan_.report.fallback = false;
        splits_ = 1, plan_.workspace_bytes = 0;
    }

    void take_workspace() {
        if (splits_ > 1)
            partial_ = static_cast<acc*>(
                workspace_of(device_, options_, plan_.workspace_bytes,
                             "sharing k among " + std::to_string(splits_) + " workgroups needs"));
    }

    std::string words() const {
        std::string out =
            "gemm " + std::string(fade::name(problem_.layout)) + " " + std::to_string(problem_.m) + " x " +
            std::to_string(problem_.n) + " x " + std::to_string(problem_.k) +
            (problem_.batch == 1 ? "" : ", batch " + std::to_string(problem_.batch)) + ", " +
            fade::name(dtype_v<In>) + " to " + fade::name(dtype_v<Out>) + ", epilogue " + name_of(epilogue_);
        if constexpr (Policies::passed) out += ", policy " + tune::in_words(Policies::policy);
        return out;
    }
    std::string chosen() const {
        const auto& t = plan_.policy.block_tile;
        return "gemm_" + std::string(fade::name(plan_.reading)) + "_" +
               (Policies::passed ? "passed" : tune::name(size_)) + " " + std::to_string(t.m) + "x" +
               std::to_string(t.n) + "x" + std::to_string(t.k) + ", " + block::name(plan_.policy.pipeline) +
               (splits_ > 1 ? ", k shared by " + std::to_string(splits_) : "") +
               (epilogue::chosen_at_run_time<Epilogue> ? ", any_chain" : "");
    }

    int tile_rows() const { return int(ceil_div<index>(problem_.m, plan_.policy.block_tile.m)); }
    int tile_columns() const { return int(ceil_div<index>(problem_.n, plan_.policy.block_tile.n)); }

    grid_shape grid() const {
        const index tiles = index(tile_rows()) * tile_columns();
        require(tiles < (index(1) << 31), "m x n", tiles, "at most 2^31 - 1 tiles of D can be launched");
        require(problem_.batch * splits_ <= 65535, "batch x split_k", problem_.batch * splits_,
                "at most 65535 layers can be launched");
        return {int(tiles), 1, int(problem_.batch * splits_)};
    }
    grid_shape combine_grid() const {
        return {int(ceil_div<index>(problem_.m * problem_.n, kernel::combine_run)), 1, int(problem_.batch)};
    }

    kernel::gemm_arguments<In, Out, Epilogue> arguments() const {
        const auto& p = problem_;
        const bool ta = a_transposed(p.layout), tb = b_transposed(p.layout);
        const index step = plan_.policy.block_tile.k,
                    k_split = ceil_div<index>(ceil_div<index>(p.k, splits_), step) * step;
        return {operands_.a,
                operands_.b,
                operands_.c,
                operands_.d,
                p.m,
                p.n,
                p.k,
                ta ? 1 : p.lda,
                ta ? p.lda : 1,
                tb ? p.ldb : 1,
                tb ? 1 : p.ldb,
                p.ldc,
                p.ldd,
                p.stride_a,
                p.stride_b,
                p.stride_c,
                p.stride_d,
                value(p.alpha),
                value(p.beta),
                tile_rows(),
                tile_columns(),
                splits_,
                splits_ > 1 ? k_split : p.k,
                partial_,
                epilogue_};
    }

    /// Calls f with the entry type that was chosen.
    template <gemm_kernels Kernels, class F>
    void dispatch(F f) {
        const bool found =
            try_reading<gemm_reading::nn, Kernels>(f) || try_reading<gemm_reading::nt, Kernels>(f) ||
            try_reading<gemm_reading::tn, Kernels>(f) || try_reading<gemm_reading::tt, Kernels>(f) ||
            try_reading<gemm_reading::strided, Kernels>(f);
        if (!found)
            throw error("Kernels", "without " + std::string(fade::name(plan_.reading)),
                        "this problem needs that reading (" + plan_.report.why +
                            "): add it to the call's template argument");
    }

    /// The host reads any strides and cuts D as the problem needs, so it has one kernel; GPUs read strided
    /// operands with small tiles only.
    template <gemm_reading Reading, gemm_kernels Kernels, class F>
    bool try_reading(F f) {
        constexpr bool strided = Reading == gemm_reading::strided;
        if constexpr ((Kernels.has(Reading) && !on_host) || (strided && on_host)) {
            if (plan_.reading != Reading) return false;
            if constexpr (on_host || !strided)
                if (size_ == tune::size_class::large)
                    return f(entry_of<Reading, tune::size_class::large>{}), true;
            if constexpr (!on_host) return f(entry_of<Reading, tune::size_class::small>{}), true;
        }
        return false;
    }

    Device& device_;
    gemm_problem problem_;
    gemm_operands<In, Out> operands_;
    Epilogue epilogue_;
    gemm_options options_;
    gemm_plan plan_;
    tune::size_class size_ = tune::size_class::small;
    int splits_ = 1;
    acc* partial_ = nullptr;
};

}  // namespace FADE_NAMESPACE

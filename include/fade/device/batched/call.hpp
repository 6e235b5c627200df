// One call of products by tables of pointers: checked, chosen, and its launch.
#pragma once
#include <fade/arch/host.hpp>
#include <fade/device/gemm_arguments.hpp>
#include <fade/device/gemm_plan.hpp>
#include <fade/device/host_copy.hpp>
#include <fade/device/run_on.hpp>
#include <fade/epilogue/chain.hpp>
#include <fade/kernel/batched/check.hpp>
#include <fade/tune/batched/entry.hpp>
#include <fade/tune/batched/select.hpp>
#include <fade/tune/gemm/report_words.hpp>
#include <optional>
#include <vector>

namespace FADE_NAMESPACE {

/// What batched_gemm() is told beside its problem.
struct batched_gemm_options {
    bool strict = false;  ///< refuse a fallback instead of reporting it
    int alignment = 16;   ///< bytes that all pointers of A and B are multiples of: a power of two
    /// Are the tables looked at before the launch? True: the first wrong pointer is an error, which on a GPU
    /// waits for the stream. Unset: the host and emulated devices refuse it, and GPUs do not look.
    std::optional<bool> check_pointers{};
};

template <class In, class Out, class Device, class Epilogue, gemm_kernels Kernels>
class batched_operation {
    using value = epilogue::value_t<accumulator_t<In>, Out, Epilogue>;
    using arguments_type = kernel::batched_arguments<In, Out, Epilogue>;
    static constexpr bool on_host = std::is_same_v<Device, host_device>;
    static constexpr int joined = epilogue::columns_per_output<Epilogue>;
    static_assert(!Kernels.passes_policy,
                  "products by tables of pointers have the policies of the architecture's table: take "
                  "fade::only(...) alone, or gemm, which takes with_policy(...)");

public:
    batched_operation(const Device& device, const gemm_problem& problem,
                      const batched_gemm_operands<In, Out>& operands, const Epilogue& epilogue,
                      const batched_gemm_options& options)
        : problem_(kernel::checked_batched(problem, joined)), operands_(operands), epilogue_(epilogue),
          alignment_(options.alignment), check_pointers_(options.check_pointers.value_or(is_cpu<Device>)) {
        kernel::check_scalars<value>(problem_);
        kernel::check_gate<Epilogue>(problem_.beta);
        kernel::check_alignment<In>(alignment_);
        kernel::check_batched_tables(problem_, operands_);
        if (!empty()) epilogue::bind(epilogue_, {problem_.m, problem_.n, problem_.batch});
        if (problem_.alpha == 0) problem_.k = 0;  // A and B are not read then
        with_multiplying_arch<In>(device, [&](auto arch) { decide<decltype(arch)>(device); });
    }

    const report& said() const { return report_; }
    const gemm_policy& policy() const { return policy_; }
    operand_access access() const { return choice_.access; }

    /// Only a run looks at the tables: those of a plan may be no memory.
    void before_launches(Device& device) {
        if (empty() || !check_pointers_) return;
        const gemm_problem& p = problem_;
        kernel::brought_tables<In, Out> here;
        const auto table = [&](const auto& list) { return host_copy(device, list.get(), p.batch); };
        if (p.k > 0) here.a = table(operands_.a), here.b = table(operands_.b);
        if (p.beta != 0) here.c = table(operands_.c);
        here.d = table(operands_.d);
        kernel::check_pointers(p, here, alignment_, joined);
    }

    template <class F>
    void each_launch(F f) const {
        if (empty()) return;
        const arguments_type args = arguments();
        const grid_shape grid{args.tile_rows * args.tile_columns, 1, int(problem_.batch)};
        if constexpr (on_host)
            f(entry_of<operand_access::strided, tune::size_class::large>{}, grid, args);
        else {
            using enum operand_access;
            const bool found = dispatch<nn>(f, grid, args) || dispatch<nt>(f, grid, args) ||
                               dispatch<tn>(f, grid, args) || dispatch<tt>(f, grid, args) ||
                               dispatch<strided>(f, grid, args);
            if (!found)
                throw error("Kernels", "without " + std::string(fade::name(choice_.access)),
                            "this problem needs that reading (" + report_.why +
                                "): add it to the call's template argument");
        }
    }

private:
    template <operand_access Access, tune::size_class Size>
    using entry_of = tune::batched_entry<arguments_type, Access, Size>;
    bool empty() const { return problem_.m == 0 || problem_.n == 0 || problem_.batch == 0; }

    template <class Arch>
    void decide(const Device& device) {
        const gemm_problem& p = problem_;
        if constexpr (on_host) {
            choice_ = tune::select_host_gemm(device.compute_units());
            policy_ = tune::host_policy<In>(p, device.compute_units(), tune::few_rows::as_dots);
        } else {
            constexpr tune::gemm_row row = tune::row_of_two_sizes<Arch, In>();
            choice_ = tune::select_batched(row, p, alignment_, sizeof(In), device.compute_units(),
                                           tune::model_of<Arch, In>());
            policy_ = tune::policy_for(row, choice_.size, choice_.access);
            kernel::check_reach<In, Out>(p, policy_.block_tile);
        }
        report_ = {.requested = requested_words(),
                   .chosen = tune::kernel_words("batched_gemm", choice_, policy_),
                   .why = choice_.why,
                   .device = device.name(),
                   .arch = std::string(Arch::traits.name),
                   .fallback = choice_.fallback,
                   .evidence = tune::batched_evidence(Arch::traits.name, dtype_v<In>, choice_)};
        if (!empty())
            return require(tile_rows() * tile_columns() < index(1) << 31, "m x n", tile_rows(),
                           "at most 2^31 - 1 tiles of D can be launched");
        tune::report_nothing(report_);
    }

    std::string requested_words() const {
        const gemm_problem& p = problem_;
        return "batched_gemm " + std::string(fade::name(p.layout)) + " " + std::to_string(p.m) + " x " +
               std::to_string(p.n) + " x " + std::to_string(p.k) + ", " + std::to_string(p.batch) +
               " by tables of pointers, " + fade::name(dtype_v<In>) + " to " + fade::name(dtype_v<Out>) +
               ", epilogue " + name_of(epilogue_);
    }

    index tile_rows() const { return ceil_div<index>(problem_.m, policy_.block_tile.m); }
    index tile_columns() const { return ceil_div<index>(problem_.n, policy_.block_tile.n); }

    arguments_type arguments() const {
        const gemm_problem& p = problem_;
        return {gemm_arguments_of(p, gemm_operands<In, Out>{}, epilogue_, {tile_rows(), tile_columns()}),
                {p.k > 0 ? operands_.a.get() : nullptr, p.k > 0 ? operands_.b.get() : nullptr,
                 p.beta != 0 ? operands_.c.get() : nullptr, operands_.d.get()}};
    }

    template <operand_access Access, class F>
    bool dispatch(F& f, const grid_shape& grid, const arguments_type& args) const {
        if constexpr (Kernels.has(Access)) {
            using enum tune::size_class;
            if (choice_.access != Access) return false;
            if constexpr (Access != operand_access::strided)
                if (choice_.size == large) return f(entry_of<Access, large>{}, grid, args), true;
            return f(entry_of<Access, small>{}, grid, args), true;
        }
        return false;
    }

    gemm_problem problem_;
    batched_gemm_operands<In, Out> operands_;
    Epilogue epilogue_;
    int alignment_;
    bool check_pointers_;
    report report_;
    tune::gemm_choice choice_{};
    gemm_policy policy_{};
};

}  // namespace FADE_NAMESPACE

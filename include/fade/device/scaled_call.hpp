// One call of a product with scales of parts: checked, chosen, and its launch.
#pragma once
#include <fade/arch/host.hpp>
#include <fade/device/gemm_plan.hpp>
#include <fade/device/run_on.hpp>
#include <fade/epilogue/chain.hpp>
#include <fade/kernel/scaled/check.hpp>
#include <fade/tune/scaled/entry.hpp>

namespace FADE_NAMESPACE {

/// What scaled_gemm() is told beside its problem.
struct scaled_gemm_options {
    bool strict = false;  ///< refuse a fallback instead of reporting it
};

template <class In, class Out, class Device, class Epilogue>
class scaled_operation {
    using value = epilogue::value_t<float, Out, Epilogue>;
    using arguments_type = kernel::scaled_arguments<In, Out, Epilogue>;
    static constexpr bool on_host = std::is_same_v<Device, host_device>;
    static_assert(is_float8<In>, "scaled_gemm multiplies 8-bit floats: f8e4m3, f8e5m2 or their fnuz kin");
    static_assert(epilogue::columns_per_output<Epilogue> == 1,
                  "scaled_gemm has no gates (swiglu, geglu and their kin): take gemm or grouped_gemm");

public:
    scaled_operation(const Device& device, const scaled_gemm_problem& problem,
                     const scaled_gemm_operands<In, Out>& operands, const Epilogue& epilogue)
        : problem_(kernel::checked(problem)), operands_(operands), epilogue_(epilogue) {
        kernel::check_operands(problem_, operands_);
        if (!empty()) epilogue::bind(epilogue_, {problem_.m, problem_.n, 1});
        with_multiplying_arch<In>(device, [&](auto arch) { decide<decltype(arch)>(device); });
    }

    const report& said() const { return report_; }
    const gemm_policy& policy() const { return policy_; }
    operand_access access() const { return choice_.access; }

    template <class F>
    void each_launch(F f) const {
        if (empty()) return;
        const arguments_type args = arguments();
        const grid_shape grid{args.tile_rows * args.tile_columns, 1, 1};
        if constexpr (on_host)
            f(entry_of<operand_access::strided, tune::size_class::large>{}, grid, args);
        else {
            using enum operand_access;
            dispatch<nn>(f, grid, args), dispatch<nt>(f, grid, args), dispatch<tn>(f, grid, args);
            dispatch<tt>(f, grid, args), dispatch<strided>(f, grid, args);
        }
    }

private:
    template <operand_access Access, tune::size_class Size>
    using entry_of = tune::scaled_entry<In, Out, Access, Size, Epilogue>;
    bool empty() const { return problem_.m == 0 || problem_.n == 0; }

    template <class Arch>
    void decide(const Device& device) {
        const gemm_problem p = kernel::without_scales(problem_);
        if constexpr (on_host) {
            choice_ = tune::select_host_gemm(device.compute_units());
            policy_ = tune::host_policy<float>(p, device.compute_units());
        } else {
            constexpr tune::gemm_row row = tune::scaled_rows<Arch, In>::row;
            choice_ = tune::select_gemm(row, p, operands_.a, operands_.b, sizeof(In), device.compute_units());
            policy_ = tune::policy_for(row, choice_.size, choice_.access);
            check_reach();
        }
        report_ = {.requested = requested_words(),
                   .chosen = chosen_words(),
                   .why = choice_.why,
                   .device = device.name(),
                   .arch = std::string(Arch::traits.name),
                   .fallback = choice_.fallback,
                   .evidence = "none: nobody audited or measured products with scales of parts on " +
                               std::string(Arch::traits.name)};
        if (!empty()) return check_grid();
        report_.fallback = false, report_.evidence = "none is needed";
        report_.chosen = "nothing", report_.why = "D has no elements, so nothing is launched";
    }

    std::string requested_words() const {
        const scaled_gemm_problem& p = problem_;
        return "scaled_gemm " + std::string(fade::name(p.layout)) + " " + std::to_string(p.m) + " x " +
               std::to_string(p.n) + " x " + std::to_string(p.k) + ", scales of " +
               std::to_string(p.rows_per_scale) + " x " + std::to_string(scale_depth) + " and " +
               std::to_string(scale_depth) + " x " + std::to_string(p.columns_per_scale) + ", " +
               fade::name(dtype_v<In>) + " to " + fade::name(dtype_v<Out>) + ", epilogue " +
               name_of(epilogue_);
    }
    std::string chosen_words() const {
        const tile_shape& t = policy_.block_tile;
        return std::string("scaled_gemm_") + fade::name(choice_.access) + "_" + tune::name(choice_.size) +
               " " + std::to_string(t.m) + "x" + std::to_string(t.n) + "x" + std::to_string(t.k) + ", " +
               block::name(policy_.pipeline);
    }

    void check_reach() const {
        const scaled_gemm_problem& p = problem_;
        const tile_shape& t = policy_.block_tile;
        kernel::check_reach<In, Out>(kernel::without_scales(p), t);
        kernel::check_scale_reach("scale_a_row", min_of<index>(p.m, t.m), p.rows_per_scale, p.scale_a_row);
        kernel::check_scale_reach("scale_b_column", min_of<index>(p.n, t.n), p.columns_per_scale,
                                  p.scale_b_column);
    }
    void check_grid() const {
        require(index(tile_rows()) * tile_columns() < index(1) << 31, "m x n", problem_.m,
                "at most 2^31 - 1 tiles of D can be launched");
    }
    int tile_rows() const { return int(ceil_div<index>(problem_.m, policy_.block_tile.m)); }
    int tile_columns() const { return int(ceil_div<index>(problem_.n, policy_.block_tile.n)); }

    static block::line_scales scales(const float* first, const kernel::scale_extent& e, index per_scale) {
        return {first, first + index(e.span()), e.line_stride, e.k_stride,
                std::countr_zero(std::uint64_t(per_scale))};
    }

    arguments_type arguments() const {
        const scaled_gemm_problem& p = problem_;
        const bool ta = a_transposed(p.layout), tb = b_transposed(p.layout);
        return {{.a = operands_.a,
                 .b = operands_.b,
                 .c = nullptr,
                 .d = operands_.d,
                 .m = p.m,
                 .n = p.n,
                 .k = p.k,
                 .a_row = ta ? 1 : p.lda,
                 .a_k = ta ? p.lda : 1,
                 .b_column = tb ? p.ldb : 1,
                 .b_k = tb ? 1 : p.ldb,
                 .ldc = p.ldd,
                 .ldd = p.ldd,
                 .stride_a = 0,
                 .stride_b = 0,
                 .stride_c = 0,
                 .stride_d = 0,
                 .alpha = value(1),
                 .beta = value(0),
                 .tile_rows = tile_rows(),
                 .tile_columns = tile_columns(),
                 .splits = 1,
                 .k_split = p.k,
                 .partial = nullptr,
                 .epilogue = epilogue_},
                scales(operands_.scale_a, kernel::extent_of_scale_a(p), p.rows_per_scale),
                scales(operands_.scale_b, kernel::extent_of_scale_b(p), p.columns_per_scale)};
    }

    template <operand_access Access, class F>
    void dispatch(F& f, const grid_shape& grid, const arguments_type& args) const {
        if (choice_.access != Access) return;
        if constexpr (Access != operand_access::strided)
            if (choice_.size == tune::size_class::large)
                return f(entry_of<Access, tune::size_class::large>{}, grid, args);
        f(entry_of<Access, tune::size_class::small>{}, grid, args);
    }

    scaled_gemm_problem problem_;
    scaled_gemm_operands<In, Out> operands_;
    Epilogue epilogue_;
    report report_;
    tune::gemm_choice choice_{};
    gemm_policy policy_{};
};

}  // namespace FADE_NAMESPACE

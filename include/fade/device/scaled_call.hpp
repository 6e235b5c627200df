// One call of a product with scales of parts: checked, chosen, and its launch.
#pragma once
#include <fade/arch/host.hpp>
#include <fade/device/gemm_arguments.hpp>
#include <fade/device/gemm_plan.hpp>
#include <fade/device/run_on.hpp>
#include <fade/epilogue/chain.hpp>
#include <fade/kernel/scaled/check.hpp>
#include <fade/tune/gemm/report_words.hpp>
#include <fade/tune/scaled/entry.hpp>

namespace FADE_NAMESPACE {

/// What scaled_gemm() is told beside its problem.
struct scaled_gemm_options {
    bool strict = false;  ///< refuse a fallback instead of reporting it
};

template <class In, class Out, class Device, class Epilogue>
class scaled_operation {
    using arguments_type = kernel::scaled_arguments<In, Out, Epilogue>;
    using boxes_arguments = kernel::with_maps<arguments_type>;
    static constexpr bool on_host = std::is_same_v<Device, host_device>;
    static constexpr int joined = epilogue::columns_per_output<Epilogue>;
    static_assert(is_float8<In>, "scaled_gemm multiplies 8-bit floats: f8e4m3, f8e5m2 or their fnuz kin");

public:
    scaled_operation(const Device& device, const scaled_gemm_problem& problem,
                     const scaled_gemm_operands<In, Out>& operands, const Epilogue& epilogue)
        : problem_(kernel::checked(problem, joined)), operands_(operands), epilogue_(epilogue) {
        kernel::check_operands(problem_, operands_, joined);
        if (!empty()) epilogue::bind(epilogue_, {problem_.m, problem_.n, 1});
        with_multiplying_arch<In>(device, [&](auto arch) { decide<decltype(arch)>(device); });
    }

    const report& said() const { return report_; }
    const gemm_policy& policy() const { return policy_; }
    operand_access access() const { return choice_.access; }

    /// Only a launch has maps: the pointers of a plan may be of no memory, which drivers refuse.
    void before_launches(Device& device) {
        if constexpr (requires(const tile_source& s) { device.map(s); })
            if (by_boxes() && !empty()) make_tensor_maps(device);
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
            dispatch<nn>(f, grid, args), dispatch<nt>(f, grid, args), dispatch<tn>(f, grid, args);
            dispatch<tt>(f, grid, args), dispatch<strided>(f, grid, args);
        }
    }

private:
    template <operand_access Access, tune::size_class Size>
    using entry_of = tune::scaled_entry<In, Out, Access, Size, Epilogue>;
    bool empty() const { return problem_.m == 0 || problem_.n == 0; }
    bool by_boxes() const { return policy_.pipeline == block::pipeline_kind::tma_ring; }

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
            if constexpr (has_tensor_maps<Device> && tune::scales_by_boxes<Arch, In>())
                choose_boxes<Arch>(device.compute_units());
            compute_units_ = device.compute_units();
            check_reach();
        }
        report_ = {.requested = requested_words(),
                   .chosen = tune::kernel_words("scaled_gemm", choice_, policy_),
                   .why = choice_.why,
                   .device = device.name(),
                   .arch = std::string(Arch::traits.name),
                   .fallback = choice_.fallback,
                   .evidence = "none: nobody audited or measured products with scales of parts on " +
                               std::string(Arch::traits.name)};
        if (!empty()) return check_grid();
        tune::report_nothing(report_);
    }

    /// Rows along k, and tiles whose columns share scales, come by boxes.
    template <class Arch>
    void choose_boxes(int compute_units) {
        if (choice_.access != operand_access::nt) return;
        using enum tune::size_class;
        const gemm_policy policy = tune::scaled_boxes_policy<Arch, In>(large);
        const index columns = policy.block_tile.n;
        if (problem_.columns_per_scale % columns != 0) {
            choice_.why += "; columns of a tile have " +
                           std::to_string(columns / problem_.columns_per_scale) +
                           " scales, so that lanes copy it";
            return;
        }
        const index tiles = tune::tiles_of(policy, kernel::without_scales(problem_));
        choice_.size = tune::enough(tiles, compute_units) ? large : small;
        policy_ = tune::scaled_boxes_policy<Arch, In>(choice_.size);
        choice_.why =
            "boxes of operands are copied by hardware; " + tune::occupancy_words(tiles, 1, compute_units);
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
        const gemm_operands<In, Out> operands{operands_.a, operands_.b, nullptr, operands_.d};
        return {
            gemm_arguments_of(kernel::without_scales(p), operands, epilogue_, {tile_rows(), tile_columns()}),
            scales(operands_.scale_a, kernel::extent_of_scale_a(p), p.rows_per_scale),
            scales(operands_.scale_b, kernel::extent_of_scale_b(p), p.columns_per_scale)};
    }

    template <class F>
    void with_boxes_entry(F f) const {
        if (choice_.size == tune::size_class::large)
            f(tune::scaled_boxes_entry<In, Out, tune::size_class::large, Epilogue>{});
        else
            f(tune::scaled_boxes_entry<In, Out, tune::size_class::small, Epilogue>{});
    }
    grid_shape boxes_grid() const {
        return {
            block::persistent_workgroups(tile_rows(), tile_columns(), 1, policy_.cluster, compute_units_)};
    }
    boxes_arguments with_maps(const arguments_type& args) const {
        boxes_arguments out{args, 1, boxes_grid().x, false, a_map_, b_map_, out_map_};
        out.boxes_out = kernel::takes_boxes(kernel::stored_to_map(out));
        return out;
    }
    void make_tensor_maps(const Device& device) {
        const boxes_arguments args = with_maps(arguments());
        constexpr auto along_k = block::memory_order::k_contiguous;
        a_map_ = device.map(kernel::a_to_map(args, along_k, policy_.block_tile));
        b_map_ = device.map(kernel::b_to_map(args, along_k, policy_.block_tile, policy_.cluster));
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

    scaled_gemm_problem problem_;
    scaled_gemm_operands<In, Out> operands_;
    Epilogue epilogue_;
    report report_;
    tune::gemm_choice choice_{};
    gemm_policy policy_{};
    int compute_units_ = 1;
    tensor_map a_map_{}, b_map_{}, out_map_{};
};

}  // namespace FADE_NAMESPACE

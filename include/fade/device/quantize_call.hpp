// One call of quantize: checked, and the list of its launches.
#pragma once
#include <fade/device/operation.hpp>
#include <fade/kernel/quantize/check.hpp>
#include <fade/tune/attention/quantize_entry.hpp>
#include <type_traits>

namespace FADE_NAMESPACE {

/// What a quantisation will launch, decided but not run: what is largest, the factors, the elements; of an
/// empty tensor the factors alone.
using quantize_plan = operation_plan;

template <class Out, class In>
class quantize_operation {
    static_assert(std::is_same_v<Out, f8e4m3> || std::is_same_v<Out, f8e5m2> ||
                      std::is_same_v<Out, f8e4m3fnuz> || std::is_same_v<Out, f8e5m2fnuz>,
                  "quantize makes 8-bit floats: let out be of f8e4m3, f8e5m2 or their fnuz forms");
    static_assert(std::is_same_v<In, float> || std::is_same_v<In, f16> || std::is_same_v<In, bf16>,
                  "quantize takes f32, f16 and bf16: convert x to one of those");
    using args_type = kernel::quantize_arguments<Out, In>;

public:
    template <class Device>
    quantize_operation(const Device& device, const quantize_problem& problem,
                       const quantize_operands<Out, In>& operands, const quantize_options& options)
        : problem_(kernel::checked(problem)), operands_(operands) {
        kernel::check_operands(
            problem_, operands_,
            kernel::bytes_at(options.workspace, options.workspace ? index(workspace_bytes()) : 0));
        with_arch_of(device, [&](auto arch) { report_.arch = std::string(arch.traits.name); });
        report_.requested = words(), report_.device = device.name();
        report_.chosen = "quantize " + std::to_string(parts()) + " workgroups a head";
        report_.why = "one kernel text reads any strides and head dimensions element by element";
        report_.evidence = "no measurement: it reads each element twice and writes it once";
    }

    const report& said() const { return report_; }
    std::size_t workspace_bytes() const { return std::size_t(problem_.heads * parts()) * sizeof(float); }
    std::string what_needs() const { return "what workgroups find needs"; }
    void place(void* memory) { found_ = static_cast<float*>(memory); }

    template <class F>
    void each_launch(F f) const {
        const grid_shape shares{int(parts()), int(problem_.heads), 1};
        const index factors = kernel::factors_of(problem_);
        if (parts() > 0) f(entry_of<step::largest>{}, shares, arguments());
        if (factors > 0) f(entry_of<step::factors>{}, grid_shape{int(factors), 1, 1}, arguments());
        if (parts() > 0) f(entry_of<step::elements>{}, shares, arguments());
    }

private:
    using step = tune::quantize_step;
    template <step Step>
    using entry_of = tune::quantize_entry<Out, In, Step>;

    /// Whatever shares the rows of a head, the largest of all is the same.
    index parts() const {
        return kernel::has_elements(problem_)
                   ? min_of<index>(
                         ceil_div<index>(problem_.batch * problem_.positions, kernel::quantize_rows),
                         kernel::max_quantize_parts)
                   : 0;
    }

    std::string words() const {
        const quantize_problem& p = problem_;
        return "quantize batch " + std::to_string(p.batch) + ", " + std::to_string(p.positions) +
               " positions x " + std::to_string(p.heads) + " heads, head_dim " + std::to_string(p.head_dim) +
               ", " + fade::name(dtype_v<In>) + " to " + fade::name(dtype_v<Out>) +
               (p.per_head ? ", a factor for each head" : ", one factor");
    }

    args_type arguments() const {
        const quantize_problem& p = problem_;
        return {.x = operands_.x,
                .out = operands_.out,
                .scales = operands_.scales,
                .found = found_,
                .x_strides = p.x_strides,
                .out_strides = p.out_strides,
                .batch = int(p.batch),
                .positions = int(p.positions),
                .heads = int(p.heads),
                .head_dim = int(p.head_dim),
                .parts = int(parts()),
                .per_head = p.per_head};
    }

    quantize_problem problem_;
    quantize_operands<Out, In> operands_;
    float* found_ = nullptr;
    report report_;
};

}  // namespace FADE_NAMESPACE

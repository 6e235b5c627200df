// Zero points of a convolution of i8: two launches before its own find what sums owe to them.
#pragma once
#include <fade/core/report.hpp>
#include <fade/device/conv/copies.hpp>
#include <fade/device/conv/memory_parts.hpp>
#include <fade/kernel/conv/check.hpp>
#include <fade/kernel/gemm/policy.hpp>
#include <fade/tune/conv/zero_points_entry.hpp>
#include <string>

namespace FADE_NAMESPACE {

/// Refuses zero points where images are no whole numbers.
inline void check_no_zero_points(const char* type, int x_zero, const i32* w_zero) {
    const std::string rule = std::string("zero points are those of i8, and x has elements of ") + type;
    require(x_zero == 0, "x_zero", x_zero, rule);
    if (w_zero) throw error("w_zero", "given", rule);
}

class conv_zero_points {
public:
    template <class Out>
    conv_zero_points(const conv_problem& problem, const conv_memory<i8, Out>& memory, int x_zero,
                     const i32* w_zero)
        : problem_(problem), sizes_(kernel::sizes_of(problem)), x_(memory.a.at), w_(memory.b.at),
          x_zero_(x_zero), w_zero_(w_zero) {
        require(x_zero >= -128 && x_zero <= 127, "x_zero", x_zero,
                "it is a value of x, so it must be between -128 and 127");
        if (w_zero && memory.d.range().overlaps(kernel::range_of(w_zero, problem.filters)))
            throw error("y", "overlapping w_zero", "the result may not lie in an operand");
        wanted_ = (x_zero != 0 || w_zero) && memory.d.elements() > 0;
        if (!wanted_) return;
        const block::window_view view = kernel::forward_view(sizes_);
        classes_ = {kernel::classes_of(view.d), kernel::classes_of(view.h), kernel::classes_of(view.w)};
        constexpr wide_index limit = (wide_index(1) << 31) * kernel::zero_point_items;
        require(wide_index(problem.input.volume()) * problem.batch * problem.groups +
                        wide_index(sizes_.filter_row()) * problem.filters <
                    limit,
                "groups", problem.groups, "zero points want fewer than 2^40 sums over channels");
        place(nullptr);
    }

    bool wanted() const { return wanted_; }
    /// Of the workspace.
    std::size_t bytes() const { return bytes_; }
    /// Finds room at `memory`; what lies behind.
    void* place(void* memory) {
        memory_parts all(memory_or_stand_in(memory));
        const auto take = [&](index count) { return all.template take<i32>(std::size_t(count)); };
        of_taps_ = take(index(problem_.filters) * sizes_.taps());
        of_classes_ = take(classes_.count() * problem_.filters);
        of_pixels_ = take(w_zero_ ? pixels() * problem_.groups : 0);
        of_windows_ = take(w_zero_ ? rows() * problem_.groups : 0);
        bytes_ = all.bytes();
        return all.template take<std::byte>(0);
    }
    kernel::zero_points_stage stage() const {
        kernel::zero_points_stage out;
        if (!wanted_) return out;
        out.used = true, out.of_classes = of_classes_, out.of_windows = of_windows_, out.w_zero = w_zero_;
        out.places = block::window_lookup(kernel::forward_view(sizes_)), out.classes = classes_;
        out.filters = problem_.filters, out.groups = problem_.groups;
        out.in_group = divisor(std::uint32_t(sizes_.filters));
        return out;
    }

    static constexpr std::size_t launches = 2;
    template <class F>
    void each_launch(F& f) const {
        const kernel::channel_sums_arguments sums{
            of_channels(w_, of_taps_, problem_.filters, sizes_.taps(), 1),
            w_zero_ ? of_channels(x_, of_pixels_, problem_.batch, problem_.input.volume(), problem_.groups)
                    : kernel::channel_sums{}};
        f(tune::channel_sums_entry{}, grid_of(sums.of_filters.count + sums.of_images.count), sums);
        const kernel::zero_terms_arguments terms{.of_taps = of_taps_,
                                                 .of_pixels = of_pixels_,
                                                 .w_zero = w_zero_,
                                                 .of_classes = of_classes_,
                                                 .of_windows = of_windows_,
                                                 .x_zero = x_zero_,
                                                 .view = kernel::forward_view(sizes_),
                                                 .classes = classes_,
                                                 .filters = problem_.filters,
                                                 .rows = rows(),
                                                 .groups = problem_.groups};
        f(tune::zero_terms_entry{}, grid_of(terms.items()), terms);
    }

private:
    index pixels() const { return problem_.batch * problem_.input.volume(); }
    index rows() const { return problem_.batch * problem_.output().volume(); }
    static grid_shape grid_of(index items) {
        return {int(ceil_div<index>(items, kernel::zero_point_items)), 1, 1};
    }
    /// Images, or filters, whose taps are pixels.
    kernel::channel_sums of_channels(const i8* from, i32* to, index images, index pixels, int groups) const {
        const index channels = index(groups) * sizes_.channels;
        return {.from = from,
                .to = to,
                .pixels = pixels,
                .image = pixels * channels,
                .groups = groups,
                .channels = sizes_.channels,
                .steps = kernel::steps_of(problem_.layout, pixels, channels),
                .count = images * pixels * groups};
    }

    conv_problem problem_;
    kernel::conv_sizes sizes_;
    const i8 *x_, *w_;
    int x_zero_;
    const i32* w_zero_;
    bool wanted_ = false;
    kernel::window_classes classes_{};
    std::size_t bytes_ = 0;
    i32 *of_taps_ = nullptr, *of_classes_ = nullptr, *of_pixels_ = nullptr, *of_windows_ = nullptr;
};

/// A forward pass by any algorithm that keeps its stages for others to change, and those launches.
template <class Operation>
class conv_with_zero_points {
public:
    conv_with_zero_points(Operation& forward, conv_zero_points& zero)
        : forward_(forward), zero_(zero), report_(forward.said()) {
        report_.why += "; two launches before find what sums owe to zero points";
    }

    const report& said() const { return report_; }
    gemm_policy policy() const { return forward_.policy(); }
    conv_algorithm algorithm() const { return forward_.algorithm(); }
    std::size_t main_launch() const { return conv_zero_points::launches + forward_.main_launch(); }

    std::size_t workspace_bytes() const { return zero_.bytes() + forward_.workspace_bytes(); }
    std::string what_needs() const {
        return "terms of zero points, and what else the convolution keeps, need";
    }
    void place(void* memory) {
        void* behind = zero_.place(memory);
        forward_.stages().first = zero_.stage();
        if (forward_.workspace_bytes() > 0) forward_.place(memory ? behind : nullptr);
    }
    template <class Device>
    void before_launches(Device& device) {
        if constexpr (requires { forward_.before_launches(device); }) forward_.before_launches(device);
    }

    template <class F>
    void each_launch(F f) const {
        zero_.each_launch(f);
        forward_.each_launch(f);
    }

private:
    Operation& forward_;
    conv_zero_points& zero_;
    report report_;
};

}  // namespace FADE_NAMESPACE

// Calls of resampling: checked, launched, reported.
#pragma once
#include <fade/device/image/common.hpp>
#include <fade/kernel/sample/check.hpp>
#include <fade/tune/image/sample.hpp>

namespace FADE_NAMESPACE {

template <bool Gradient, class T>
class upsample_operation {
    static constexpr int run = 16 / int(sizeof(T));

public:
    template <class Device>
    upsample_operation(const Device& device, const upsample_problem& p, const T* from, T* to)
        : p_(p), from_(from), to_(to) {
        kernel::check(p);
        const index of_x = p.batch * p.channels * p.input.volume() * index(sizeof(T)),
                    of_y = p.batch * p.channels * p.output.volume() * index(sizeof(T));
        kernel::check_images(kernel::image_memory{Gradient ? "dy" : "x", from, Gradient ? of_y : of_x},
                             kernel::image_memory{Gradient ? "dx" : "y", to, Gradient ? of_x : of_y, true});
        whole_ = takes_channel_runs({p.batch, p.channels, p.layout}, run, from, to);
        said_ = report_of_images(
            device,
            std::string(Gradient ? "upsample gradient " : "upsample ") + name(p.mode) +
                (p.align_corners ? ", corners aligned, " : ", ") + image_words(p.batch, p.channels, p.input) +
                " to " + image_words(p.batch, p.channels, p.output) + ", " + fade::name(dtype_v<T>),
            p.layout, whole_);
    }
    const report& said() const { return said_; }
    template <class F>
    void each_launch(F f) const {
        if (p_.batch == 0 || p_.channels == 0) return;
        if (whole_)
            launch<run>(f);
        else
            launch<1>(f);
    }

private:
    template <int Run, class F>
    void launch(F& f) const {
        const kernel::image_layout layout(p_.batch, p_.channels, p_.layout);
        const auto axis = [&](int input, int output) {
            return kernel::upsample_axis_of(input, output, p_.mode, p_.align_corners);
        };
        const kernel::upsample_arguments<T> args{from_,
                                                 to_,
                                                 axis(p_.input.d, p_.output.d),
                                                 axis(p_.input.h, p_.output.h),
                                                 axis(p_.input.w, p_.output.w),
                                                 {layout, p_.input, Run},
                                                 {layout, p_.output, Run}};
        f(tune::upsample_entry<Gradient, T, Run>{}, grid_of_items(Gradient ? args.x : args.y), args);
    }

    upsample_problem p_;
    const T* from_;
    T* to_;
    bool whole_ = false;
    report said_;
};

/// Forward, or the gradients that are wanted.
template <class T>
class grid_sample_operation {
    static constexpr int run = 16 / int(sizeof(T));
    static constexpr bool sums_apart = !std::is_same_v<T, float>;

public:
    template <class Device>
    grid_sample_operation(const Device& device, const grid_sample_problem& p,
                          const grid_sample_operands<T>& o)
        : p_(p), forward_(o) {
        kernel::check(p);
        kernel::check_images(kernel::image_memory{"x", o.x, bytes_of_x()},
                             kernel::image_memory{"grid", o.grid, bytes_of_grid()},
                             kernel::image_memory{"y", o.y, bytes_of_y(), true});
        whole_ = takes_channel_runs(layout(), run, o.x, o.y);
        said_ = report_of_images(device, words("grid_sample "), p.layout, whole_);
    }
    template <class Device>
    grid_sample_operation(const Device& device, const grid_sample_problem& p,
                          const grid_sample_gradient_operands<T>& o)
        : p_(p), backward_(o), is_gradient_(true) {
        kernel::check(p);
        if (!o.dx && !o.dgrid) throw error("dx", "null", "so is dgrid, and nothing would be computed");
        kernel::check_images(kernel::image_memory{"x", o.x, bytes_of_x(), false, !o.dgrid},
                             kernel::image_memory{"grid", o.grid, bytes_of_grid()},
                             kernel::image_memory{"dy", o.dy, bytes_of_y()},
                             kernel::image_memory{"dx", o.dx, bytes_of_x(), true, true},
                             kernel::image_memory{"dgrid", o.dgrid, bytes_of_grid(), true, true});
        whole_ = takes_channel_runs(layout(), run, o.dy, o.dx);
        said_ = report_of_images(device, words("grid_sample gradient "), p.layout, whole_);
    }
    const report& said() const { return said_; }

    /// Sums of x's gradient are f32.
    std::size_t workspace_bytes() const {
        return sums_apart && backward_.dx ? std::size_t(elements(p_.input)) * sizeof(float) : 0;
    }
    std::string what_needs() const { return "sums of x's gradient in f32 need"; }
    void place(void* memory) { sums_ = static_cast<float*>(memory); }

    template <class F>
    void each_launch(F f) const {
        if (p_.batch == 0 || p_.channels == 0) return;
        if (whole_)
            launch<run>(f);
        else
            launch<1>(f);
    }

private:
    kernel::image_layout layout() const { return {p_.batch, p_.channels, p_.layout}; }
    index elements(const spatial& size) const { return p_.batch * p_.channels * size.volume(); }
    index bytes_of_x() const { return elements(p_.input) * index(sizeof(T)); }
    index bytes_of_y() const { return elements(p_.output) * index(sizeof(T)); }
    index bytes_of_grid() const {
        return p_.batch * p_.output.volume() * p_.dimensions * index(sizeof(float));
    }
    std::string words(const char* call) const {
        return std::string(call) + name(p_.mode) + ", " + name(p_.padding) + " outside, " +
               (p_.align_corners ? "corners aligned, " : "") + image_words(p_.batch, p_.channels, p_.input) +
               " to " + image_words(p_.batch, p_.channels, p_.output) + ", " + fade::name(dtype_v<T>);
    }

    template <int Run>
    kernel::grid_sample_arguments<T> arguments() const {
        const auto axis = [&](int size) {
            return kernel::grid_axis{size, p_.mode, p_.padding, p_.align_corners};
        };
        const bool first = p_.layout == conv_layout::channels_first;
        float* sums = sums_;
        if constexpr (!sums_apart) sums = backward_.dx;
        return {.forward = forward_,
                .backward = backward_,
                .d = axis(p_.input.d),
                .h = axis(p_.input.h),
                .w = axis(p_.input.w),
                .x = {layout(), p_.input, Run},
                .y = {layout(), p_.output, Run},
                .points = {{p_.batch, 1, conv_layout::channels_last}, p_.output, 1},
                .channels = {layout(), {1, 1, 1}, Run},
                .dimensions = p_.dimensions,
                .pixels = int(p_.input.volume()),
                .outputs = int(p_.output.volume()),
                .inner_images = first ? p_.channels : 1,
                .all_channels = p_.channels,
                .sums = sums};
    }
    template <int Run, class F>
    void launch(F& f) const {
        using enum tune::grid_sample_kind;
        const auto args = arguments<Run>();
        if (!is_gradient_) f(tune::grid_sample_entry<forward, T, Run>{}, grid_of_items(args.y), args);
        if (backward_.dx)
            f(tune::grid_sample_entry<gradient_of_x, T, Run>{}, grid_of_items(args.channels), args);
        if (backward_.dgrid)
            f(tune::grid_sample_entry<gradient_of_grid, T, Run>{}, grid_of_items(args.points), args);
    }

    grid_sample_problem p_;
    grid_sample_operands<T> forward_{};
    grid_sample_gradient_operands<T> backward_{};
    bool is_gradient_ = false, whole_ = false;
    float* sums_ = nullptr;
    report said_;
};

}  // namespace FADE_NAMESPACE

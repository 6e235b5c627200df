// One call of strided backward data of few channels: an implicit product without strides, whose columns are
// the pixels of x that one window of dy reaches, and a launch that puts its sums in their places.
#pragma once
#include <fade/device/conv/reshaped.hpp>
#include <fade/tune/conv/beside_entry.hpp>

namespace FADE_NAMESPACE {

template <class In, class Out, class Device, class Epilogue>
class beside_conv_operation : public reshaped_conv<conv_pass::backward_data, In, Out, Device, Epilogue> {
    using base = reshaped_conv<conv_pass::backward_data, In, Out, Device, Epilogue>;
    using base::flat, base::seen;
    using base::problem_, base::sizes_, base::options_, base::report_, base::product_;

public:
    /// All is checked. `why` as of conv_operation.
    beside_conv_operation(const Device& device, const conv_problem& problem,
                          const conv_memory<In, Out>& memory, const Epilogue& epilogue,
                          const conv_options& options, const std::string& why)
        : base(device, problem, in_place(memory), epilogue, options, conv_tuning{}),
          shape_(kernel::beside_shape_of(sizes_, int(sizeof(In)))) {
        place(nullptr);
        this->describe("; its columns are the channels of " + std::to_string(shape_.pixels()) +
                       " pixels of x, which the same windows reach");
        report_.evidence = "none: nobody audited or measured pixels beside each other on " + report_.arch;
        if (!std::is_integral_v<In> && sizes_.taps() < shape_.pixels() * shape_.taps())
            report_.why += zeros_of_strides;
        if (!why.empty()) report_.why += "; " + why;
    }

    /// Does it read runs, and leave sums, in the workspace that it is given?
    bool pays() const { return !report_.fallback && this->is_shared() && this->fits_workspace(); }
    std::size_t main_launch() const { return this->launches_before() + 1; }
    std::string what_needs() const { return "sums of pixels beside each other need"; }

    void place(void* memory) {
        memory_parts all = this->parts_behind_copies(memory);
        filter_ = all.template take<In>(std::size_t(filter_elements()));
        conv_memory<In, Out> read = seen();
        conv_problem left = this->left();
        conv_options options = options_;
        read.b.at = filter_, left.channels = shape_.columns;
        this->keep_sums(left, read, "dx", {problem_.batch, shape_.places(), shape_.columns});
        if (options.split_k == 0) options.split_k = 2;
        this->make_product_of(left, read, options, kernel::sizes_beside(sizes_, shape_));
        this->place_product(all);
    }

    template <class F>
    void each_launch(F f) const {
        this->launch_between_copies(f, [&] {
            launch_filter(f);
            product_->launch_product(f);
            launch_sums(f);
        });
    }

private:
    /// The filter is read as it lies.
    static conv_memory<In, Out> in_place(conv_memory<In, Out> memory) {
        flat(memory.b);
        return memory;
    }
    index filter_elements() const { return sizes_.filters * shape_.taps() * shape_.columns; }

    template <class F>
    void launch_filter(F& f) const {
        const index taps = sizes_.taps();
        const kernel::beside_filter_arguments<In> filter{
            seen().b.at,
            filter_,
            shape_,
            taps * sizes_.channels,
            kernel::steps_of(problem_.layout, taps, sizes_.channels),
            filter_elements()};
        f(tune::beside_filter_entry<In>{},
          grid_shape{int(ceil_div<index>(filter.count, kernel::beside_items)), 1, 1}, filter);
    }
    template <class F>
    void launch_sums(F& f) const {
        kernel::beside_sums_arguments<In, Out, Epilogue> args{this->finishing(), shape_, problem_.input,
                                                              problem_.batch * shape_.places()};
        args.partial = product_->sums(), args.splits = product_->splits();
        f(tune::beside_sums_entry<In, Out, Epilogue>{},
          grid_shape{int(ceil_div<index>(args.m * args.n, kernel::beside_items)), 1, 1}, args);
    }

    kernel::beside_shape shape_;
    In* filter_ = nullptr;
};

}  // namespace FADE_NAMESPACE

// One call of strided backward data of few channels: an implicit product without strides, whose columns are
// the pixels of x that one window of dy reaches, and a launch that puts its sums in their places.
#pragma once
#include <fade/device/conv/call.hpp>
#include <fade/device/conv/finishing.hpp>
#include <fade/device/conv/memory_parts.hpp>
#include <fade/tune/conv/beside_entry.hpp>
#include <optional>

namespace FADE_NAMESPACE {

template <class In, class Out, class Device, class Epilogue>
class beside_conv_operation {
    using product = conv_operation<conv_pass::backward_data, In, Out, Device, Epilogue>;

public:
    /// All is checked. `why` as of conv_operation.
    beside_conv_operation(const Device& device, const conv_problem& problem,
                          const conv_memory<In, Out>& memory, const Epilogue& epilogue,
                          const conv_options& options, const std::string& why)
        : device_(device), problem_(problem), sizes_(kernel::sizes_of(problem)),
          shape_(kernel::beside_shape_of(sizes_, int(sizeof(In)))), copies_(problem.layout, in_place(memory)),
          epilogue_(epilogue), options_(options) {
        epilogue::bind(epilogue_, {memory.d.elements() / problem.channels, problem.channels, 1});
        place(nullptr);
        report_ = product_->said();
        report_.evidence = "none: nobody audited or measured pixels beside each other on " + report_.arch;
        report_.requested =
            conv_words(conv_pass::backward_data, problem, dtype_v<In>, dtype_v<Out>, name_of(epilogue_));
        report_.why += "; its columns are the channels of " + std::to_string(shape_.pixels()) +
                       " pixels of x, which the same windows reach" + copies_.why();
        if (!std::is_integral_v<In> && sizes_.taps() < shape_.pixels() * shape_.taps())
            report_.why += zeros_of_strides;
        if (!why.empty()) report_.why += "; " + why;
    }

    /// Does it read runs, and leave sums, in the workspace that it is given?
    bool pays() const {
        return !report_.fallback && product_->splits() > 1 &&
               (!options_.workspace || workspace_bytes() <= options_.workspace_bytes);
    }

    const report& said() const { return report_; }
    const gemm_policy& policy() const { return product_->policy(); }
    conv_algorithm algorithm() const { return conv_algorithm::implicit_gemm; }
    std::size_t main_launch() const { return copies_.launches_before(reads_c()) + 1; }

    std::size_t workspace_bytes() const { return copies_.bytes() + bytes_; }
    std::string what_needs() const { return "sums of pixels beside each other need"; }
    void place(void* memory) {
        memory_parts all(copies_.place(memory_or_stand_in(memory)));
        filter_ = all.template take<In>(std::size_t(filter_elements()));
        conv_memory<In, Out> seen = copies_.seen();
        seen.b.at = filter_, seen.c = nullptr;
        seen.d = {"dx", nullptr, {problem_.batch, shape_.places(), shape_.columns}};
        conv_problem left = problem_;
        left.layout = conv_layout::channels_last;
        left.channels = shape_.columns, left.alpha = 1, left.beta = 0;
        conv_options options = options_;
        if (options.split_k == 0) options.split_k = 2;
        product_.emplace(device_, left, seen, epilogue_, options, "", conv_tuning{},
                         kernel::sizes_beside(sizes_, shape_));
        product_->place(all.template take<std::byte>(product_->workspace_bytes()));
        bytes_ = all.bytes();
    }
    void before_launches(Device& device) { product_->before_launches(device); }

    template <class F>
    void each_launch(F f) const {
        copies_.launch_before(f, reads_c());
        const index taps = sizes_.taps();
        const kernel::beside_filter_arguments<In> filter{
            copies_.seen().b.at,
            filter_,
            shape_,
            taps * sizes_.channels,
            kernel::steps_of(problem_.layout, taps, sizes_.channels),
            filter_elements()};
        f(tune::beside_filter_entry<In>{},
          grid_shape{int(ceil_div<index>(filter.count, kernel::beside_items)), 1, 1}, filter);
        product_->launch_product(f);
        launch_sums(f);
        copies_.launch_after(f);
    }

private:
    /// The filter is read as it lies.
    static conv_memory<In, Out> in_place(conv_memory<In, Out> memory) {
        memory.b.shape = {1, 1, memory.b.shape.elements()};
        return memory;
    }
    bool reads_c() const { return problem_.beta != 0; }
    index filter_elements() const { return sizes_.filters * shape_.taps() * shape_.columns; }

    template <class F>
    void launch_sums(F& f) const {
        const conv_memory<In, Out>& seen = copies_.seen();
        kernel::beside_sums_arguments<In, Out, Epilogue> args{
            finishing_arguments<In>(problem_, seen.c, seen.d.at, seen.d.elements() / problem_.channels,
                                    problem_.channels, epilogue_),
            shape_, problem_.input, problem_.batch * shape_.places()};
        args.partial = product_->sums(), args.splits = product_->splits();
        f(tune::beside_sums_entry<In, Out, Epilogue>{},
          grid_shape{int(ceil_div<index>(args.m * args.n, kernel::beside_items)), 1, 1}, args);
    }

    const Device& device_;
    conv_problem problem_;
    kernel::conv_sizes sizes_;
    kernel::beside_shape shape_;
    conv_copies<In, Out> copies_;
    Epilogue epilogue_;
    conv_options options_;
    report report_;
    In* filter_ = nullptr;
    std::size_t bytes_ = 0;
    std::optional<product> product_;
};

}  // namespace FADE_NAMESPACE

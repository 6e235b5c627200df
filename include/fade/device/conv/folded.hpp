// One call of a convolution of few channels whose taps become channels of a copy in the workspace, so that a
// step of the implicit product multiplies several taps.
#pragma once
#include <fade/device/conv/reshaped.hpp>
#include <fade/tune/conv/evidence.hpp>
#include <fade/tune/conv/folded_entry.hpp>
#include <fade/tune/conv/folding.hpp>

namespace FADE_NAMESPACE {

/// Of forward and backward data.
template <conv_pass Pass, class In, class Out, class Device, class Epilogue>
class folded_conv_operation : public reshaped_conv<Pass, In, Out, Device, Epilogue> {
    using base = reshaped_conv<Pass, In, Out, Device, Epilogue>;
    using base::forward, base::flat, base::seen;
    using base::problem_, base::sizes_, base::options_, base::report_, base::product_;
    static constexpr int bytes = int(sizeof(In));

public:
    /// All is checked. `why` and `tuned` as of conv_operation.
    folded_conv_operation(const Device& device, const conv_problem& problem,
                          const conv_memory<In, Out>& memory, const Epilogue& epilogue,
                          const conv_options& options, const std::string& why, const conv_tuning& tuned,
                          tune::folding folding)
        : folded_conv_operation(device, problem, memory, epilogue, options, why, tuned,
                                kernel::fold_shape_of(kernel::sizes_of(problem), forward,
                                                      folding == tune::folding::planes, bytes)) {}

    /// Does it read runs, in the workspace that it is given?
    bool pays() const { return !report_.fallback && this->fits_workspace(); }
    std::size_t main_launch() const { return this->launches_before() + 2; }
    std::string what_needs() const { return "copies of folded taps need"; }

    void place(void* memory) {
        memory_parts all = this->parts_behind_copies(memory);
        images_ = all.template take<In>(std::size_t(shape_.elements()));
        filter_ = all.template take<In>(std::size_t(filter_arguments().count));
        conv_memory<In, Out> read = seen();
        read.a.at = images_, read.b.at = filter_;
        this->make_product_of(this->left(), read, options_, left_);
        this->place_product(all);
    }

    template <class F>
    void each_launch(F f) const {
        this->launch_between_copies(f, [&] {
            launch_images(f);
            const auto filter = filter_arguments();
            f(tune::folded_filter_entry<In>{},
              grid_shape{int(ceil_div<index>(filter.count, kernel::fold_items)), 1, 1}, filter);
            product_->launch_product(f);
            product_->launch_sums(f);
        });
    }

private:
    folded_conv_operation(const Device& device, const conv_problem& problem,
                          const conv_memory<In, Out>& memory, const Epilogue& epilogue,
                          const conv_options& options, const std::string& why, const conv_tuning& tuned,
                          const kernel::fold_shape& shape)
        : base(device, problem, in_place(problem, memory, shape), epilogue, options, tuned), shape_(shape),
          left_(kernel::sizes_folded(sizes_, shape_, forward, bytes)) {
        place(nullptr);
        this->describe("; a copy has the taps along " + std::string(shape_.planes ? "h and w" : "w") +
                       " as " + std::to_string(shape_.columns) + " channels");
        if (tuned.found.evidence.empty())
            report_.evidence = tune::evidence_of_folded(report_.arch, dtype_v<In>);
        if (!std::is_integral_v<In> && !forward && shape_.makes_zeros()) report_.why += zeros_of_strides;
        if (!why.empty()) report_.why += "; " + why;
    }

    /// The filter is read as it lies, and so is what windows see where its pixels follow each other.
    static conv_memory<In, Out> in_place(const conv_problem& problem, conv_memory<In, Out> memory,
                                         const kernel::fold_shape& shape) {
        flat(memory.b);
        if (reads_given(problem, shape)) flat(memory.a);
        return memory;
    }
    static bool reads_given(const conv_problem& problem, const kernel::fold_shape& shape) {
        return problem.groups == 1 && !(shape.planes && shape.d.seen.image > 1);
    }

    kernel::fold_filter_arguments<In> filter_arguments() const {
        auto out = kernel::folded_filter<In>(problem_, sizes_, shape_, left_, forward);
        out.from = seen().b.at, out.to = filter_;
        return out;
    }
    template <class F>
    void launch_images(F& f) const {
        const index pixels = index(shape_.d.seen.image) * shape_.h.seen.image * shape_.w.seen.image;
        const conv_layout layout =
            reads_given(problem_, shape_) ? problem_.layout : conv_layout::channels_last;
        kernel::columns_arguments<In> args{};
        args.of[0] = {seen().a.at, images_,
                      kernel::folded_pixels(shape_, kernel::steps_of(layout, pixels, shape_.seen), bytes)};
        tune::launch_columns(f, args, 0);
    }

    kernel::fold_shape shape_;
    kernel::conv_sizes left_;
    In *images_ = nullptr, *filter_ = nullptr;
};

}  // namespace FADE_NAMESPACE

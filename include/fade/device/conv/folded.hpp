// One call of a convolution of few channels whose taps become channels of a copy in the workspace, so that a
// step of the implicit product multiplies several taps.
#pragma once
#include <fade/device/conv/call.hpp>
#include <fade/device/conv/memory_parts.hpp>
#include <fade/tune/conv/columns_entry.hpp>
#include <fade/tune/conv/evidence.hpp>
#include <fade/tune/conv/folded_entry.hpp>
#include <fade/tune/conv/folding.hpp>
#include <optional>

namespace FADE_NAMESPACE {

/// Of forward and backward data.
template <conv_pass Pass, class In, class Out, class Device, class Epilogue>
class folded_conv_operation {
    static constexpr bool forward = Pass == conv_pass::forward;
    static constexpr int bytes = int(sizeof(In));
    using product = conv_operation<Pass, In, Out, Device, Epilogue>;

public:
    /// All is checked. `why` and `tuned` as of conv_operation.
    folded_conv_operation(const Device& device, const conv_problem& problem,
                          const conv_memory<In, Out>& memory, const Epilogue& epilogue,
                          const conv_options& options, const std::string& why, const conv_tuning& tuned,
                          tune::folding folding)
        : device_(device), problem_(problem), sizes_(kernel::sizes_of(problem)),
          shape_(kernel::fold_shape_of(sizes_, forward, folding == tune::folding::planes, bytes)),
          left_(kernel::sizes_folded(sizes_, shape_, forward, bytes)),
          copies_(problem.layout, in_place(memory)), epilogue_(epilogue), options_(options), tuned_(tuned) {
        const index columns = forward ? problem.filters : problem.channels;
        epilogue::bind(epilogue_, {memory.d.elements() / columns, columns, 1});
        place(nullptr);
        report_ = product_->said();
        if (tuned.found.evidence.empty())
            report_.evidence = tune::evidence_of_folded(report_.arch, dtype_v<In>);
        report_.requested = conv_words(Pass, problem, dtype_v<In>, dtype_v<Out>, name_of(epilogue_));
        report_.why += "; a copy has the taps along " + std::string(shape_.planes ? "h and w" : "w") +
                       " as " + std::to_string(shape_.columns) + " channels" + copies_.why();
        if (!std::is_integral_v<In> && !forward && shape_.makes_zeros()) report_.why += zeros_of_strides;
        if (!why.empty()) report_.why += "; " + why;
    }

    /// Does it read runs, in the workspace that it is given?
    bool pays() const {
        return !report_.fallback && (!options_.workspace || workspace_bytes() <= options_.workspace_bytes);
    }

    const report& said() const { return report_; }
    /// The epilogue, of which a forward pass of i8 gets the terms of its zero points once they have a place.
    Epilogue& stages() { return epilogue_; }
    const gemm_policy& policy() const { return product_->policy(); }
    conv_algorithm algorithm() const { return conv_algorithm::implicit_gemm; }
    std::size_t main_launch() const { return copies_.launches_before(reads_c()) + 2; }

    std::size_t workspace_bytes() const { return copies_.bytes() + bytes_; }
    std::string what_needs() const { return "copies of folded taps need"; }
    void place(void* memory) {
        memory_parts all(copies_.place(memory_or_stand_in(memory)));
        images_ = all.template take<In>(std::size_t(shape_.elements()));
        filter_ = all.template take<In>(std::size_t(filter_arguments().count));
        conv_memory<In, Out> seen = copies_.seen();
        seen.a.at = images_, seen.b.at = filter_;
        conv_problem problem = problem_;
        problem.layout = conv_layout::channels_last;
        product_.emplace(device_, problem, seen, epilogue_, options_, "", tuned_, left_);
        product_->place(all.template take<std::byte>(product_->workspace_bytes()));
        bytes_ = all.bytes();
    }
    void before_launches(Device& device) { product_->before_launches(device); }

    template <class F>
    void each_launch(F f) const {
        copies_.launch_before(f, reads_c());
        launch_images(f);
        const auto filter = filter_arguments();
        f(tune::folded_filter_entry<In>{},
          grid_shape{int(ceil_div<index>(filter.count, kernel::fold_items)), 1, 1}, filter);
        product_->launch_product(f);
        product_->launch_sums(f);
        copies_.launch_after(f);
    }

private:
    /// The filter is read as it lies, and so is what windows see where its pixels follow each other.
    conv_memory<In, Out> in_place(conv_memory<In, Out> memory) const {
        const auto flat = [](auto& m) { m.shape = {1, 1, m.shape.elements()}; };
        flat(memory.b);
        if (reads_given()) flat(memory.a);
        return memory;
    }
    bool reads_given() const { return problem_.groups == 1 && !(shape_.planes && shape_.d.seen.image > 1); }
    bool reads_c() const { return problem_.beta != 0; }

    kernel::fold_filter_arguments<In> filter_arguments() const {
        auto out = kernel::folded_filter<In>(problem_, sizes_, shape_, left_, forward);
        out.from = copies_.seen().b.at, out.to = filter_;
        return out;
    }
    template <class F>
    void launch_images(F& f) const {
        const index pixels = index(shape_.d.seen.image) * shape_.h.seen.image * shape_.w.seen.image;
        const conv_layout layout = reads_given() ? problem_.layout : conv_layout::channels_last;
        kernel::columns_arguments<In> args{};
        args.of[0] = {copies_.seen().a.at, images_,
                      kernel::folded_pixels(shape_, kernel::steps_of(layout, pixels, shape_.seen), bytes)};
        tune::launch_columns(f, args, 0);
    }

    const Device& device_;
    conv_problem problem_;
    kernel::conv_sizes sizes_;
    kernel::fold_shape shape_;
    kernel::conv_sizes left_;
    conv_copies<In, Out> copies_;
    Epilogue epilogue_;
    conv_options options_;
    conv_tuning tuned_;
    report report_;
    In *images_ = nullptr, *filter_ = nullptr;
    std::size_t bytes_ = 0;
    std::optional<product> product_;
};

}  // namespace FADE_NAMESPACE

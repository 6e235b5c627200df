// One call of a convolution whose channels, or filters, are no whole runs: copies in the workspace have zeros
// behind those of each group, so that the implicit product reads runs.
#pragma once
#include <fade/device/conv/reshaped.hpp>

namespace FADE_NAMESPACE {

template <conv_pass Pass, class In, class Out, class Device, class Epilogue>
class padded_conv_operation : public reshaped_conv<Pass, In, Out, Device, Epilogue> {
    using base = reshaped_conv<Pass, In, Out, Device, Epilogue>;
    using base::forward, base::weights, base::of_data, base::flat, base::seen;
    using base::problem_, base::sizes_, base::options_, base::report_, base::product_;

public:
    /// All is checked. `why` and `tuned` as of conv_operation.
    padded_conv_operation(const Device& device, const conv_problem& problem,
                          const conv_memory<In, Out>& memory, const Epilogue& epilogue,
                          const conv_options& options, const std::string& why, const conv_tuning& tuned)
        : base(device, problem, in_place(problem, memory), epilogue, options, tuned),
          padded_(padded_sizes(sizes_)) {
        place(nullptr);
        this->describe("; copies have zeros behind the " + what_is_padded());
        if (tuned.found.evidence.empty())
            report_.evidence = "none: nobody audited or measured padded copies on " + report_.arch;
        if (!why.empty()) report_.why += "; " + why;
    }

    /// Does it read runs, in the workspace that it is given? The filter's gradient is finished from sums.
    bool pays() const {
        return !report_.fallback && (!weights || this->is_shared()) && this->fits_workspace();
    }
    std::size_t main_launch() const { return this->launches_before() + 1; }
    std::string what_needs() const { return "padded copies need"; }

    void place(void* memory) {
        memory_parts all = this->parts_behind_copies(memory);
        conv_memory<In, Out> read = seen();
        const auto take = [&](bool wanted, index rows, int columns) {
            return wanted ? all.template take<In>(std::size_t(rows * columns)) : nullptr;
        };
        const bool channels = padded_.channels != sizes_.channels;
        images_ = take(channels && !of_data, pixels(problem_.input), padded_.channels);
        filter_ = take(!weights, index(padded_.filters) * padded_.groups * sizes_.taps(), padded_.channels);
        gradient_ =
            take(!forward && padded_.filters != sizes_.filters, pixels(problem_.output()), padded_.filters);
        if (images_) (weights ? read.b : read.a).at = images_;
        if (filter_) read.b.at = filter_;
        if (gradient_) read.a.at = gradient_;
        make_product(read);
        this->place_product(all);
    }

    template <class F>
    void each_launch(F f) const {
        this->launch_between_copies(f, [&] {
            launch_padding(f);
            product_->launch_product(f);
            if constexpr (weights)
                this->launch_weight_sums(f, sizes_.taps(), padded_.channels, padded_.filters);
            else
                product_->launch_sums(f);
        });
    }

private:
    /// Filters of which no more are made, and x of one group, are read as they lie.
    static conv_memory<In, Out> in_place(const conv_problem& problem, conv_memory<In, Out> memory) {
        const kernel::conv_sizes sizes = kernel::sizes_of(problem);
        if (!weights && padded_sizes(sizes).filters == sizes.filters) flat(memory.b);
        if (problem.groups == 1 && forward) flat(memory.a);
        return memory;
    }
    /// Of all images, one for each group.
    index pixels(const spatial& size) const { return problem_.batch * size.volume() * problem_.groups; }

    /// Of the copies.
    static kernel::conv_sizes padded_sizes(kernel::conv_sizes out) {
        out.channels = kernel::padded_column(out.channels, int(sizeof(In)));
        if (!forward) out.filters = kernel::padded_column(out.filters, int(sizeof(In)));
        if (!of_data) out.x_apart = index(out.channels) * out.groups;
        return out;
    }
    std::string what_is_padded() const {
        const auto said = [](int from, int to, const char* name) {
            return std::to_string(from) + name + ", up to " + std::to_string(to);
        };
        const std::string channels = said(sizes_.channels, padded_.channels, " channels"),
                          filters = said(sizes_.filters, padded_.filters, " filters");
        if (padded_.filters == sizes_.filters) return channels;
        return padded_.channels == sizes_.channels ? filters : channels + ", and " + filters;
    }

    /// The filter's gradient stays in its sums.
    void make_product(conv_memory<In, Out> read) {
        conv_problem problem = this->left();
        if constexpr (weights) {
            this->keep_sums(problem, read, "dw",
                            {index(padded_.filters) * padded_.groups, 1, padded_.filter_row()});
            this->make_shared_product_of(problem, read, options_, padded_);
        } else {
            this->make_product_of(problem, read, options_, padded_);
        }
    }

    template <class F>
    void launch_padding(F& f) const {
        constexpr int bytes = int(sizeof(In));
        kernel::columns_arguments<In> args{};
        int count = 0;
        const auto add = [&](const In* from, In* to, const kernel::column_layout& layout) {
            if (to) args.of[count++] = {from, to, layout};
        };
        // Images of one group are read as they are given, of several in their copy with channels last.
        const auto of_pixels = [&](const spatial& size, int channels) {
            const bool given = forward && problem_.groups == 1;
            const index of_image = size.volume() * problem_.groups;
            return kernel::padded_pixels(
                problem_.batch, of_image, channels,
                kernel::steps_of(given ? problem_.layout : conv_layout::channels_last, of_image, channels),
                bytes);
        };
        add((weights ? seen().b : seen().a).at, images_, of_pixels(problem_.input, sizes_.channels));
        add(seen().b.at, filter_, kernel::padded_taps(problem_, sizes_, padded_.filters, bytes));
        add(seen().a.at, gradient_, of_pixels(problem_.output(), sizes_.filters));
        tune::launch_columns(f, args, 0);
    }

    kernel::conv_sizes padded_;
    In *images_ = nullptr, *filter_ = nullptr, *gradient_ = nullptr;
};

}  // namespace FADE_NAMESPACE

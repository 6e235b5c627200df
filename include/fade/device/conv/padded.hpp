// One call of a convolution whose channels, or filters, are no whole runs: copies in the workspace have zeros
// behind those of each group, so that the implicit product reads runs.
#pragma once
#include <fade/device/conv/call.hpp>
#include <fade/device/conv/finishing.hpp>
#include <fade/device/conv/memory_parts.hpp>
#include <fade/tune/conv/columns_entry.hpp>
#include <optional>

namespace FADE_NAMESPACE {

template <conv_pass Pass, class In, class Out, class Device, class Epilogue>
class padded_conv_operation {
    static constexpr bool forward = Pass == conv_pass::forward, weights = Pass == conv_pass::backward_weights;
    using product = conv_operation<Pass, In, Out, Device, Epilogue>;

public:
    /// All is checked. `why` and `tuned` as of conv_operation.
    padded_conv_operation(const Device& device, const conv_problem& problem,
                          const conv_memory<In, Out>& memory, const Epilogue& epilogue,
                          const conv_options& options, const std::string& why, const conv_tuning& tuned)
        : device_(device), problem_(problem), sizes_(kernel::sizes_of(problem)), padded_(padded_sizes()),
          copies_(problem.layout, in_place(memory)), epilogue_(epilogue), options_(options), tuned_(tuned) {
        epilogue::bind(epilogue_, {rows_of_d(), columns_of_d(), 1});
        place(nullptr);
        report_ = product_->said();
        if (tuned.found.evidence.empty())
            report_.evidence = "none: nobody audited or measured padded copies on " + report_.arch;
        report_.requested = conv_words(Pass, problem, dtype_v<In>, dtype_v<Out>, name_of(epilogue_));
        report_.why += "; copies have zeros behind the " + what_is_padded() + copies_.why();
        if (!why.empty()) report_.why += "; " + why;
    }

    /// Does it read runs, in the workspace that it is given? The filter's gradient is finished from sums.
    bool pays() const {
        return !report_.fallback && (!weights || product_->splits() > 1) &&
               (!options_.workspace || workspace_bytes() <= options_.workspace_bytes);
    }

    const report& said() const { return report_; }
    /// The epilogue, of which a forward pass of i8 gets the terms of its zero points once they have a place.
    Epilogue& stages() { return epilogue_; }
    const gemm_policy& policy() const { return product_->policy(); }
    conv_algorithm algorithm() const { return conv_algorithm::implicit_gemm; }
    std::size_t main_launch() const { return copies_.launches_before(reads_c()) + 1; }

    std::size_t workspace_bytes() const { return copies_.bytes() + bytes_; }
    std::string what_needs() const { return "padded copies need"; }
    void place(void* memory) {
        memory_parts all(copies_.place(memory_or_stand_in(memory)));
        conv_memory<In, Out> seen = copies_.seen();
        const auto take = [&](bool wanted, index rows, int columns) {
            return wanted ? all.template take<In>(std::size_t(rows * columns)) : nullptr;
        };
        const bool channels = padded_.channels != sizes_.channels;
        images_ = take(channels && !of_data, pixels(problem_.input), padded_.channels);
        filter_ = take(!weights, index(padded_.filters) * padded_.groups * sizes_.taps(), padded_.channels);
        gradient_ =
            take(!forward && padded_.filters != sizes_.filters, pixels(problem_.output()), padded_.filters);
        if (images_) (weights ? seen.b : seen.a).at = images_;
        if (filter_) seen.b.at = filter_;
        if (gradient_) seen.a.at = gradient_;
        make_product(seen);
        product_->place(all.template take<std::byte>(product_->workspace_bytes()));
        bytes_ = all.bytes();
    }
    void before_launches(Device& device) { product_->before_launches(device); }

    template <class F>
    void each_launch(F f) const {
        copies_.launch_before(f, reads_c());
        launch_padding(f);
        product_->launch_product(f);
        if constexpr (weights)
            launch_sums(f);
        else
            product_->launch_sums(f);
        copies_.launch_after(f);
    }

private:
    static constexpr bool of_data = !forward && !weights;

    /// Filters of which no more are made, and x of one group, are read as they lie.
    conv_memory<In, Out> in_place(conv_memory<In, Out> memory) const {
        const auto flat = [](auto& m) { m.shape = {1, 1, m.shape.elements()}; };
        if (!weights && padded_.filters == sizes_.filters) flat(memory.b);
        if (problem_.groups == 1 && forward) flat(memory.a);
        return memory;
    }
    bool reads_c() const { return problem_.beta != 0; }
    /// Of all images, one for each group.
    index pixels(const spatial& size) const { return problem_.batch * size.volume() * problem_.groups; }
    index columns_of_d() const {
        return forward ? index(problem_.filters) : of_data ? index(problem_.channels) : sizes_.filter_row();
    }
    index rows_of_d() const { return copies_.seen().d.elements() / columns_of_d(); }

    /// Of the copies.
    kernel::conv_sizes padded_sizes() const {
        kernel::conv_sizes out = sizes_;
        out.channels = kernel::padded_column(sizes_.channels, int(sizeof(In)));
        if (!forward) out.filters = kernel::padded_column(sizes_.filters, int(sizeof(In)));
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
    void make_product(conv_memory<In, Out> seen) {
        conv_problem problem = problem_;
        conv_options options = options_;
        problem.layout = conv_layout::channels_last;
        if (weights) {
            seen.c = nullptr, problem.alpha = 1, problem.beta = 0;
            seen.d = {"dw", nullptr, {index(padded_.filters) * padded_.groups, 1, padded_.filter_row()}};
        }
        product_.emplace(device_, problem, seen, epilogue_, options, "", tuned_, padded_);
        if (!weights || options.split_k != 0 || product_->splits() > 1) return;
        options.split_k = 2;
        product_.emplace(device_, problem, seen, epilogue_, options, "", tuned_, padded_);
    }

    template <class F>
    void launch_padding(F& f) const {
        constexpr int bytes = int(sizeof(In));
        const conv_memory<In, Out>& seen = copies_.seen();
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
        add((weights ? seen.b : seen.a).at, images_, of_pixels(problem_.input, sizes_.channels));
        add(seen.b.at, filter_, kernel::padded_taps(problem_, sizes_, padded_.filters, bytes));
        add(seen.a.at, gradient_, of_pixels(problem_.output(), sizes_.filters));
        tune::launch_columns(f, args, 0);
    }
    template <class F>
    void launch_sums(F& f) const {
        const conv_memory<In, Out>& seen = copies_.seen();
        kernel::mec_sums_arguments<In, Out, Epilogue> args{
            finishing_arguments<In>(problem_, seen.c, seen.d.at, rows_of_d(), columns_of_d(), epilogue_),
            sizes_.channels,
            sizes_.taps(),
            padded_.channels,
            sizes_.filters,
            padded_.filters};
        args.partial = product_->sums(), args.splits = product_->splits();
        f(tune::mec_sums_entry<In, Out, Epilogue>{}, block::combine_grid(args.m * args.n, args.splits, 1),
          args);
    }

    const Device& device_;
    conv_problem problem_;
    kernel::conv_sizes sizes_, padded_;
    conv_copies<In, Out> copies_;
    Epilogue epilogue_;
    conv_options options_;
    conv_tuning tuned_;
    report report_;
    In *images_ = nullptr, *filter_ = nullptr, *gradient_ = nullptr;
    std::size_t bytes_ = 0;
    std::optional<product> product_;
};

}  // namespace FADE_NAMESPACE

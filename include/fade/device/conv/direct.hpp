// One call of a direct convolution: checked, chosen, and the list of its launches.
#pragma once
#include <cstddef>
#include <cstdint>
#include <fade/arch/host.hpp>
#include <fade/device/conv/copies.hpp>
#include <fade/device/conv/plan.hpp>
#include <fade/device/conv/words.hpp>
#include <fade/device/run_on.hpp>
#include <fade/epilogue/chain.hpp>
#include <fade/kernel/conv/check.hpp>
#include <fade/tune/conv/algorithm.hpp>
#include <fade/tune/conv/direct_entry.hpp>
#include <fade/tune/gemm/entry.hpp>

namespace FADE_NAMESPACE {

template <conv_pass Pass, class In, class Out, class Device, class Epilogue>
class direct_conv_operation {
    using acc = accumulator_t<In>;
    using value = epilogue::value_t<acc, Out, Epilogue>;
    using arguments_type = kernel::direct_arguments<In, Out, Epilogue>;
    static constexpr bool on_host = std::is_same_v<Device, host_device>,
                          weights = Pass == conv_pass::backward_weights;
    static constexpr int run = tune::direct_run<In, on_host>;

public:
    /// All is checked, and the direct algorithm takes it, for the reason `why`.
    direct_conv_operation(const Device& device, const conv_problem& problem,
                          const conv_memory<In, Out>& memory, const Epilogue& epilogue,
                          const conv_options& options, const std::string& why)
        : problem_(problem), sizes_(kernel::sizes_of(problem)), memory_(memory), epilogue_(epilogue),
          options_(options) {
        epilogue::bind(epilogue_, {rows(), columns(), 1});
        with_multiplying_arch<In>(device, [&](auto arch) { decide<decltype(arch)>(device, why); });
    }

    const report& said() const { return report_; }
    /// What a tuning database said, if one was asked.
    void rests_on(const std::string& evidence, const std::string& why) {
        if (!evidence.empty()) report_.evidence = evidence;
        report_.why += why;
    }
    gemm_policy policy() const { return {}; }
    conv_algorithm algorithm() const { return conv_algorithm::direct; }
    std::size_t main_launch() const { return taps_first_; }

    std::size_t workspace_bytes() const {
        return taps_first_ ? copy_bytes() : parts_ > 1 ? parts_bytes(parts_) : 0;
    }
    std::string what_needs() const {
        if (taps_first_) return "a copy of w with its taps first needs";
        return "sharing the pixels of dy among " + std::to_string(parts_) + " workgroups needs";
    }
    void place(void* memory) {
        const auto at = reinterpret_cast<std::uintptr_t>(memory);
        place_ =
            memory ? static_cast<std::byte*>(memory) + (alignment - at % alignment) % alignment : nullptr;
    }

    template <class F>
    void each_launch(F f) const {
        const arguments_type args = arguments();
        if (taps_first_) {
            const auto copy =
                kernel::transpose_of<In>(memory_.b.at, copy_of_filter(), sizes_.y_pixel(), sizes_.taps());
            f(tune::transpose_entry<In>{}, grid_shape{int(copy.tiles), 1, 1}, copy);
        }
        if (whole_)
            f(tune::direct_entry<In, Out, Pass, run, Epilogue>{}, grid(args), args);
        else
            f(tune::direct_entry<In, Out, Pass, 1, Epilogue>{}, grid(args), args);
        if (parts_ > 1)
            f(tune::combine_entry<In, Out, Epilogue>{},
              block::combine_grid(rows() * columns(), args.splits, 1),
              static_cast<const kernel::gemm_arguments<In, Out, Epilogue>&>(args));
    }

private:
    static constexpr std::size_t alignment = 16;
    /// Of pixels, for any number of threads, so that all give the same bits.
    static constexpr int host_sharers = 4;

    /// Of D as a matrix.
    index columns() const {
        if constexpr (Pass == conv_pass::forward) return problem_.filters;
        if constexpr (Pass == conv_pass::backward_data) return problem_.channels;
        return sizes_.taps();
    }
    index rows() const { return memory_.d.elements() / columns(); }
    bool channels_first() const { return problem_.layout == conv_layout::channels_first; }
    bool fits(std::size_t bytes) const { return !options_.workspace || bytes <= options_.workspace_bytes; }

    std::size_t copy_bytes() const { return std::size_t(memory_.b.elements()) * sizeof(In) + alignment; }
    std::size_t parts_bytes(int parts) const {
        return std::size_t(rows()) * std::size_t(columns()) * std::size_t(parts) * sizeof(acc) + alignment;
    }
    In* copy_of_filter() const { return reinterpret_cast<In*>(place_); }

    /// Why channels are not read in runs; empty where they are.
    std::string obstacle() const {
        if (channels_first()) return "channels come first, so that neighbours are pixels";
        if (sizes_.filters != 1) return "a channel has several filters";
        if (sizes_.groups % run != 0) return "channels are no multiple of " + std::to_string(run);
        const auto aligned = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
        const bool reads_aligned = aligned(memory_.a.at) && aligned(memory_.b.at);
        if (!on_host && !(reads_aligned && aligned(memory_.d.at)))
            return "tensors do not begin at a multiple of 16 bytes";
        if (!weights && sizes_.taps() > 1 && !fits(copy_bytes()))
            return "the workspace has no room for a copy of w with its taps first";
        return "";
    }

    template <class Arch>
    void decide(const Device& device, const std::string& why) {
        report_.requested = conv_words(Pass, problem_, dtype_v<In>, dtype_v<Out>, name_of(epilogue_));
        report_.device = device.name(), report_.arch = std::string(Arch::traits.name);
        report_.evidence = "none: nobody audited or measured direct convolutions on " + report_.arch;
        const std::string in_the_way = obstacle();
        whole_ = in_the_way.empty();
        taps_first_ = whole_ && !weights && sizes_.taps() > 1;
        if constexpr (weights) choose_parts(on_host ? host_sharers : device.compute_units());
        report_.chosen = std::string("conv direct ") +
                         (whole_ ? "runs of " + std::to_string(run) + " channels" : "elements") +
                         (parts_ > 1 ? ", pixels shared by " + std::to_string(parts_) : "");
        report_.why = why.empty() ? "asked for" : why;
        report_.why +=
            whole_ ? "; channels are read in runs" : "; " + in_the_way + ": elements are read one by one";
        report_.fallback = !whole_ && !on_host && !channels_first();
    }
    /// As many as were asked for, or as idle compute units call for and the workspace holds.
    void choose_parts(int compute_units) {
        const index items = rows() / (whole_ ? run : 1) * columns();
        parts_ = tune::direct_parts(items, segments(), options_.split_k, compute_units);
        while (options_.split_k == 0 && parts_ > 1 && !fits(parts_bytes(parts_))) parts_ /= 2;
    }
    /// Of all lines of y.
    index segments() const {
        const spatial y = kernel::output_size_of(sizes_);
        return problem_.batch * y.d * y.h * ceil_div(y.w, kernel::direct_segment);
    }

    /// Workgroups of an image's largest part, or of all elements of the filter.
    int shares() const {
        index items = rows() / (whole_ ? run : 1) * columns();
        if constexpr (!weights) {
            const block::window_view view =
                Pass == conv_pass::forward ? kernel::forward_view(sizes_) : kernel::backward_view(sizes_, 0);
            items = kernel::direct_grid(view, int(columns()) / (whole_ ? run : 1), channels_first()).count();
        }
        return int(ceil_div<index>(items, kernel::direct_items));
    }
    grid_shape grid(const arguments_type& args) const {
        if constexpr (weights) return {args.shares, parts_, 1};
        return {int(args.shares * problem_.batch), 1,
                Pass == conv_pass::backward_data ? sizes_.residues() : 1};
    }

    arguments_type arguments() const {
        arguments_type out{{.a = memory_.a.at,
                            .b = taps_first_ ? copy_of_filter() : memory_.b.at,
                            .c = memory_.c,
                            .d = memory_.d.at,
                            .m = rows(),
                            .n = columns(),
                            .k = 0,
                            .a_row = 0,
                            .a_k = 0,
                            .b_column = 0,
                            .b_k = 0,
                            .ldc = columns(),
                            .ldd = columns(),
                            .stride_a = 0,
                            .stride_b = 0,
                            .stride_c = 0,
                            .stride_d = 0,
                            .alpha = value(problem_.alpha),
                            .beta = value(problem_.beta),
                            .tile_rows = 0,
                            .tile_columns = 0,
                            .splits = parts_,
                            .k_split = 0,
                            .partial = reinterpret_cast<acc*>(weights ? place_ : nullptr),
                            .epilogue = epilogue_},
                           sizes_,
                           channels_first(),
                           shares(),
                           taps_first_ ? 1 : sizes_.filter_row(),
                           taps_first_ ? sizes_.y_pixel() : 1,
                           weights ? int(ceil_div<index>(segments(), parts_)) : 0};
        return out;
    }

    conv_problem problem_;
    kernel::conv_sizes sizes_;
    conv_memory<In, Out> memory_;
    Epilogue epilogue_;
    conv_options options_;
    report report_;
    bool whole_ = false, taps_first_ = false;
    int parts_ = 1;
    std::byte* place_ = nullptr;
};

}  // namespace FADE_NAMESPACE

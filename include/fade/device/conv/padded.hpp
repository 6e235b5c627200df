// One call of backward data whose channels are no whole runs: a copy of the filter in the workspace has zeros
// behind them, so that the implicit product reads runs.
#pragma once
#include <fade/device/conv/call.hpp>
#include <fade/device/conv/memory_parts.hpp>
#include <fade/tune/conv/columns_entry.hpp>
#include <optional>

namespace FADE_NAMESPACE {

template <class In, class Out, class Device, class Epilogue>
class padded_conv_operation {
    using product = conv_operation<conv_pass::backward_data, In, Out, Device, Epilogue>;

public:
    /// All is checked. `why` and `tuned` as of conv_operation.
    padded_conv_operation(const Device& device, const conv_problem& problem,
                          const conv_memory<In, Out>& memory, const Epilogue& epilogue,
                          const conv_options& options, const std::string& why, const conv_tuning& tuned)
        : device_(device), problem_(problem), sizes_(kernel::sizes_of(problem)),
          padded_(kernel::padded_column(sizes_.channels, int(sizeof(In)))),
          copies_(problem.layout, in_place(memory)), epilogue_(epilogue), options_(options), tuned_(tuned) {
        epilogue::bind(epilogue_, {memory.d.elements() / problem.channels, problem.channels, 1});
        place(nullptr);
        report_ = product_->said();
        if (tuned.found.evidence.empty())
            report_.evidence = "none: nobody audited or measured padded filters on " + report_.arch;
        report_.requested =
            conv_words(conv_pass::backward_data, problem, dtype_v<In>, dtype_v<Out>, name_of(epilogue_));
        report_.why += "; the filter's " + std::to_string(sizes_.channels) + " channels are padded to " +
                       std::to_string(padded_) + " in a copy";
        report_.why += copies_.why();
        if (!why.empty()) report_.why += "; " + why;
    }

    /// Does it read runs, in the workspace that it is given?
    bool pays() const {
        return !report_.fallback && (!options_.workspace || workspace_bytes() <= options_.workspace_bytes);
    }

    const report& said() const { return report_; }
    const gemm_policy& policy() const { return product_->policy(); }
    conv_algorithm algorithm() const { return conv_algorithm::implicit_gemm; }
    std::size_t main_launch() const { return copies_.launches_before(reads_c()) + 1; }

    std::size_t workspace_bytes() const { return copies_.bytes() + bytes_; }
    std::string what_needs() const { return "the padded filter and copies need"; }
    void place(void* memory) {
        memory_parts all(copies_.place(memory_or_stand_in(memory)));
        conv_memory<In, Out> seen = copies_.seen();
        filter_ = all.template take<In>(std::size_t(index(sizes_.filters) * sizes_.taps() * padded_));
        seen.b.at = filter_;
        kernel::conv_sizes padded = sizes_;
        conv_problem problem = problem_;
        problem.layout = conv_layout::channels_last;
        padded.channels = padded_;
        product_.emplace(device_, problem, seen, epilogue_, options_, "", tuned_, padded);
        product_->place(all.template take<std::byte>(product_->workspace_bytes()));
        bytes_ = all.bytes();
    }
    void before_launches(Device& device) { product_->before_launches(device); }

    template <class F>
    void each_launch(F f) const {
        copies_.launch_before(f, reads_c());
        kernel::columns_arguments<In> args{};
        args.of[0] = {copies_.seen().b.at, filter_, kernel::padded_taps(problem_, sizes_, int(sizeof(In)))};
        tune::launch_columns(f, args, sizes_.channels);
        product_->launch_product(f);
        product_->launch_sums(f);
        copies_.launch_after(f);
    }

private:
    /// The filter is read as it lies.
    static conv_memory<In, Out> in_place(conv_memory<In, Out> memory) {
        memory.b.shape = {1, 1, memory.b.shape.elements()};
        return memory;
    }
    bool reads_c() const { return problem_.beta != 0; }

    const Device& device_;
    conv_problem problem_;
    kernel::conv_sizes sizes_;
    int padded_;  ///< channels of the copy
    conv_copies<In, Out> copies_;
    Epilogue epilogue_;
    conv_options options_;
    conv_tuning tuned_;
    report report_;
    In* filter_ = nullptr;
    std::size_t bytes_ = 0;
    std::optional<product> product_;
};

}  // namespace FADE_NAMESPACE

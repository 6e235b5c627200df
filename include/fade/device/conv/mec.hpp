// One call of a convolution by mec: x and the filter laid out by lines in the workspace, and the implicit
// product of what is left.
#pragma once
#include <fade/device/conv/call.hpp>
#include <fade/device/conv/finishing.hpp>
#include <fade/device/conv/memory_parts.hpp>
#include <fade/tune/conv/columns_entry.hpp>
#include <fade/tune/conv/evidence.hpp>
#include <optional>

namespace FADE_NAMESPACE {

/// Of forward and backward weights.
template <conv_pass Pass, class In, class Out, class Device, class Epilogue>
class mec_conv_operation {
    static constexpr bool on_host = std::is_same_v<Device, host_device>, forward = Pass == conv_pass::forward;
    using product = conv_operation<Pass, In, Out, Device, Epilogue>;

public:
    /// All is checked, and mec takes it, for the reason `why`.
    mec_conv_operation(const Device& device, const conv_problem& problem, const conv_memory<In, Out>& memory,
                       const Epilogue& epilogue, const conv_options& options, const std::string& why)
        : device_(device), problem_(problem), sizes_(kernel::sizes_of(problem)),
          shape_(kernel::mec_shape_of(sizes_, int(sizeof(In)))), copies_(problem.layout, in_place(memory)),
          epilogue_(epilogue), options_(options) {
        epilogue::bind(epilogue_, {rows_of_d(), columns_of_d(), 1});
        place(nullptr);
        describe(why);
    }

    /// Why automatic does better without it; empty where it does not.
    std::string drawback() const {
        if (report_.fallback) return report_.why;
        if (options_.workspace && workspace_bytes() > options_.workspace_bytes)
            return "it needs " + std::to_string(workspace_bytes()) + " bytes of workspace";
        return obstacle();
    }
    /// Why it cannot compute this after all; empty where it can.
    std::string obstacle() const {
        if (forward || product_->splits() > 1) return "";
        return "in backward weights it adds up the sums of at least two workgroups, and " +
               (options_.split_k == 1 ? std::string("split_k is 1") : "pixels of y are too few to be shared");
    }

    const report& said() const { return report_; }
    /// The epilogue, of which a forward pass of i8 gets the terms of its zero points once they have a place.
    Epilogue& stages() { return epilogue_; }
    /// What a tuning database said, if one was asked.
    void rests_on(const std::string& evidence, const std::string& why) {
        if (!evidence.empty()) report_.evidence = evidence;
        report_.why += why;
    }
    const gemm_policy& policy() const { return product_->policy(); }
    conv_algorithm algorithm() const { return conv_algorithm::mec; }
    std::size_t main_launch() const { return copies_.launches_before(reads_c()) + 1; }

    std::size_t workspace_bytes() const { return copies_.bytes() + bytes_; }
    std::string what_needs() const { return "lines of windows need"; }
    void place(void* memory) {
        memory_parts all(copies_.place(memory_or_stand_in(memory)));
        lines_ = all.template take<In>(std::size_t(shape_.elements()));
        rows_ = forward ? all.template take<In>(std::size_t(sizes_.filters * shape_.row())) : nullptr;
        make_product();
        product_->place(all.template take<std::byte>(product_->workspace_bytes()));
        bytes_ = all.bytes();
    }
    void before_launches(Device& device) { product_->before_launches(device); }

    template <class F>
    void each_launch(F f) const {
        copies_.launch_before(f, reads_c());
        launch_lines(f);
        product_->launch_product(f);
        if constexpr (forward)
            product_->launch_sums(f);
        else
            launch_sums(f);
        copies_.launch_after(f);
    }

private:
    /// What is laid out is read as it lies.
    static conv_memory<In, Out> in_place(conv_memory<In, Out> memory) {
        const auto flat = [](auto& m) { m.shape = {1, 1, m.shape.elements()}; };
        if constexpr (forward) flat(memory.a);
        flat(memory.b);
        return memory;
    }
    const conv_memory<In, Out>& memory() const { return copies_.seen(); }
    bool reads_c() const { return problem_.beta != 0; }
    index columns_of_d() const { return forward ? index(problem_.filters) : sizes_.filter_row(); }
    index rows_of_d() const { return memory().d.elements() / columns_of_d(); }
    const kernel::named_memory<const In>& x() const { return forward ? memory().a : memory().b; }

    /// Of what is left of the convolution. The filter's gradient stays in its sums.
    void make_product() {
        conv_memory<In, Out> seen = memory();
        conv_problem problem = problem_;
        conv_options options = options_;
        problem.layout = conv_layout::channels_last;
        (forward ? seen.a : seen.b).at = lines_;
        if constexpr (forward) {
            seen.b.at = rows_;
        } else {
            seen.c = nullptr, problem.alpha = 1, problem.beta = 0;
            seen.d = {"dw", nullptr, {sizes_.filters, 1, shape_.row()}};
            // Any number of the host's threads makes the same sums.
            if (on_host && options.split_k == 0) options.split_k = 2;
        }
        emplace(problem, seen, options);
        if (forward || options.split_k != 0 || product_->splits() > 1) return;
        options.split_k = 2;
        emplace(problem, seen, options);
    }
    void emplace(const conv_problem& problem, const conv_memory<In, Out>& seen, const conv_options& options) {
        product_.emplace(device_, problem, seen, epilogue_, options, "", conv_tuning{},
                         kernel::sizes_of_lines(sizes_, shape_));
    }

    template <class F>
    void launch_lines(F& f) const {
        constexpr int bytes = int(sizeof(In));
        kernel::columns_arguments<In> args{};
        args.of[0] = {x().at, lines_, kernel::columns_of_images(problem_, sizes_, shape_.columns, bytes)};
        if constexpr (forward)
            args.of[1] = {memory().b.at, rows_, kernel::columns_of_filters(problem_, sizes_, bytes)};
        tune::launch_columns(f, args, sizes_.channels);
    }
    template <class F>
    void launch_sums(F& f) const {
        kernel::mec_sums_arguments<In, Out, Epilogue> args{finishing_arguments<In>(problem_, memory().c,
                                                                                   memory().d.at, rows_of_d(),
                                                                                   columns_of_d(), epilogue_),
                                                           sizes_.channels,
                                                           shape_.window,
                                                           shape_.column,
                                                           sizes_.filters,
                                                           sizes_.filters};
        args.partial = product_->sums(), args.splits = product_->splits();
        f(tune::mec_sums_entry<In, Out, Epilogue>{}, block::combine_grid(args.m * args.n, args.splits, 1),
          args);
    }

    void describe(const std::string& why) {
        report_ = product_->said();
        report_.evidence = tune::evidence_beside_product("copies and sums of mec", report_.arch, dtype_v<In>);
        report_.requested = conv_words(Pass, problem_, dtype_v<In>, dtype_v<Out>, name_of(epilogue_));
        report_.chosen = "conv mec" + report_.chosen.substr(std::string("conv").size());
        report_.why = (why.empty() ? "asked for" : why) + "; windows lie in " + std::to_string(shape_.lines) +
                      " lines of " + std::to_string(shape_.columns) + " columns of " +
                      std::to_string(shape_.column) + " elements; " + report_.why;
        report_.why += copies_.why();
    }

    const Device& device_;
    conv_problem problem_;
    kernel::conv_sizes sizes_;
    kernel::mec_shape shape_;
    conv_copies<In, Out> copies_;
    Epilogue epilogue_;
    conv_options options_;
    report report_;
    In *lines_ = nullptr, *rows_ = nullptr;
    std::size_t bytes_ = 0;
    std::optional<product> product_;
};

}  // namespace FADE_NAMESPACE

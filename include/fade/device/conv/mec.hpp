// One call of a convolution by mec: x and the filter laid out by lines in the workspace, and the implicit
// product of what is left.
#pragma once
#include <fade/device/conv/reshaped.hpp>
#include <fade/tune/conv/evidence.hpp>

namespace FADE_NAMESPACE {

/// Of forward and backward weights.
template <conv_pass Pass, class In, class Out, class Device, class Epilogue>
class mec_conv_operation : public reshaped_conv<Pass, In, Out, Device, Epilogue> {
    using base = reshaped_conv<Pass, In, Out, Device, Epilogue>;
    using base::forward, base::flat, base::seen;
    using base::problem_, base::sizes_, base::options_, base::report_, base::product_;
    static constexpr bool on_host = std::is_same_v<Device, host_device>;

public:
    /// All is checked, and mec takes it, for the reason `why`.
    mec_conv_operation(const Device& device, const conv_problem& problem, const conv_memory<In, Out>& memory,
                       const Epilogue& epilogue, const conv_options& options, const std::string& why)
        : base(device, problem, in_place(memory), epilogue, options, conv_tuning{}),
          shape_(kernel::mec_shape_of(sizes_, int(sizeof(In)))) {
        place(nullptr);
        describe(why);
    }

    /// Why automatic does better without it; empty where it does not.
    std::string drawback() const {
        if (report_.fallback) return report_.why;
        if (!this->fits_workspace())
            return "it needs " + std::to_string(this->workspace_bytes()) + " bytes of workspace";
        return obstacle();
    }
    /// Why it cannot compute this after all; empty where it can.
    std::string obstacle() const {
        if (forward || this->is_shared()) return "";
        return "in backward weights it adds up the sums of at least two workgroups, and " +
               (options_.split_k == 1 ? std::string("split_k is 1") : "pixels of y are too few to be shared");
    }

    /// What a tuning database said, if one was asked.
    void rests_on(const std::string& evidence, const std::string& why) {
        if (!evidence.empty()) report_.evidence = evidence;
        report_.why += why;
    }
    conv_algorithm algorithm() const { return conv_algorithm::mec; }
    std::size_t main_launch() const { return this->launches_before() + 1; }
    std::string what_needs() const { return "lines of windows need"; }

    void place(void* memory) {
        memory_parts all = this->parts_behind_copies(memory);
        lines_ = all.template take<In>(std::size_t(shape_.elements()));
        rows_ = forward ? all.template take<In>(std::size_t(sizes_.filters * shape_.row())) : nullptr;
        make_product();
        this->place_product(all);
    }

    template <class F>
    void each_launch(F f) const {
        this->launch_between_copies(f, [&] {
            launch_lines(f);
            product_->launch_product(f);
            if constexpr (forward)
                product_->launch_sums(f);
            else
                this->launch_weight_sums(f, shape_.window, shape_.column, sizes_.filters);
        });
    }

private:
    /// What is laid out is read as it lies.
    static conv_memory<In, Out> in_place(conv_memory<In, Out> memory) {
        if constexpr (forward) flat(memory.a);
        flat(memory.b);
        return memory;
    }
    const kernel::named_memory<const In>& x() const { return forward ? seen().a : seen().b; }

    /// Of what is left of the convolution. The filter's gradient stays in its sums.
    void make_product() {
        conv_memory<In, Out> memory = seen();
        conv_problem problem = this->left();
        conv_options options = options_;
        const kernel::conv_sizes sizes = kernel::sizes_of_lines(sizes_, shape_);
        (forward ? memory.a : memory.b).at = lines_;
        if constexpr (forward) {
            memory.b.at = rows_;
            this->make_product_of(problem, memory, options, sizes);
        } else {
            this->keep_sums(problem, memory, "dw", {sizes_.filters, 1, shape_.row()});
            // Any number of the host's threads makes the same sums.
            if (on_host && options.split_k == 0) options.split_k = 2;
            this->make_shared_product_of(problem, memory, options, sizes);
        }
    }

    template <class F>
    void launch_lines(F& f) const {
        constexpr int bytes = int(sizeof(In));
        kernel::columns_arguments<In> args{};
        args.of[0] = {x().at, lines_, kernel::columns_of_images(problem_, sizes_, shape_.columns, bytes)};
        if constexpr (forward)
            args.of[1] = {seen().b.at, rows_, kernel::columns_of_filters(problem_, sizes_, bytes)};
        tune::launch_columns(f, args, sizes_.channels);
    }

    void describe(const std::string& why) {
        base::describe("");
        report_.evidence = tune::evidence_beside_product("copies and sums of mec", report_.arch, dtype_v<In>);
        report_.chosen = "conv mec" + report_.chosen.substr(std::string("conv").size());
        report_.why = (why.empty() ? "asked for" : why) + "; windows lie in " + std::to_string(shape_.lines) +
                      " lines of " + std::to_string(shape_.columns) + " columns of " +
                      std::to_string(shape_.column) + " elements; " + report_.why;
    }

    kernel::mec_shape shape_;
    In *lines_ = nullptr, *rows_ = nullptr;
};

}  // namespace FADE_NAMESPACE

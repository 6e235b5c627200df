// What convolutions share that lay tensors out anew in the workspace, and compute an implicit product of
// those.
#pragma once
#include <fade/device/conv/call.hpp>
#include <fade/device/conv/finishing.hpp>
#include <fade/device/conv/memory_parts.hpp>
#include <fade/tune/conv/columns_entry.hpp>
#include <optional>

namespace FADE_NAMESPACE {

/// The frame of such a call: copies of what lies in another layout, behind them what a derived class lays
/// out, and behind that the product, which every place() makes anew.
template <conv_pass Pass, class In, class Out, class Device, class Epilogue>
class reshaped_conv {
public:
    const report& said() const { return report_; }
    /// The epilogue, of which a forward pass of i8 gets the terms of its zero points once they have a place.
    Epilogue& stages() { return epilogue_; }
    const gemm_policy& policy() const { return product_->policy(); }
    conv_algorithm algorithm() const { return conv_algorithm::implicit_gemm; }
    std::size_t workspace_bytes() const { return copies_.bytes() + bytes_; }
    void before_launches(Device& device) { product_->before_launches(device); }

protected:
    static constexpr bool forward = Pass == conv_pass::forward, weights = Pass == conv_pass::backward_weights;
    static constexpr bool of_data = !forward && !weights;
    using memory_type = conv_memory<In, Out>;

    /// `memory` with flat() tensors where they are read as they lie. All is checked.
    reshaped_conv(const Device& device, const conv_problem& problem, const memory_type& memory,
                  const Epilogue& epilogue, const conv_options& options, const conv_tuning& tuned)
        : problem_(problem), sizes_(kernel::sizes_of(problem)), options_(options), device_(device),
          tuned_(tuned), copies_(problem.layout, memory), epilogue_(epilogue) {
        epilogue::bind(epilogue_, {rows_of_d(), columns_of_d(), 1});
    }

    /// One row, of which no copy is made.
    template <class Memory>
    static void flat(Memory& m) {
        m.shape = {1, 1, m.shape.elements()};
    }
    const memory_type& seen() const { return copies_.seen(); }
    bool reads_c() const { return problem_.beta != 0; }
    index columns_of_d() const {
        return forward ? index(problem_.filters) : of_data ? index(problem_.channels) : sizes_.filter_row();
    }
    index rows_of_d() const { return seen().d.elements() / columns_of_d(); }
    std::size_t launches_before() const { return copies_.launches_before(reads_c()); }
    bool fits_workspace() const {
        return !options_.workspace || workspace_bytes() <= options_.workspace_bytes;
    }
    bool is_shared() const { return product_->splits() > 1; }

    /// What is left of the problem when tensors lie as kernels read them.
    conv_problem left() const {
        conv_problem out = problem_;
        out.layout = conv_layout::channels_last;
        return out;
    }
    /// Its results stay in the sums of the product.
    static void keep_sums(conv_problem& problem, memory_type& memory, const char* name,
                          const kernel::conv_shape& shape) {
        memory.c = nullptr, problem.alpha = 1, problem.beta = 0;
        memory.d = {name, nullptr, shape};
    }
    memory_parts parts_behind_copies(void* memory) {
        return memory_parts(copies_.place(memory_or_stand_in(memory)));
    }
    void make_product_of(const conv_problem& problem, const memory_type& memory, const conv_options& options,
                         const kernel::conv_sizes& sizes) {
        product_.emplace(device_, problem, memory, epilogue_, options, "", tuned_, sizes);
    }
    /// As make_product_of; where the selector leaves k to one workgroup, two share it, since sums are
    /// finished.
    void make_shared_product_of(const conv_problem& problem, const memory_type& memory, conv_options options,
                                const kernel::conv_sizes& sizes) {
        make_product_of(problem, memory, options, sizes);
        if (options.split_k != 0 || is_shared()) return;
        options.split_k = 2;
        make_product_of(problem, memory, options, sizes);
    }
    void place_product(memory_parts& all) {
        product_->place(all.template take<std::byte>(product_->workspace_bytes()));
        bytes_ = all.bytes();
    }

    /// What the product says, as the call's own; `more` behind why its policy was taken.
    void describe(const std::string& more) {
        report_ = product_->said();
        report_.requested = conv_words(Pass, problem_, dtype_v<In>, dtype_v<Out>, name_of(epilogue_));
        report_.why += more + copies_.why();
    }

    /// launch() between the launches that copy.
    template <class F, class Launch>
    void launch_between_copies(F& f, Launch launch) const {
        copies_.launch_before(f, reads_c());
        launch();
        copies_.launch_after(f);
    }
    kernel::gemm_arguments<In, Out, Epilogue> finishing() const {
        return finishing_arguments<In>(problem_, seen().c, seen().d.at, rows_of_d(), columns_of_d(),
                                       epilogue_);
    }
    /// Finishes a filter's gradient from sums that have `columns` elements for each of `windows` runs of
    /// channels, and so many filters.
    template <class F>
    void launch_weight_sums(F& f, int windows, int columns, int filters) const {
        kernel::mec_sums_arguments<In, Out, Epilogue> args{finishing(), sizes_.channels, windows,
                                                           columns,     sizes_.filters,  filters};
        args.partial = product_->sums(), args.splits = product_->splits();
        f(tune::mec_sums_entry<In, Out, Epilogue>{}, block::combine_grid(args.m * args.n, args.splits, 1),
          args);
    }

    conv_problem problem_;
    kernel::conv_sizes sizes_;
    conv_options options_;
    report report_;
    std::optional<conv_operation<Pass, In, Out, Device, Epilogue>> product_;

private:
    const Device& device_;
    conv_tuning tuned_;
    conv_copies<In, Out> copies_;
    Epilogue epilogue_;
    std::size_t bytes_ = 0;
};

}  // namespace FADE_NAMESPACE

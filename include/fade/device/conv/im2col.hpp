// One call of a convolution by im2col: windows laid out as matrices in the workspace, some images at a time,
// and products of them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <fade/arch/host.hpp>
#include <fade/device/conv/copies.hpp>
#include <fade/device/conv/finishing.hpp>
#include <fade/device/conv/memory_parts.hpp>
#include <fade/device/conv/plan.hpp>
#include <fade/device/conv/words.hpp>
#include <fade/device/gemm_call.hpp>
#include <fade/device/run_on.hpp>
#include <fade/epilogue/part.hpp>
#include <fade/tune/conv/algorithm.hpp>
#include <fade/tune/conv/direct_entry.hpp>
#include <fade/tune/conv/evidence.hpp>
#include <fade/tune/conv/im2col_entry.hpp>

namespace FADE_NAMESPACE {

/// Matrices of the device's own memory are as large as this, if one image's are not larger.
inline constexpr std::size_t im2col_bytes = std::size_t(1) << 28;

template <conv_pass Pass, class In, class Out, class Device, class Epilogue>
class im2col_conv_operation {
    using acc = accumulator_t<In>;
    static constexpr bool on_host = std::is_same_v<Device, host_device>, forward = Pass == conv_pass::forward,
                          data = Pass == conv_pass::backward_data,
                          weights = Pass == conv_pass::backward_weights;
    static constexpr int run = tune::direct_run<In, on_host>;

    /// The epilogue stands in the product where that has all of a sum.
    using column = std::conditional_t<data, acc, In>;
    using product_out = std::conditional_t<forward, Out, acc>;
    using product_epilogue = std::conditional_t<forward, epilogue::part_of<Epilogue>, epilogue::none>;
    static constexpr operand_access access = forward ? operand_access::nt
                                             : data  ? operand_access::nn
                                                     : operand_access::tn;
    using product =
        gemm_operation<In, product_out, Device, product_epilogue, only(access, operand_access::strided)>;

public:
    /// All is checked, and im2col takes it, for the reason `why`.
    im2col_conv_operation(const Device& device, const conv_problem& problem,
                          const conv_memory<In, Out>& memory, const Epilogue& epilogue,
                          const conv_options& options, const std::string& why)
        : device_(device), problem_(problem), sizes_(kernel::sizes_of(problem)),
          copies_(problem.layout, memory), epilogue_(epilogue), options_(options) {
        behind_copies_ = copies_.place(memory_or_stand_in(nullptr));
        epilogue::bind(epilogue_, {rows_of_d(), columns_of_d(), 1});
        images_ = problem.batch;
        while (images_ > 1 && (elements(images_) >= max_elements || bytes_for(images_) > allowed_bytes()))
            images_ = ceil_div<index>(images_, 2);
        parts_ = parts_for(images_);
        with_multiplying_arch<In>(device, [&](auto arch) { describe<decltype(arch)>(why); });
    }

    const report& said() const { return report_; }
    /// What a tuning database said, if one was asked.
    void rests_on(const std::string& evidence, const std::string& why) {
        if (!evidence.empty()) report_.evidence = evidence;
        report_.why += why;
    }
    gemm_policy policy() const { return product_of({0, images_}, 0).policy(); }
    conv_algorithm algorithm() const { return conv_algorithm::im2col; }
    /// The first product.
    std::size_t main_launch() const { return copies_.launches_before(reads_c()) + (data ? 0 : 1); }

    std::size_t workspace_bytes() const { return bytes_for(images_); }
    std::string what_needs() const {
        return "the windows of " + std::to_string(images_) + (images_ == 1 ? " image need" : " images need");
    }
    void place(void* memory) {
        behind_copies_ = copies_.place(memory_or_stand_in(memory));
        parts_ = parts_for(images_);
    }
    /// Products whose operands the copy unit brings make their maps as they are launched.
    void before_launches(Device& device) { running_ = &device; }

    template <class F>
    void each_launch(F f) const {
        copies_.launch_before(f, reads_c());
        for (index first = 0; first < problem_.batch; first += images_)
            launch_images(f, {first, min_of(images_, problem_.batch - first)});
        if constexpr (weights) launch_last(f);
        copies_.launch_after(f);
    }

private:
    static constexpr index max_elements = index(1)
                                          << 31;  ///< of matrices, whose elements have 32-bit numbers

    struct image_range {
        index first, count;
    };
    struct parts {
        column* columns;
        acc* sums;  ///< of the filter's gradient
        void* of_product;
        std::size_t bytes;
    };

    const conv_memory<In, Out>& memory() const { return copies_.seen(); }
    bool reads_c() const { return problem_.beta != 0; }
    index pixels_of_x() const { return problem_.input.volume(); }
    index pixels_of_y() const { return problem_.output().volume(); }
    index columns_of_d() const {
        if constexpr (forward) return problem_.filters;
        if constexpr (data) return problem_.channels;
        return sizes_.filter_row();
    }
    index rows_of_d() const { return memory().d.elements() / columns_of_d(); }

    /// Of the matrices of so many images.
    index elements(index images) const {
        return images * pixels_of_y() * sizes_.groups * sizes_.filter_row();
    }
    std::size_t allowed_bytes() const {
        return options_.workspace ? options_.workspace_bytes : im2col_bytes + copies_.bytes();
    }
    parts parts_for(index images) const {
        memory_parts all(behind_copies_);
        parts out{};
        out.columns = all.take<column>(std::size_t(elements(images)));
        if constexpr (weights) out.sums = all.take<acc>(std::size_t(memory().d.elements()));
        const index last = problem_.batch % images;
        std::size_t of_product = product_of({0, images}, 0, out).workspace_bytes();
        if (last) of_product = max_of(of_product, product_of({0, last}, 0, out).workspace_bytes());
        out.of_product = all.take<std::byte>(of_product);
        out.bytes = all.bytes();
        return out;
    }
    std::size_t bytes_for(index images) const { return parts_for(images).bytes + copies_.bytes(); }

    product product_of(const image_range& images, int group) const {
        return product_of(images, group, parts_);
    }
    product product_of(const image_range& images, int group, const parts& at) const {
        const auto& [a, b, c, d] = memory();
        const kernel::conv_sizes& s = sizes_;
        const index rows = images.count * pixels_of_y(), row = s.filter_row(), first = images.first,
                    filter = index(group) * s.filters;
        column* const columns = at.columns + group * rows * row;
        gemm_problem p;
        gemm_operands<In, product_out> o;  // of which nvcc 13.0 would lose D, were a list assigned without C
        if constexpr (forward) {
            const index y = first * pixels_of_y() * s.y_pixel() + filter;
            p = {.m = rows, .n = s.filters, .k = row, .layout = gemm_layout::nt, .ldd = s.y_pixel()};
            p.alpha = problem_.alpha, p.beta = problem_.beta, p.ldc = s.y_pixel();
            o.a = columns, o.b = b.at + filter * row, o.c = reads_c() ? c + y : nullptr, o.d = d.at + y;
        } else if constexpr (data) {
            p = {.m = rows, .n = row, .k = s.filters, .layout = gemm_layout::nn, .lda = s.y_pixel()};
            o.a = a.at + first * pixels_of_y() * s.y_pixel() + filter;
            o.b = b.at + filter * row, o.d = columns;
        } else {
            p = {.m = s.filters, .n = row, .k = rows, .layout = gemm_layout::tn, .lda = s.y_pixel()};
            p.beta = first > 0 ? 1 : 0;
            acc* const sums = at.sums + filter * row;
            o.a = a.at + first * pixels_of_y() * s.y_pixel() + filter;
            o.b = columns, o.c = o.d = sums;
        }
        return product(device_, p, o, epilogue_of(images, filter), {.split_k = split_k()});
    }
    /// On the host k is shared only where that is asked for, so that any number of threads gives the same
    /// bits.
    int split_k() const { return on_host && options_.split_k == 0 ? 1 : options_.split_k; }
    product_epilogue epilogue_of(const image_range& images, index filter) const {
        if constexpr (forward)
            return epilogue::part_at(epilogue_, images.first * pixels_of_y(), filter);
        else
            return {};
    }

    template <class F>
    void launch_images(F& f, const image_range& images) const {
        if constexpr (!data) launch_im2col(f, images);
        for (int group = 0; group < sizes_.groups; ++group) {
            product one = product_of(images, group);
            one.place(parts_.of_product);
            if (running_) one.before_launches(*running_);
            one.each_launch(f);
        }
        if constexpr (data) launch_col2im(f, images);
    }
    template <class F>
    void launch_im2col(F& f, const image_range& images) const {
        const auto& x = forward ? memory().a : memory().b;
        const kernel::im2col_arguments<In> args{.images =
                                                    x.at + images.first * pixels_of_x() * sizes_.x_pixel(),
                                                .columns = parts_.columns,
                                                .windows = kernel::forward_view(sizes_),
                                                .rows = images.count * pixels_of_y(),
                                                .elements = elements(images.count)};
        if (takes_runs())
            f(tune::im2col_entry<In, run>{}, grid_of(args.elements / run), args);
        else
            f(tune::im2col_entry<In, 1>{}, grid_of(args.elements), args);
    }
    template <class F>
    void launch_col2im(F& f, const image_range& images) const {
        const index first = images.first * pixels_of_x(), rows = images.count * pixels_of_x();
        const kernel::col2im_arguments<In, Out, Epilogue> args{finishing(rows), sizes_, parts_.columns, first,
                                                               images.count * pixels_of_y()};
        f(tune::col2im_entry<In, Out, Epilogue>{}, grid_of(rows * columns_of_d()), args);
    }
    /// The filter's gradient from the sums over all images.
    template <class F>
    void launch_last(F& f) const {
        const auto args = finishing(rows_of_d());
        f(tune::combine_entry<In, Out, Epilogue>{},
          block::combine_grid(rows_of_d() * columns_of_d(), args.splits, 1), args);
    }
    static grid_shape grid_of(index items) {
        return {int(ceil_div<index>(items, kernel::im2col_items)), 1, 1};
    }

    /// For kernels that finish so many rows of D.
    kernel::gemm_arguments<In, Out, Epilogue> finishing(index rows) const {
        auto out =
            finishing_arguments<In>(problem_, memory().c, memory().d.at, rows, columns_of_d(), epilogue_);
        out.partial = parts_.sums;
        return out;
    }

    /// Do whole runs of a tap's channels lie at their alignment?
    bool takes_runs() const {
        const In* const x = forward ? memory().a.at : memory().b.at;
        return sizes_.channels % run == 0 && reinterpret_cast<std::uintptr_t>(x) % 16 == 0;
    }
    template <class Arch>
    void describe(const std::string& why) {
        const product one = product_of({0, images_}, 0);
        report_ = one.said();
        report_.requested = conv_words(Pass, problem_, dtype_v<In>, dtype_v<Out>, name_of(epilogue_));
        report_.evidence = tune::evidence_beside_product("im2col and col2im", Arch::traits.name, dtype_v<In>);
        report_.chosen = "conv im2col " + report_.chosen + ", " + std::to_string(images_) +
                         (images_ == 1 ? " image" : " images") + " at a time";
        report_.why = (why.empty() ? "asked for" : why) + "; its product: " + report_.why;
        if (!data && !takes_runs()) {
            report_.why += "; channels of a group are no whole aligned runs, so windows are copied element "
                           "by element";
            report_.fallback = report_.fallback || !on_host;
        }
        report_.why += copies_.why();
    }

    const Device& device_;
    conv_problem problem_;
    kernel::conv_sizes sizes_;
    conv_copies<In, Out> copies_;
    Epilogue epilogue_;
    conv_options options_;
    report report_;
    index images_ = 1;  ///< whose windows lie in the workspace at a time
    void* behind_copies_ = nullptr;
    parts parts_{};
    Device* running_ = nullptr;
};

}  // namespace FADE_NAMESPACE

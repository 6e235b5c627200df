// One call of a convolution whose tiles are transformed: transforms in the workspace, some images at a time,
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
#include <fade/kernel/conv/image_tiles.hpp>
#include <fade/tune/conv/algorithm.hpp>
#include <fade/tune/conv/evidence.hpp>

namespace FADE_NAMESPACE {

/// Transformed tiles and their products in the device's own memory are as large as this, if one image's are
/// not larger.
inline constexpr std::size_t transformed_bytes = std::size_t(1) << 28;

/// The filter as backward data and forward read it: rows of a product make channels, and read others.
struct transformed_filter {
    int made, read;              ///< channels: of all groups, and of one
    index from_made, from_read;  ///< elements from one to the next, in the filter
    int made_in_group;
    index from_group, from_tap;
    bool rotated;
};

/// Rows of D and where they are finished from.
template <class In, class Out, class Epilogue>
struct transformed_result {
    kernel::gemm_arguments<In, Out, Epilogue> finishing;
    const float* products;
    index count;      ///< tiles, or filters in backward weights
    int channels;     ///< of each
    index first_row;  ///< of D
};

/// `Transforms` are those of winograd.hpp or fft.hpp. Forward and backward data: for each element of a tile,
/// rows are the tiles of some images, k channels. Backward weights: rows are filters, columns channels, and
/// k the tiles; sums stay in the workspace from images to images.
template <class Transforms, conv_pass Pass, class In, class Out, class Device, class Epilogue>
class transformed_conv_operation {
    static constexpr bool on_host = std::is_same_v<Device, host_device>, forward = Pass == conv_pass::forward,
                          weights = Pass == conv_pass::backward_weights;
    static constexpr operand_access access = weights ? operand_access::tn : operand_access::nt;
    using product =
        gemm_operation<float, float, Device, epilogue::none, only(access, operand_access::strided)>;

public:
    /// All is checked, and the algorithm takes it.
    transformed_conv_operation(const Device& device, const conv_problem& problem,
                               const conv_memory<In, Out>& memory, const Epilogue& epilogue,
                               const conv_options& options)
        : device_(device), problem_(problem), sizes_(kernel::sizes_of(problem)),
          copies_(problem.layout, memory), epilogue_(epilogue), options_(options),
          transforms_(options.algorithm, sizes_) {
        behind_copies_ = copies_.place(memory_or_stand_in(nullptr));
        epilogue::bind(epilogue_, {this->memory().d.elements() / columns_of_d(), columns_of_d(), 1});
        images_ = problem.batch;
        while (images_ > 1 && (tiles_of(images_) >= max_tiles || bytes_for(images_) > allowed_bytes()))
            images_ = ceil_div<index>(images_, 2);
        parts_ = parts_for(images_);
        with_multiplying_arch<float>(device, [&](auto arch) { describe<decltype(arch)>(); });
    }

    const report& said() const { return report_; }
    /// What a tuning database said, if one was asked.
    void rests_on(const std::string& evidence, const std::string& why) {
        if (!evidence.empty()) report_.evidence = evidence;
        report_.why += why;
    }
    gemm_policy policy() const { return product_of(images_, 0, parts_, false).policy(); }
    conv_algorithm algorithm() const { return options_.algorithm; }
    /// The first product.
    std::size_t main_launch() const {
        return copies_.launches_before(reads_c()) + 2 * std::size_t(transforms_.launches());
    }

    std::size_t workspace_bytes() const { return bytes_for(images_); }
    std::string what_needs() const {
        return "transformed filters, and the transformed tiles and products of " + std::to_string(images_) +
               (images_ == 1 ? " image, need" : " images, need");
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
        if constexpr (!weights)
            transforms_.launch_filters(f, memory().b.at, filter(), parts_.right, parts_.lines);
        for (index first = 0; first < problem_.batch; first += images_)
            launch_images(f, first, min_of(images_, problem_.batch - first));
        if constexpr (weights)
            transforms_.launch_taps(f, result(problem_.filters, sizes_.channels, 0), parts_.lines);
        copies_.launch_after(f);
    }

private:
    static constexpr index max_tiles = index(1) << 31;  ///< rows of a product

    /// Of the product of an element: of A, of B, and its results; `lines` are of transforms of two steps.
    struct parts {
        float *left, *right, *products, *lines;
        void* of_product;
        std::size_t bytes;
    };

    const conv_memory<In, Out>& memory() const { return copies_.seen(); }
    bool reads_c() const { return problem_.beta != 0; }
    /// Channels of images that are made (by backward weights: of the gradient that is read), and of images
    /// that are read.
    int made_channels() const {
        return Pass == conv_pass::backward_data ? problem_.channels : problem_.filters;
    }
    int read_channels() const {
        return Pass == conv_pass::backward_data ? problem_.filters : problem_.channels;
    }
    int read_in_group() const { return read_channels() / problem_.groups; }
    int made_in_group() const { return made_channels() / problem_.groups; }
    index columns_of_d() const { return weights ? sizes_.filter_row() : index(made_channels()); }
    index tiles_of(index images) const { return transforms_.tiles().of_image() * images; }

    std::size_t allowed_bytes() const {
        return options_.workspace ? options_.workspace_bytes : transformed_bytes + copies_.bytes();
    }
    parts parts_for(index images) const {
        memory_parts all(behind_copies_);
        const auto& t = transforms_;
        const index tiles = tiles_of(images), made = made_channels(), all_made = t.padded(made_channels()),
                    all_read = t.padded(read_channels()), row = t.padded(read_in_group());
        const auto planes = [&](index count, index width) {
            return std::size_t(t.elements()) * std::size_t(t.plane(count, width));
        };
        parts out{};
        out.left = all.take<float>(planes(tiles, weights ? all_made : all_read));
        out.right = all.take<float>(weights ? planes(tiles, all_read) : planes(made, row));
        out.products = all.take<float>(weights ? planes(made, row) : planes(tiles, all_made));
        out.lines =
            all.take<float>(t.values_of_lines() *
                            std::size_t(max_of(max_of(tiles * all_made, tiles * all_read), made * row)));
        const index last = problem_.batch % images;
        std::size_t of_product = product_of(images, 0, out, false).workspace_bytes();
        if (last) of_product = max_of(of_product, product_of(last, 0, out, false).workspace_bytes());
        if (weights && images < problem_.batch)
            of_product = max_of(of_product, product_of(images, 0, out, true).workspace_bytes());
        out.of_product = all.take<std::byte>(of_product);
        out.bytes = all.bytes();
        return out;
    }
    std::size_t bytes_for(index images) const { return parts_for(images).bytes + copies_.bytes(); }

    /// A product for each element of a tile. `adds`: to the sums of the images before.
    product product_of(index images, int group, const parts& at, bool adds) const {
        const auto& t = transforms_;
        const index tiles = tiles_of(images), made = made_in_group(), read = read_in_group(),
                    all_made = t.padded(made_channels()), all_read = t.padded(read_channels()),
                    row = t.padded(read_in_group()), filters = index(group) * made * row;
        gemm_problem p;
        gemm_operands<float, float> o;  // of which nvcc 13.0 would lose D, were a list assigned without C
        if constexpr (weights) {
            p = {.m = made, .n = read, .k = tiles, .layout = gemm_layout::tn, .lda = all_made};
            p.ldb = all_read, p.ldc = p.ldd = row, p.beta = adds ? 1 : 0;
            p.stride_a = t.plane(tiles, all_made), p.stride_b = t.plane(tiles, all_read);
            p.stride_c = p.stride_d = t.plane(made_channels(), row);
            float* const sums = at.products + filters;
            o.a = at.left + group * made, o.b = at.right + group * read, o.c = o.d = sums;
        } else {
            p = {.m = tiles, .n = made, .k = read, .layout = gemm_layout::nt, .lda = all_read};
            p.ldb = row, p.ldc = p.ldd = all_made;
            p.stride_a = t.plane(tiles, all_read), p.stride_b = t.plane(made_channels(), row);
            p.stride_c = p.stride_d = t.plane(tiles, all_made);
            o.a = at.left + group * read, o.b = at.right + filters, o.d = at.products + group * made;
        }
        p.batch = t.elements();
        return product(device_, p, o, {}, {.split_k = split_k()});
    }
    /// On the host k is shared only where that is asked for, so that any number of threads gives the same
    /// bits.
    int split_k() const { return on_host && options_.split_k == 0 ? 1 : options_.split_k; }

    template <class F>
    void launch_images(F& f, index first, index images) const {
        const auto t = transforms_.tiles();
        const index tiles = tiles_of(images);
        if constexpr (weights) {
            const index of_dy = first * t.pixels_made() * made_channels();
            transforms_.launch_made(f, memory().a.at + of_dy, tiles, made_channels(), parts_.left,
                                    parts_.lines);
        }
        const In* const read =
            (weights ? memory().b.at : memory().a.at) + first * t.pixels_read() * read_channels();
        transforms_.launch_read(f, read, tiles, read_channels(), weights ? parts_.right : parts_.left,
                                parts_.lines);
        for (int group = 0; group < problem_.groups; ++group) {
            product one = product_of(images, group, parts_, first > 0);
            one.place(parts_.of_product);
            if (running_) one.before_launches(*running_);
            one.each_launch(f);
        }
        if constexpr (!weights)
            transforms_.launch_output(f, result(tiles, made_channels(), first * t.pixels_made()),
                                      parts_.lines);
    }

    transformed_filter filter() const {
        const index row = sizes_.filter_row();
        return {.made = made_channels(),
                .read = read_in_group(),
                .from_made = forward ? row : 1,
                .from_read = forward ? 1 : row,
                .made_in_group = made_in_group(),
                .from_group = sizes_.filters * row,
                .from_tap = sizes_.channels,
                .rotated = !forward};
    }
    transformed_result<In, Out, Epilogue> result(index count, int channels, index first_row) const {
        const index columns = columns_of_d(), rows = memory().d.elements() / columns;
        return {finishing_arguments<In>(problem_, memory().c, memory().d.at, rows, columns, epilogue_),
                parts_.products, count, channels, first_row};
    }

    template <class Arch>
    void describe() {
        report_ = product_of(images_, 0, parts_, false).said();
        report_.requested = conv_words(Pass, problem_, dtype_v<In>, dtype_v<Out>, name_of(epilogue_));
        report_.evidence = transforms_.template evidence<In>(Arch::traits.name);
        report_.chosen = std::string("conv ") + name(algorithm()) + transforms_.words() + " " +
                         report_.chosen + ", " + std::to_string(images_) +
                         (images_ == 1 ? " image" : " images") + " at a time";
        report_.why = "asked for; transforms and products are in f32; its products: " + report_.why;
        report_.why += copies_.why();
    }

    const Device& device_;
    conv_problem problem_;
    kernel::conv_sizes sizes_;
    conv_copies<In, Out> copies_;
    Epilogue epilogue_;
    conv_options options_;
    Transforms transforms_;
    report report_;
    index images_ = 1;  ///< whose tiles lie in the workspace at a time
    void* behind_copies_ = nullptr;
    parts parts_{};
    Device* running_ = nullptr;
};

}  // namespace FADE_NAMESPACE

// One call of a convolution by Winograd's minimal filtering: transforms in the workspace, some images at a
// time, and products of them.
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
#include <fade/tune/conv/algorithm.hpp>
#include <fade/tune/conv/evidence.hpp>
#include <fade/tune/conv/winograd_entry.hpp>

namespace FADE_NAMESPACE {

/// Transformed tiles and their products in the device's own memory are as large as this, if one image's are
/// not larger.
inline constexpr std::size_t winograd_bytes = std::size_t(1) << 28;

template <conv_pass Pass, class In, class Out, class Device, class Epilogue>
class winograd_conv_operation {
    static constexpr bool on_host = std::is_same_v<Device, host_device>, forward = Pass == conv_pass::forward;
    static constexpr int run = tune::winograd_run<on_host>;
    using product = gemm_operation<float, float, Device, epilogue::none,
                                   only(operand_access::nt, operand_access::strided)>;

public:
    /// All is checked, and the algorithm takes it: winograd_f2 or winograd_f4.
    winograd_conv_operation(const Device& device, const conv_problem& problem,
                            const conv_memory<In, Out>& memory, const Epilogue& epilogue,
                            const conv_options& options)
        : device_(device), problem_(problem), sizes_(kernel::sizes_of(problem)),
          copies_(problem.layout, memory), epilogue_(epilogue), options_(options),
          made_(options.algorithm == conv_algorithm::winograd_f2 ? 2 : 4) {
        behind_copies_ = copies_.place(memory_or_stand_in(nullptr));
        epilogue::bind(epilogue_, {this->memory().d.elements() / made_channels(), made_channels(), 1});
        images_ = problem.batch;
        while (images_ > 1 &&
               (tiles().of_image() * images_ >= max_tiles || bytes_for(images_) > allowed_bytes()))
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
    gemm_policy policy() const { return product_of(images_, 0, parts_).policy(); }
    conv_algorithm algorithm() const { return options_.algorithm; }
    /// The first product.
    std::size_t main_launch() const { return copies_.launches_before(reads_c()) + 2; }

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
        if (made_ == 2)
            launch_transforms<2>(f);
        else
            launch_transforms<4>(f);
        copies_.launch_after(f);
    }

private:
    static constexpr index max_tiles = index(1) << 31;  ///< rows of a product

    struct parts {
        float *taps, *pixels, *products;
        void* of_product;
        std::size_t bytes;
    };

    const conv_memory<In, Out>& memory() const { return copies_.seen(); }
    bool reads_c() const { return problem_.beta != 0; }
    int made_channels() const { return forward ? problem_.filters : problem_.channels; }
    int read_channels() const { return forward ? problem_.channels : problem_.filters; }
    int tile_elements() const { return (made_ + 2) * (made_ + 2); }

    /// Backward data is the forward pass of dy with rotated filters and other zeros around the image.
    kernel::image_tiles tiles() const {
        const auto& [h, w] = std::pair(sizes_.h, sizes_.w);
        const auto made = [](const block::axis_sizes& s) { return forward ? s.output : s.input; };
        const auto read = [](const block::axis_sizes& s) { return forward ? s.input : s.output; };
        const auto start = [](const block::axis_sizes& s) { return forward ? -s.pad : s.pad - 2; };
        return {.tiles_h = ceil_div(made(h), made_),
                .tiles_w = ceil_div(made(w), made_),
                .image_h = read(h),
                .image_w = read(w),
                .output_h = made(h),
                .output_w = made(w),
                .start_h = start(h),
                .start_w = start(w),
                .step_h = made_,
                .step_w = made_};
    }

    std::size_t allowed_bytes() const {
        return options_.workspace ? options_.workspace_bytes : winograd_bytes + copies_.bytes();
    }
    parts parts_for(index images) const {
        memory_parts all(behind_copies_);
        const auto elements = std::size_t(tile_elements()),
                   of_all = elements * std::size_t(tiles().of_image() * images);
        parts out{};
        out.taps = all.take<float>(elements * std::size_t(made_channels()) *
                                   std::size_t(read_channels() / problem_.groups));
        out.pixels = all.take<float>(of_all * std::size_t(read_channels()));
        out.products = all.take<float>(of_all * std::size_t(made_channels()));
        const index last = problem_.batch % images;
        std::size_t of_product = product_of(images, 0, out).workspace_bytes();
        if (last) of_product = max_of(of_product, product_of(last, 0, out).workspace_bytes());
        out.of_product = all.take<std::byte>(of_product);
        out.bytes = all.bytes();
        return out;
    }
    std::size_t bytes_for(index images) const { return parts_for(images).bytes + copies_.bytes(); }

    /// A product for each element of a tile: rows are the tiles of some images, k are channels.
    product product_of(index images, int group, const parts& at) const {
        const index rows = tiles().of_image() * images, made = made_channels() / problem_.groups,
                    read = read_channels() / problem_.groups;
        const gemm_problem p{.m = rows,
                             .n = made,
                             .k = read,
                             .layout = gemm_layout::nt,
                             .batch = tile_elements(),
                             .lda = read_channels(),
                             .ldb = read,
                             .ldc = made_channels(),
                             .ldd = made_channels(),
                             .stride_a = rows * read_channels(),
                             .stride_b = made_channels() * read,
                             .stride_c = rows * made_channels(),
                             .stride_d = rows * made_channels()};
        return product(device_, p,
                       {.a = at.pixels + group * read,
                        .b = at.taps + group * made * read,
                        .d = at.products + group * made},
                       {}, {.split_k = split_k()});
    }
    /// On the host k is shared only where that is asked for, so that any number of threads gives the same
    /// bits.
    int split_k() const { return on_host && options_.split_k == 0 ? 1 : options_.split_k; }

    template <int M, class F>
    void launch_transforms(F& f) const {
        launch_taps<M>(f);
        for (index first = 0; first < problem_.batch; first += images_) {
            const index images = min_of(images_, problem_.batch - first);
            launch_pixels<M>(f, first, images);
            for (int group = 0; group < problem_.groups; ++group) {
                product one = product_of(images, group, parts_);
                one.place(parts_.of_product);
                if (running_) one.before_launches(*running_);
                one.each_launch(f);
            }
            launch_output<M>(f, first, images);
        }
    }
    template <int M, class F>
    void launch_taps(F& f) const {
        const kernel::conv_sizes& s = sizes_;
        const index row = s.filter_row();
        const kernel::winograd_taps_arguments<In> args{.filters = memory().b.at,
                                                       .out = parts_.taps,
                                                       .made = made_channels(),
                                                       .read = read_channels() / problem_.groups,
                                                       .from_made = forward ? row : 1,
                                                       .from_read = forward ? 1 : row,
                                                       .made_in_group = made_channels() / problem_.groups,
                                                       .from_group = s.filters * row,
                                                       .channels = s.channels,
                                                       .rotated = !forward};
        f(tune::winograd_taps_entry<In, M>{}, grid_of(index(args.made) * args.read), args);
    }
    template <int M, class F>
    void launch_pixels(F& f, index first, index images) const {
        const kernel::image_tiles t = tiles();
        const kernel::winograd_pixels_arguments<In> args{
            .images = memory().a.at + first * t.image_h * t.image_w * read_channels(),
            .out = parts_.pixels,
            .tiles = t,
            .count = t.of_image() * images,
            .channels = read_channels()};
        if (takes_runs(read_channels(), memory().a.at))
            f(tune::winograd_pixels_entry<In, M, run>{}, grid_of(args.count * (args.channels / run)), args);
        else
            f(tune::winograd_pixels_entry<In, M, 1>{}, grid_of(args.count * args.channels), args);
    }
    template <int M, class F>
    void launch_output(F& f, index first, index images) const {
        const kernel::image_tiles t = tiles();
        const kernel::winograd_output_arguments<In, Out, Epilogue> args{
            finishing(), parts_.products, t, t.of_image() * images, first * t.output_h * t.output_w};
        if (args.n % run == 0)
            f(tune::winograd_output_entry<In, Out, M, run, Epilogue>{}, grid_of(args.count * (args.n / run)),
              args);
        else
            f(tune::winograd_output_entry<In, Out, M, 1, Epilogue>{}, grid_of(args.count * args.n), args);
    }
    static grid_shape grid_of(index items) {
        return {int(ceil_div<index>(items, kernel::winograd_items)), 1, 1};
    }
    /// Do whole runs of channels lie at their alignment?
    static bool takes_runs(int channels, const In* at) {
        return channels % run == 0 && reinterpret_cast<std::uintptr_t>(at) % 16 == 0;
    }

    kernel::gemm_arguments<In, Out, Epilogue> finishing() const {
        const index columns = made_channels(), rows = memory().d.elements() / columns;
        return finishing_arguments<In>(problem_, memory().c, memory().d.at, rows, columns, epilogue_);
    }

    template <class Arch>
    void describe() {
        report_ = product_of(images_, 0, parts_).said();
        report_.requested = conv_words(Pass, problem_, dtype_v<In>, dtype_v<Out>, name_of(epilogue_));
        report_.evidence =
            tune::evidence_beside_product("Winograd's transforms", Arch::traits.name, dtype_v<In>);
        report_.chosen = std::string("conv ") + name(algorithm()) + " " + report_.chosen + ", " +
                         std::to_string(images_) + (images_ == 1 ? " image" : " images") + " at a time";
        report_.why = "asked for; transforms and products are in f32; its products: " + report_.why;
        report_.why += copies_.why();
    }

    const Device& device_;
    conv_problem problem_;
    kernel::conv_sizes sizes_;
    conv_copies<In, Out> copies_;
    Epilogue epilogue_;
    conv_options options_;
    int made_;  ///< pixels of a tile along a dimension that are made
    report report_;
    index images_ = 1;  ///< whose tiles lie in the workspace at a time
    void* behind_copies_ = nullptr;
    parts parts_{};
    Device* running_ = nullptr;
};

}  // namespace FADE_NAMESPACE

// The transforms of a convolution by Winograd's minimal filtering, as launches.
#pragma once
#include <cstddef>
#include <cstdint>
#include <fade/device/conv/transformed.hpp>
#include <fade/tune/conv/evidence.hpp>
#include <fade/tune/conv/winograd_entry.hpp>
#include <string>
#include <string_view>
#include <type_traits>

namespace FADE_NAMESPACE {

template <conv_pass Pass, class In, class Out, class Epilogue, bool OnHost>
class winograd_transforms {
    static constexpr int run = tune::winograd_run<OnHost>;
    static constexpr bool data = Pass == conv_pass::backward_data;
    using result = transformed_result<In, Out, Epilogue>;
    template <int N>
    using number = std::integral_constant<int, N>;

public:
    static constexpr int launches() { return 1; }  ///< of a transform

    /// winograd_f2 or winograd_f4.
    winograd_transforms(conv_algorithm algorithm, const kernel::conv_sizes& sizes)
        : sizes_(sizes), made_(algorithm == conv_algorithm::winograd_f2 ? 2 : 4) {}

    int elements() const { return (made_ + 2) * (made_ + 2); }
    index padded(int channels) const { return channels; }
    /// Values of an element of the transformed tiles or filters.
    index plane(index count, index width) const { return count * width; }
    /// Nothing is kept between two steps of a transform.
    std::size_t values_of_lines() const { return 0; }
    std::string words() const { return ""; }
    template <class T>
    std::string evidence(std::string_view arch) const {
        return tune::evidence_beside_product("Winograd's transforms", arch, dtype_v<T>);
    }

    /// Backward data is the forward pass of dy with rotated filters and other zeros around the image.
    kernel::image_tiles tiles() const {
        const auto& [h, w] = std::pair(sizes_.h, sizes_.w);
        const auto made = [](const block::axis_sizes& s) { return data ? s.input : s.output; };
        const auto read = [](const block::axis_sizes& s) { return data ? s.output : s.input; };
        const auto start = [](const block::axis_sizes& s) { return data ? s.pad - 2 : -s.pad; };
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

    template <class F>
    void launch_filters(F& f, const In* at, const transformed_filter& of, float* out, float*) const {
        const kernel::winograd_taps_arguments<In> args{.filters = at,
                                                       .out = out,
                                                       .made = of.made,
                                                       .read = of.read,
                                                       .from_made = of.from_made,
                                                       .from_read = of.from_read,
                                                       .made_in_group = of.made_in_group,
                                                       .from_group = of.from_group,
                                                       .channels = int(of.from_tap),
                                                       .rotated = of.rotated};
        with_made([&]<int M>(number<M>) {
            f(tune::winograd_taps_entry<In, M>{}, grid_of(index(args.made) * args.read), args);
        });
    }
    template <class F>
    void launch_read(F& f, const In* at, index count, int channels, float* out, float*) const {
        launch_pixels<false>(f, {at, out, tiles(), count, channels});
    }
    /// The gradient of y.
    template <class F>
    void launch_made(F& f, const In* at, index count, int channels, float* out, float*) const {
        kernel::image_tiles t = tiles();
        t.image_h = t.output_h, t.image_w = t.output_w, t.start_h = t.start_w = 0;
        launch_pixels<true>(f, {at, out, t, count, channels});
    }
    template <class F>
    void launch_output(F& f, const result& of, float*) const {
        const kernel::winograd_output_arguments<In, Out, Epilogue> args{of.finishing, of.products, tiles(),
                                                                        of.count, of.first_row};
        with_made([&]<int M>(number<M>) {
            with_run(int(args.n), [&]<int Run>(number<Run>) {
                f(tune::winograd_output_entry<In, Out, M, Run, Epilogue>{},
                  grid_of(args.count * (args.n / Run)), args);
            });
        });
    }
    template <class F>
    void launch_taps(F& f, const result& of, float*) const {
        const kernel::winograd_sums_arguments<In, Out, Epilogue> args{of.finishing, of.products, of.count,
                                                                      of.channels};
        with_made([&]<int M>(number<M>) {
            with_run(args.channels, [&]<int Run>(number<Run>) {
                f(tune::winograd_sums_entry<In, Out, M, Run, Epilogue>{},
                  grid_of(args.count * (args.channels / Run)), args);
            });
        });
    }

private:
    template <class G>
    void with_made(G g) const {
        if (made_ == 2) return g(number<2>{});
        g(number<4>{});
    }
    template <class G>
    static void with_run(int channels, G g) {
        if (channels % run == 0) return g(number<run>{});
        g(number<1>{});
    }
    template <bool Gradients, class F>
    void launch_pixels(F& f, const kernel::winograd_pixels_arguments<In>& args) const {
        const bool aligned = reinterpret_cast<std::uintptr_t>(args.images) % 16 == 0;
        with_made([&]<int M>(number<M>) {
            with_run(aligned ? args.channels : 1, [&]<int Run>(number<Run>) {
                f(tune::winograd_pixels_entry<In, M, Run, Gradients>{},
                  grid_of(args.count * (args.channels / Run)), args);
            });
        });
    }
    static grid_shape grid_of(index items) {
        return {int(ceil_div<index>(items, kernel::winograd_items)), 1, 1};
    }

    kernel::conv_sizes sizes_;
    int made_;  ///< pixels of a tile along a dimension that are made
};

/// A convolution by Winograd's minimal filtering.
template <conv_pass Pass, class In, class Out, class Device, class Epilogue>
using winograd_conv_operation = transformed_conv_operation<
    winograd_transforms<Pass, In, Out, Epilogue, std::is_same_v<Device, host_device>>, Pass, In, Out, Device,
    Epilogue>;

}  // namespace FADE_NAMESPACE

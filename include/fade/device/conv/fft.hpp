// The transforms of a convolution by Fourier transforms, as launches: of lines, and then of columns.
#pragma once
#include <cstddef>
#include <cstdint>
#include <fade/device/conv/transformed.hpp>
#include <fade/tune/conv/fft.hpp>
#include <fade/tune/conv/fft_entry.hpp>
#include <string>
#include <string_view>
#include <type_traits>

namespace FADE_NAMESPACE {

template <conv_pass Pass, class In, class Out, class Epilogue, bool OnHost>
class fft_transforms {
    static constexpr int run = tune::winograd_run<OnHost>;
    static constexpr bool data = Pass == conv_pass::backward_data;
    using result = transformed_result<In, Out, Epilogue>;
    template <int T>
    using size = std::integral_constant<int, T>;

public:
    static constexpr int launches = 2;  ///< of a transform

    fft_transforms(conv_algorithm, const kernel::conv_sizes& sizes)
        : sizes_(sizes), fft_(tune::fft_sizes_of(Pass, sizes)) {}

    int elements() const { return fft_.products(); }
    index padded(int channels) const { return ceil_div(channels, run) * run; }
    /// Values of an element of the transformed tiles or filters.
    index plane(index count, index width) const { return kernel::fft_block::plane(count, width); }
    /// Of a tile or filter between the transforms of lines and of columns.
    std::size_t values_of_lines() const { return 2 * std::size_t(fft_.complex_values()); }
    std::string words() const { return " " + std::to_string(fft_.h) + "x" + std::to_string(fft_.w); }
    template <class>
    std::string evidence(std::string_view arch) const {
        return "none: nobody audited or measured Fourier transforms on " + std::string(arch);
    }

    /// Of what is read, which backward data reads through rotated filters.
    kernel::image_tiles tiles() const {
        const auto start = [](const block::axis_sizes& s) {
            return data ? s.pad - tune::reach_of(s) + 1 : -s.pad;
        };
        const auto& [h, w] = std::pair(sizes_.h, sizes_.w);
        const int step_h = step(h, fft_.h), step_w = step(w, fft_.w);
        return {.tiles_h = ceil_div(tune::made_along(Pass, h), step_h),
                .tiles_w = ceil_div(tune::made_along(Pass, w), step_w),
                .image_h = data ? h.output : h.input,
                .image_w = data ? w.output : w.input,
                .output_h = tune::made_along(Pass, h),
                .output_w = tune::made_along(Pass, w),
                .start_h = start(h),
                .start_w = start(w),
                .step_h = step_h,
                .step_w = step_w};
    }

    template <class F>
    void launch_filters(F& f, const In* at, const transformed_filter& of, float* out, float* lines) const {
        const kernel::fft_filters<In> from{.at = at,
                                           .from_made = of.from_made,
                                           .from_read = of.from_read,
                                           .from_tap = of.from_tap,
                                           .made_in_group = of.made_in_group,
                                           .from_group = of.from_group,
                                           .taps_h = sizes_.h.filter,
                                           .taps_w = sizes_.w.filter,
                                           .dilation_h = sizes_.h.dilation,
                                           .dilation_w = sizes_.w.dilation,
                                           .rotated = of.rotated};
        launch_there(f, from, block_of(of.made, of.read, fft_.h), out, lines, true);
    }
    template <class F>
    void launch_read(F& f, const In* at, index count, int channels, float* out, float* lines) const {
        launch_there(f, images(at, tiles(), fft_.h, fft_.w, channels), block_of(count, channels, fft_.h), out,
                     lines, false);
    }
    /// The gradient of y: a tile has no more of it than the filter reaches back from.
    template <class F>
    void launch_made(F& f, const In* at, index count, int channels, float* out, float* lines) const {
        kernel::image_tiles t = tiles();
        t.image_h = t.output_h, t.image_w = t.output_w, t.start_h = t.start_w = 0;
        launch_there(f, images(at, t, t.step_h, t.step_w, channels), block_of(count, channels, fft_.h), out,
                     lines, true);
    }
    template <class F>
    void launch_output(F& f, const result& of, float* lines) const {
        const kernel::image_tiles t = tiles();
        const kernel::fft_block block = block_of(of.count, of.channels, t.step_h);
        const index rows = of.count / t.of_image() * t.output_h * t.output_w;
        const kernel::fft_output_arguments<In, Out, Epilogue> args{of.finishing, lines, block,  t,
                                                                   of.first_row, rows,  scale()};
        launch_back(f, of.products, args, lines);
    }
    template <class F>
    void launch_taps(F& f, const result& of, float* lines) const {
        const kernel::fft_block block = block_of(of.count, of.channels, tune::reach_of(sizes_.h));
        const kernel::fft_taps_arguments<In, Out, Epilogue> args{
            of.finishing,      lines,  block, sizes_.h.filter, sizes_.w.filter, sizes_.h.dilation,
            sizes_.w.dilation, scale()};
        launch_back(f, of.products, args, lines);
    }

private:
    static int step(const block::axis_sizes& s, int size) { return size - tune::reach_of(s) + 1; }
    float scale() const { return 1.0f / float(fft_.h * fft_.w); }

    kernel::fft_block block_of(index count, int channels, int lines) const {
        return {count, lines, fft_.w / 2 + 1, channels, int(padded(channels))};
    }
    static kernel::fft_images<In> images(const In* at, const kernel::image_tiles& tiles, int h, int w,
                                         int channels) {
        const bool whole = channels % run == 0 && reinterpret_cast<std::uintptr_t>(at) % 16 == 0;
        return {at, tiles, h, w, whole};
    }

    template <class G>
    void with_line(G g) const {
        if (fft_.w == 16) return g(size<16>{});
        g(size<64>{});
    }
    template <class G>
    void with_column(G g) const {
        if (fft_.h == 1) return g(size<1>{});
        if (fft_.h == 16) return g(size<16>{});
        g(size<64>{});
    }

    template <class F, class Source>
    void launch_there(F& f, const Source& from, const kernel::fft_block& block, float* out, float* lines,
                      bool second) const {
        with_line([&]<int T>(size<T>) {
            f(tune::fft_lines_entry<Source, T, run>{}, grid_of(block.line_items(run)),
              kernel::fft_lines_arguments<Source>{from, block, lines});
        });
        with_column([&]<int T>(size<T>) {
            f(tune::fft_columns_entry<T, run>{}, grid_of(block.column_items(run)),
              kernel::fft_columns_arguments{lines, block, out, second});
        });
    }
    template <class F, class Arguments>
    void launch_back(F& f, const float* products, const Arguments& args, float* lines) const {
        with_column([&]<int T>(size<T>) {
            f(tune::fft_back_columns_entry<T, run>{}, grid_of(args.block.column_items(run)),
              kernel::fft_back_columns_arguments{products, args.block, lines});
        });
        with_line([&]<int T>(size<T>) {
            f(tune::fft_back_lines_entry<T, run>{}, grid_of(args.block.line_items(run)),
              kernel::fft_back_lines_arguments{lines, args.block});
        });
        f(tune::fft_finish_entry<Arguments, run>{}, grid_of(args.places() * (args.block.in_whole / run)),
          args);
    }
    static grid_shape grid_of(index items) { return {int(ceil_div<index>(items, kernel::fft_items)), 1, 1}; }

    kernel::conv_sizes sizes_;
    tune::fft_sizes fft_;
};

/// A convolution by Fourier transforms.
template <conv_pass Pass, class In, class Out, class Device, class Epilogue>
using fft_conv_operation =
    transformed_conv_operation<fft_transforms<Pass, In, Out, Epilogue, std::is_same_v<Device, host_device>>,
                               Pass, In, Out, Device, Epilogue>;

}  // namespace FADE_NAMESPACE

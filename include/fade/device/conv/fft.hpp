// The transforms of a convolution by Fourier transforms, as launches: of lines, then of columns, and then
// across planes where there are several.
#pragma once
#include <cstddef>
#include <cstdint>
#include <fade/device/conv/transformed.hpp>
#include <fade/tune/conv/fft.hpp>
#include <fade/tune/conv/fft_entry.hpp>
#include <string>
#include <string_view>
#include <tuple>
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
    fft_transforms(conv_algorithm, const kernel::conv_sizes& sizes)
        : sizes_(sizes), fft_(tune::fft_sizes_of(Pass, sizes)) {}

    int launches() const { return has_planes() ? 3 : 2; }  ///< of a transform
    int elements() const { return fft_.products(); }
    index padded(int channels) const { return ceil_div(channels, run) * run; }
    /// Values of an element of the transformed tiles or filters.
    index plane(index count, index width) const { return kernel::fft_block::plane(count, width); }
    /// Of a tile or filter between the transforms of lines and of columns.
    std::size_t values_of_lines() const { return 2 * std::size_t(fft_.complex_values()); }
    std::string words() const {
        return " " + (fft_.d > 1 ? std::to_string(fft_.d) + "x" : "") + std::to_string(fft_.h) + "x" +
               std::to_string(fft_.w);
    }
    template <class>
    std::string evidence(std::string_view arch) const {
        return "none: nobody audited or measured Fourier transforms on " + std::string(arch);
    }

    /// Of what is read, which backward data reads through rotated filters.
    kernel::volume_tiles tiles() const {
        const auto start = [](const block::axis_sizes& s) {
            return data ? s.pad - tune::reach_of(s) + 1 : -s.pad;
        };
        const auto read = [](const block::axis_sizes& s) { return data ? s.output : s.input; };
        const auto made = [](const block::axis_sizes& s) { return tune::made_along(Pass, s); };
        const spatial step = made_of_tile();
        const auto& [d, h, w] = std::tie(sizes_.d, sizes_.h, sizes_.w);
        const kernel::image_tiles of_plane{.tiles_h = ceil_div(made(h), step.h),
                                           .tiles_w = ceil_div(made(w), step.w),
                                           .image_h = read(h),
                                           .image_w = read(w),
                                           .output_h = made(h),
                                           .output_w = made(w),
                                           .start_h = start(h),
                                           .start_w = start(w),
                                           .step_h = step.h,
                                           .step_w = step.w};
        return {of_plane, ceil_div(made(d), step.d), read(d), made(d), start(d), step.d};
    }

    template <class F>
    void launch_filters(F& f, const In* at, const transformed_filter& of, float* out, float* lines) const {
        const kernel::fft_filters<In> from{.at = at,
                                           .from_made = of.from_made,
                                           .from_read = of.from_read,
                                           .from_tap = of.from_tap,
                                           .made_in_group = of.made_in_group,
                                           .from_group = of.from_group,
                                           .taps = taps(),
                                           .dilation = dilation(),
                                           .lines_of_plane = fft_.h,
                                           .rotated = of.rotated};
        launch_there(f, from, {of.made, of.read}, out, lines, true);
    }
    template <class F>
    void launch_read(F& f, const In* at, index count, int channels, float* out, float* lines) const {
        launch_there(f, images(at, tiles(), {fft_.d, fft_.h, fft_.w}, channels), {count, channels}, out,
                     lines, false);
    }
    /// The gradient of y: a tile has no more of it than the filter reaches back from.
    template <class F>
    void launch_made(F& f, const In* at, index count, int channels, float* out, float* lines) const {
        kernel::volume_tiles t = tiles();
        t.image_d = t.output_d, t.image_h = t.output_h, t.image_w = t.output_w;
        t.start_d = t.start_h = t.start_w = 0;
        launch_there(f, images(at, t, made_of_tile(), channels), {count, channels}, out, lines, true);
    }
    template <class F>
    void launch_output(F& f, const result& of, float* lines) const {
        const kernel::volume_tiles t = tiles();
        const auto made = back_of({of.count, of.channels}, made_of_tile());
        const index rows = of.count / t.of_image() * t.pixels_made();
        const kernel::fft_output_arguments<In, Out, Epilogue> args{of.finishing, lines, made.lines, t, fft_.h,
                                                                   of.first_row, rows,  scale()};
        launch_back(f, of.products, args, made, lines);
    }
    template <class F>
    void launch_taps(F& f, const result& of, float* lines) const {
        const auto made = back_of({of.count, of.channels}, reach());
        const kernel::fft_taps_arguments<In, Out, Epilogue> args{of.finishing, lines,  made.lines, taps(),
                                                                 dilation(),   fft_.h, scale()};
        launch_back(f, of.products, args, made, lines);
    }

private:
    /// Tiles or filters, and channels of each.
    struct transformed {
        index count;
        int channels;
    };
    /// What columns, or depths, of spectra leave, columns of planes, and lines.
    struct blocks_back {
        kernel::fft_block columns, planes, lines;
    };
    spatial taps() const { return {sizes_.d.filter, sizes_.h.filter, sizes_.w.filter}; }
    spatial dilation() const { return {sizes_.d.dilation, sizes_.h.dilation, sizes_.w.dilation}; }
    spatial reach() const {
        return {tune::reach_of(sizes_.d), tune::reach_of(sizes_.h), tune::reach_of(sizes_.w)};
    }
    /// Pixels that a tile makes.
    spatial made_of_tile() const {
        const spatial r = reach();
        return {fft_.d - r.d + 1, fft_.h - r.h + 1, fft_.w - r.w + 1};
    }
    float scale() const { return 1.0f / float(fft_.d * fft_.h * fft_.w); }
    /// Have planes columns of their own? Of several planes the last transform goes across them.
    bool has_planes() const { return fft_.d > 1 && fft_.h > 1; }

    kernel::fft_block block_of(index count, int channels, int lines, int values_apart = 1) const {
        return {count, lines, (fft_.w / 2 + 1) * values_apart, channels, int(padded(channels))};
    }
    /// For the transforms of columns of planes, and of the last dimension.
    kernel::fft_block planes_of(const transformed& of, int planes) const {
        return block_of(of.count * planes, of.channels, fft_.h);
    }
    kernel::fft_block last_of(const transformed& of, const spatial& made) const {
        return fft_.d > 1 ? block_of(of.count, of.channels, made.d, fft_.h)
                          : block_of(of.count, of.channels, made.h);
    }
    /// Of several planes all lines are made.
    blocks_back back_of(const transformed& of, const spatial& made) const {
        return {last_of(of, made), planes_of(of, made.d),
                block_of(of.count, of.channels, fft_.d > 1 ? made.d * fft_.h : made.h)};
    }
    kernel::fft_images<In> images(const In* at, const kernel::volume_tiles& tiles, const spatial& read,
                                  int channels) const {
        const bool whole = channels % run == 0 && reinterpret_cast<std::uintptr_t>(at) % 16 == 0;
        return {at, tiles, read, fft_.h, whole};
    }

    template <class G>
    void with_line(G g) const {
        if (fft_.w == 16) return g(size<16>{});
        g(size<64>{});
    }
    /// Of the last transform.
    template <class G>
    void with_column(G g) const {
        const int column = fft_.d > 1 ? fft_.d : fft_.h;
        if (column == 1) return g(size<1>{});
        if (column == 16) return g(size<16>{});
        g(size<64>{});
    }

    template <class F, class Source>
    void launch_there(F& f, const Source& from, const transformed& of, float* out, float* lines,
                      bool second) const {
        with_line([&]<int T>(size<T>) {
            const kernel::fft_block block = block_of(of.count, of.channels, fft_.d * fft_.h);
            f(tune::fft_lines_entry<Source, T, run>{}, grid_of(block.line_items(run)),
              kernel::fft_lines_arguments<Source>{from, block, lines});
        });
        launch_planes(f, planes_of(of, fft_.d), lines, false);
        with_column([&]<int T>(size<T>) {
            const kernel::fft_block block = last_of(of, {fft_.d, fft_.h, fft_.w});
            f(tune::fft_columns_entry<T, run>{}, grid_of(block.column_items(run)),
              kernel::fft_columns_arguments{lines, block, out, second});
        });
    }
    template <class F>
    void launch_planes(F& f, const kernel::fft_block& block, float* lines, bool back) const {
        if (!has_planes()) return;
        const kernel::fft_planes_arguments args{lines, block, back};
        const grid_shape grid = grid_of(block.column_items(run));
        if (fft_.h == 16)
            f(tune::fft_planes_entry<16, run>{}, grid, args);
        else
            f(tune::fft_planes_entry<64, run>{}, grid, args);
    }
    template <class F, class Arguments>
    void launch_back(F& f, const float* products, const Arguments& args, const blocks_back& made,
                     float* lines) const {
        with_column([&]<int T>(size<T>) {
            f(tune::fft_back_columns_entry<T, run>{}, grid_of(made.columns.column_items(run)),
              kernel::fft_back_columns_arguments{products, made.columns, lines});
        });
        launch_planes(f, made.planes, lines, true);
        with_line([&]<int T>(size<T>) {
            f(tune::fft_back_lines_entry<T, run>{}, grid_of(made.lines.line_items(run)),
              kernel::fft_back_lines_arguments{lines, made.lines});
        });
        f(tune::fft_finish_entry<Arguments, run>{}, grid_of(args.places() * (made.lines.in_whole / run)),
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

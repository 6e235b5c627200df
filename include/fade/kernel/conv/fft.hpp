// Convolutions by Fourier transforms: tiles of images and filters are transformed line by line, then column
// by column, and across planes where there are several, multiplied as matrices of channels, three real
// products for each complex number of a spectrum, and transformed back. Tiles overlap in what they read
// (overlap-save).
#pragma once
#include <fade/block/schedule/run.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/shape.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/conv/arguments.hpp>
#include <fade/kernel/conv/fft_sources.hpp>
#include <fade/kernel/conv/fft_transforms.hpp>
#include <fade/kernel/gemm/store.hpp>

namespace FADE_NAMESPACE::kernel {

/// Lines or columns, with a run of channels each, that a workgroup transforms.
inline constexpr int fft_items = 256;

template <class Source>
struct fft_lines_arguments {
    Source from;
    fft_block block;
    float* out;
};

template <int Run>
FADE_FN void keep_values(float* to, const channel_values<Run>& values) {
    *reinterpret_cast<vec<float, Run>*>(to) = values.of;
}
template <int Run>
FADE_FN channel_values<Run> kept_values(const float* from) {
    return {*reinterpret_cast<const vec<float, Run>*>(from)};
}

/// An item is a line of T pixels.
template <int T, int Run, class Block, class Args>
FADE_FN void transform_line(const Args& args, index item) {
    using values = channel_values<Run>;
    const fft_block& b = args.block;
    const int runs = b.in_whole / Run;
    const index line_of_all = item / runs, tile = line_of_all / b.lines;
    const int channel = int(item - line_of_all * runs) * Run, line = int(line_of_all - tile * b.lines);
    auto from = fft_line_of<Run>(args.from, b, tile, line, channel);
    values re[T / 2], im[T / 2];
    unrolled<T / 2>([&](int n) FADE_LAMBDA {
        re[fft_place<T / 2>(n)] = from.next(2 * n);
        im[fft_place<T / 2>(n)] = from.next(2 * n + 1);
    });
    float* const out = args.out + b.line_at(tile, line, 0) + channel;
    spectrum_of_line<T>(re, im, [&](int k, const complex_values<values>& v) FADE_LAMBDA {
        const index apart = Block::reload_arguments(args).block.in_whole;
        keep_values(out + 2 * k * apart, v.re), keep_values(out + (2 * k + 1) * apart, v.im);
    });
}

/// Columns of half-made spectra of several planes, in their place: across the planes follows, or came before.
struct fft_planes_arguments {
    float* lines;
    fft_block block;  ///< whose tiles are planes
    bool back;
};

template <int T, int Run, class Block>
FADE_FN void transform_column_of_plane(const fft_planes_arguments& args, index item) {
    using values = channel_values<Run>;
    const fft_block& b = args.block;
    const int runs = b.in_whole / Run;
    const index column = item / runs, plane = column / b.spectrum;
    const int channel = int(item - column * runs) * Run, k = int(column - plane * b.spectrum);
    // Back it is the same with the parts exchanged.
    float* const real = args.lines + b.line_at(plane, 0, k) + channel + (args.back ? b.in_whole : 0);
    values re[T], im[T];
    const auto each_line = [&](auto f) FADE_LAMBDA {
        unrolled<T>([&](int i) FADE_LAMBDA {
            const fft_planes_arguments& now = Block::reload_arguments(args);  // distances of a line at a time
            const index apart = now.block.in_whole;
            f(i, real + now.block.line_at(0, i, 0), now.back ? -apart : apart);
        });
    };
    each_line([&](int i, const float* from, index apart) FADE_LAMBDA {
        re[fft_place<T>(i)] = kept_values<Run>(from), im[fft_place<T>(i)] = kept_values<Run>(from + apart);
    });
    fft<T>(re, im);
    each_line([&](int i, float* to, index apart)
                  FADE_LAMBDA { keep_values(to, re[i]), keep_values(to + apart, im[i]); });
}

/// Spectra for products are [one of three][complex value][tile][channel]. The product of x = a + i b with the
/// conjugate of w = c + i d has, with e = -d, the parts c (a + b) - b (c + e) and c (a + b) + a (e - c)
/// (Gauss). `second`: the factor that is conjugated.
struct fft_columns_arguments {
    const float* lines;
    fft_block block;
    float* out;
    bool second;
};

template <int T, int Run, class Block>
FADE_FN void transform_column(const fft_columns_arguments& args, index item) {
    using values = channel_values<Run>;
    const fft_block& b = args.block;
    const int runs = b.in_whole / Run;
    const index column = item / runs, tile = column / b.spectrum;
    const int channel = int(item - column * runs) * Run, k = int(column - tile * b.spectrum);
    const float* const lines = args.lines + b.line_at(tile, 0, k) + channel;
    values re[T], im[T];
    unrolled<T>([&](int i) FADE_LAMBDA {
        const fft_block& now = Block::reload_arguments(args).block;  // distances of one line at a time
        const float* const from = lines + now.line_at(0, i, 0);
        re[fft_place<T>(i)] = kept_values<Run>(from);
        im[fft_place<T>(i)] = kept_values<Run>(from + now.in_whole);
    });
    fft<T>(re, im);
    float* const out = args.out + k * b.plane() + tile * b.in_whole + channel;
    unrolled<T>([&](int i) FADE_LAMBDA {
        const fft_columns_arguments& later = Block::reload_arguments(args);
        const index row = later.block.spectrum * later.block.plane(), third = T * row;
        float* const to = out + i * row;
        keep_values(to, later.second ? re[i] : re[i] + im[i]);
        keep_values(to + third, later.second ? -1.0f * (im[i] + re[i]) : re[i]);
        keep_values(to + 2 * third, later.second ? re[i] - im[i] : im[i]);
    });
}

/// Products to half-made lines: those of `block`, which may be fewer than the T of a column.
struct fft_back_columns_arguments {
    const float* products;
    fft_block block;
    float* out;
};

template <int T, int Run, class Block>
FADE_FN void transform_column_back(const fft_back_columns_arguments& args, index item) {
    using values = channel_values<Run>;
    const fft_block& b = args.block;
    const int runs = b.in_whole / Run;
    const index column = item / runs, tile = column / b.spectrum;
    const int channel = int(item - column * runs) * Run, k = int(column - tile * b.spectrum);
    const float* const products = args.products + k * b.plane() + tile * b.in_whole + channel;
    values re[T], im[T];
    unrolled<T>([&](int i) FADE_LAMBDA {
        const fft_block& now = Block::reload_arguments(args).block;  // distances of one row at a time
        const index row = now.spectrum * now.plane(), third = T * row;
        const float* const from = products + i * row;
        const values first = kept_values<Run>(from);
        re[fft_place<T>(i)] = first - kept_values<Run>(from + 2 * third);
        im[fft_place<T>(i)] = first + kept_values<Run>(from + third);
    });
    fft<T>(im, re);
    unrolled<T>([&](int i) FADE_LAMBDA { made_here<Block>(re[i]), made_here<Block>(im[i]); });
    float* const out = args.out + b.line_at(tile, 0, k) + channel;
    unrolled<T>([&](int i) FADE_LAMBDA {
        const fft_block& later = Block::reload_arguments(args).block;
        if (i >= later.lines) return;
        float* const to = out + later.line_at(0, i, 0);
        keep_values(to, re[i]), keep_values(to + later.in_whole, im[i]);
    });
}

/// Half-made lines become pixels in their place: T of them, and room for two.
struct fft_back_lines_arguments {
    float* lines;
    fft_block block;
};

template <int T, int Run>
FADE_FN void transform_line_back(const fft_back_lines_arguments& args, index item) {
    using values = channel_values<Run>;
    const fft_block& b = args.block;
    const index apart = b.in_whole, runs = apart / Run, line = item / runs;
    float* const at = args.lines + b.line_at(0, line, 0) + (item - line * runs) * Run;
    values re[T / 2], im[T / 2];
    line_of_spectrum<T>(
        [&](int k) FADE_LAMBDA {
            return complex_values<values>{kept_values<Run>(at + 2 * k * apart),
                                          kept_values<Run>(at + (2 * k + 1) * apart)};
        },
        re, im);
    unrolled<T / 2>([&](int n) FADE_LAMBDA {
        keep_values(at + 2 * n * apart, re[n]), keep_values(at + (2 * n + 1) * apart, im[n]);
    });
}

/// Pixels of tiles through the epilogue to D: rows are pixels of these images, of which the first is row
/// `first_row`.
template <class In, class Out, class Epilogue>
struct fft_output_arguments : gemm_arguments<In, Out, Epilogue> {
    const float* lines;
    fft_block block;
    volume_tiles tiles;
    int lines_of_plane;
    index first_row, rows;
    float scale;

    struct place {
        index from, row, column;  ///< in `lines`, and in D
    };
    FADE_FN index places() const { return rows; }
    FADE_FN place of(index at) const {
        const index line = at / tiles.output_w, plane = line / tiles.output_h, image = plane / tiles.output_d;
        const int w = int(at - line * tiles.output_w), h = int(line - plane * tiles.output_h),
                  d = int(plane - image * tiles.output_d), tile_d = d / tiles.step_d,
                  tile_h = h / tiles.step_h, tile_w = w / tiles.step_w;
        const index tile =
            ((image * tiles.tiles_d + tile_d) * tiles.tiles_h + tile_h) * tiles.tiles_w + tile_w;
        const int row = (d - tile_d * tiles.step_d) * lines_of_plane + h - tile_h * tiles.step_h;
        return {block.line_at(tile, row, 0) + index(w - tile_w * tiles.step_w) * block.in_whole,
                first_row + at, 0};
    }
};

/// The same of the filter's gradient: rows of D are filters, columns the channels of taps.
template <class In, class Out, class Epilogue>
struct fft_taps_arguments : gemm_arguments<In, Out, Epilogue> {
    const float* lines;
    fft_block block;
    spatial taps, dilation;
    int lines_of_plane;
    float scale;

    struct place {
        index from, row, column;
    };
    FADE_FN index places() const { return block.count * taps.volume(); }
    FADE_FN place of(index at) const {
        const index line = at / taps.w, plane = line / taps.h, filter = plane / taps.d;
        const int w = int(at - line * taps.w), h = int(line - plane * taps.h),
                  d = int(plane - filter * taps.d), row = d * dilation.d * lines_of_plane + h * dilation.h;
        return {block.line_at(filter, row, 0) + index(w) * dilation.w * block.in_whole, filter,
                (at - filter * taps.volume()) * block.channels};
    }
};

/// An item is a run of channels of a pixel, or of a tap.
template <int Run, class Args>
FADE_FN void finish_pixel(const Args& args, index item) {
    const index runs = args.block.in_whole / Run, number = item / runs,
                channel = (item - number * runs) * Run;
    const auto at = args.of(number);
    const channel_values<Run> sums = args.scale * kept_values<Run>(args.lines + at.from + channel);
    unrolled<Run>([&](int e) FADE_LAMBDA {
        if (channel + e >= args.block.channels) return;
        const index column = at.column + channel + e;
        args.d[at.row * args.ldd + column] = finished(args, sums.of[e], {at.row, column, 0, true});
    });
}

/// Calls f(item) for a workgroup's share of `count` items.
template <class Block, class F>
FADE_FN void each_fft_item(Block& block, index count, F f) {
    for (const block::run_work& work : block::run_schedule(block, count, fft_items))
        block::each_of(block, work.items(), f);
}

template <int T, int Run>
struct fft_lines_leaf {
    template <int, class Block, class Args>
    FADE_FN static void apply(Block* block, const Args* args) {
        each_fft_item(*block, args->block.line_items(Run),
                      [&](index item) FADE_LAMBDA { transform_line<T, Run, Block>(*args, item); });
    }
};

template <int T, int Run>
struct fft_columns_leaf {
    template <int, class Block, class Args>
    FADE_FN static void apply(Block* block, const Args* args) {
        each_fft_item(*block, args->block.column_items(Run),
                      [&](index item) FADE_LAMBDA { transform_column<T, Run, Block>(*args, item); });
    }
};

template <int T, int Run>
struct fft_planes_leaf {
    template <int, class Block, class Args>
    FADE_FN static void apply(Block* block, const Args* args) {
        each_fft_item(*block, args->block.column_items(Run),
                      [&](index item) FADE_LAMBDA { transform_column_of_plane<T, Run, Block>(*args, item); });
    }
};

template <int T, int Run>
struct fft_back_columns_leaf {
    template <int, class Block, class Args>
    FADE_FN static void apply(Block* block, const Args* args) {
        each_fft_item(*block, args->block.column_items(Run),
                      [&](index item) FADE_LAMBDA { transform_column_back<T, Run, Block>(*args, item); });
    }
};

template <int T, int Run>
struct fft_back_lines_leaf {
    template <int, class Block, class Args>
    FADE_FN static void apply(Block* block, const Args* args) {
        each_fft_item(*block, args->block.line_items(Run),
                      [&](index item) FADE_LAMBDA { transform_line_back<T, Run>(*args, item); });
    }
};

template <int Run>
struct fft_finish_leaf {
    template <int, class Block, class Args>
    FADE_FN static void apply(Block* block, const Args* args) {
        each_fft_item(*block, args->places() * (args->block.in_whole / Run),
                      [&](index item) FADE_LAMBDA { finish_pixel<Run>(*args, item); });
    }
};

}  // namespace FADE_NAMESPACE::kernel

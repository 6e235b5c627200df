// Convolutions by Fourier transforms: tiles of images and filters are transformed line by line, then column
// by column, multiplied as matrices of channels, three real products for each complex number of a spectrum,
// and transformed back. Tiles overlap in what they read (overlap-save).
#pragma once
#include <fade/block/schedule/run.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/shape.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/conv/arguments.hpp>
#include <fade/kernel/conv/channel_values.hpp>
#include <fade/kernel/conv/fft_transforms.hpp>
#include <fade/kernel/conv/image_tiles.hpp>
#include <fade/kernel/gemm/store.hpp>

namespace FADE_NAMESPACE::kernel {

/// Lines or columns, with a run of channels each, that a workgroup transforms.
inline constexpr int fft_items = 256;

/// Tiles or filters whose spectra are made or were. A line of T pixels has T / 2 + 1 complex values. Channels
/// are padded to whole runs.
struct fft_block {
    index count;             ///< of tiles, or filters
    int lines;               ///< of each
    int spectrum;            ///< complex values of a line
    int channels, in_whole;  ///< those that there are, and with those behind the last run

    /// Half-made spectra are [tile][line][complex value][real, imaginary][channel].
    FADE_FN index line_at(index tile, index line, int value) const {
        return (((tile * lines + line) * spectrum + value) * 2) * in_whole;
    }
    /// From one element of spectra for products to the next: an odd number of cache lines, so that a column's
    /// do not all share a set of the cache.
    static FADE_FN constexpr index plane(index count, index width) {
        constexpr int cache_line = 16;
        return (ceil_div<index>(count * width, cache_line) | 1) * cache_line;
    }
    FADE_FN index plane() const { return plane(count, in_whole); }
    FADE_FN index line_items(int run) const { return count * lines * (in_whole / run); }
    FADE_FN index column_items(int run) const { return count * spectrum * (in_whole / run); }
};

/// Tiles of images; beyond the image, and beyond the part of a tile that is read, lie zeros.
template <class In>
struct fft_images {
    const In* at;
    image_tiles tiles;
    int read_h, read_w;  ///< of a tile
    bool whole;          ///< runs of channels lie at their alignment, and the last one is whole
};

/// Filters of the rows of a product, which read channels of their group. Backward data makes the channels of
/// x and reads those of dy, through filters that are rotated by half a circle.
template <class In>
struct fft_filters {
    const In* at;
    index from_made, from_read, from_tap;  ///< elements from one to the next
    int made_in_group;
    index from_group;
    int taps_h, taps_w, dilation_h, dilation_w;
    bool rotated;
};

template <class Source>
struct fft_lines_arguments {
    Source from;
    fft_block block;
    float* out;
};

/// What a line of a source gives, pixel by pixel.
template <int Run, class In>
class fft_image_line {
public:
    FADE_FN fft_image_line(const fft_images<In>& from, const fft_block& block, index tile, int line,
                           int channel)
        : pixel_(block.channels), left_(block.channels - channel), whole_(from.whole) {
        const image_tiles& t = from.tiles;
        const image_tiles::place at = t.at(tile);
        const int h = t.start_h + at.row * t.step_h + line, w = t.start_w + at.column * t.step_w;
        first_ = w < 0 ? -w : 0, end_ = min_of(from.read_w, t.image_w - w);
        if (line >= from.read_h || h < 0 || h >= t.image_h) end_ = 0;
        at_ = from.at + channel;
        first_pixel_ = (at.image * t.image_h + h) * t.image_w + w;
    }
    FADE_FN channel_values<Run> next(int j) const {
        channel_values<Run> out{};
        if (j < first_ || j >= end_) return out;
        const In* const from = at_ + (first_pixel_ + j) * pixel_;
        if (whole_) {
            const auto run = *reinterpret_cast<const vec<In, Run>*>(from);
            unrolled<Run>([&](int e) FADE_LAMBDA { out.of[e] = convert<float>(run[e]); });
        } else {
            unrolled<Run>([&](int e) FADE_LAMBDA { out.of[e] = e < left_ ? convert<float>(from[e]) : 0.0f; });
        }
        return out;
    }

private:
    index pixel_, first_pixel_;
    const In* at_;
    int first_, end_, left_;
    bool whole_;
};

template <int Run, class In>
class fft_filter_line {
public:
    FADE_FN fft_filter_line(const fft_filters<In>& from, const fft_block& block, index made, int line,
                            int channel)
        : step_(from.rotated ? -from.from_tap : from.from_tap), from_read_(from.from_read),
          taps_(from.taps_w), apart_(from.dilation_w) {
        const index group = made / from.made_in_group, in_group = made - group * from.made_in_group;
        const int tap = line / from.dilation_h;
        const bool has_taps = tap * from.dilation_h == line && tap < from.taps_h;
        left_ = has_taps ? block.channels - channel : 0;
        const int h = from.rotated ? from.taps_h - 1 - tap : tap, w = from.rotated ? from.taps_w - 1 : 0;
        // A line without taps reads those of the first one, and drops them: lanes need no branch each.
        at_ = from.at + w * from.from_tap;
        if (has_taps)
            at_ += group * from.from_group + in_group * from.from_made + channel * from.from_read +
                   index(h) * from.taps_w * from.from_tap;
    }
    FADE_FN channel_values<Run> next(int) {
        channel_values<Run> out{};
        if (--until_tap_ > 0 || taps_ == 0) return out;  // the same for all lanes
        unrolled<Run>([&](int e) FADE_LAMBDA {
            const bool there = e < left_;
            const float tap = convert<float>(at_[there ? e * from_read_ : 0]);
            out.of[e] = there ? tap : 0.0f;
        });
        until_tap_ = apart_, at_ += step_, --taps_;
        return out;
    }

private:
    index step_, from_read_;
    const In* at_;
    int taps_, apart_, left_, until_tap_ = 1;
};

template <int Run, class In>
FADE_FN auto fft_line_of(const fft_images<In>& from, const fft_block& block, index tile, int line,
                         int channel) {
    return fft_image_line<Run, In>(from, block, tile, line, channel);
}
template <int Run, class In>
FADE_FN auto fft_line_of(const fft_filters<In>& from, const fft_block& block, index made, int line,
                         int channel) {
    return fft_filter_line<Run, In>(from, block, made, line, channel);
}

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
    image_tiles tiles;
    index first_row, rows;
    float scale;

    struct place {
        index from, row, column;  ///< in `lines`, and in D
    };
    FADE_FN index places() const { return rows; }
    FADE_FN place of(index at) const {
        const index line = at / tiles.output_w, image = line / tiles.output_h;
        const int w = int(at - line * tiles.output_w), h = int(line - image * tiles.output_h),
                  tile_h = h / tiles.step_h, tile_w = w / tiles.step_w;
        const index tile = (image * tiles.tiles_h + tile_h) * tiles.tiles_w + tile_w;
        return {block.line_at(tile, h - tile_h * tiles.step_h, 0) +
                    index(w - tile_w * tiles.step_w) * block.in_whole,
                first_row + at, 0};
    }
};

/// The same of the filter's gradient: rows of D are filters, columns the channels of taps.
template <class In, class Out, class Epilogue>
struct fft_taps_arguments : gemm_arguments<In, Out, Epilogue> {
    const float* lines;
    fft_block block;
    int taps_h, taps_w, dilation_h, dilation_w;
    float scale;

    struct place {
        index from, row, column;
    };
    FADE_FN index places() const { return block.count * taps_h * taps_w; }
    FADE_FN place of(index at) const {
        const index line = at / taps_w, filter = line / taps_h;
        const int w = int(at - line * taps_w), h = int(line - filter * taps_h);
        return {block.line_at(filter, h * dilation_h, 0) + index(w) * dilation_w * block.in_whole, filter,
                (index(h) * taps_w + w) * block.channels};
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

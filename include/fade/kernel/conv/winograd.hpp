// Convolutions by Winograd's minimal filtering: tiles of images and filters are transformed, multiplied as
// matrices of channels, one product for each of the (M + 2)^2 elements of a tile, and transformed back.
#pragma once
#include <fade/block/schedule/run.hpp>
#include <fade/core/workgroup.hpp>
#include <fade/kernel/conv/arguments.hpp>
#include <fade/kernel/conv/image_tiles.hpp>
#include <fade/kernel/conv/winograd_transforms.hpp>
#include <fade/kernel/gemm/store.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::kernel {

/// Tiles, or filters, with a run of channels each, that a workgroup transforms.
inline constexpr int winograd_items = 256;

/// Transformed pixels are [element of a tile][tile][channel].
template <class In>
struct winograd_pixels_arguments {
    const In* images;
    float* out;
    image_tiles tiles;
    index count;  ///< tiles of all images
    int channels;
};

/// Transformed taps are [element of a tile][made channel][read channel of the group]. Backward data makes the
/// channels of x and reads those of dy, through filters that are rotated by half a circle.
template <class In>
struct winograd_taps_arguments {
    const In* filters;  ///< [filter][tap][channel of the group]
    float* out;
    int made, read;              ///< channels: of all groups, and of one
    index from_made, from_read;  ///< elements from one to the next, in the filter
    int made_in_group;
    index from_group;
    int channels;  ///< elements from tap to tap
    bool rotated;
};

/// Products are [element of a tile][tile][channel]; D are images, of which these begin at row `first_row`.
template <class In, class Out, class Epilogue>
struct winograd_output_arguments : gemm_arguments<In, Out, Epilogue> {
    const float* products;
    image_tiles tiles;
    index count;
    index first_row;
};

/// Sums over tiles are [element of a tile][filter][channel of the group]; rows of D are filters, and columns
/// the channels of taps.
template <class In, class Out, class Epilogue>
struct winograd_sums_arguments : gemm_arguments<In, Out, Epilogue> {
    const float* sums;
    index count;  ///< filters
    int channels;
};

/// `Gradients`: the M x M pixels that a tile makes, else those that it sees.
template <int M, int Run, bool Gradients, class Args>
FADE_FN void transform_pixel_tile(const Args& args, index item) {
    using in = std::remove_cvref_t<decltype(*args.images)>;
    using values = channel_values<Run>;
    constexpr int edge = winograd_edge<M>;
    const int runs = args.channels / Run;
    const index tile = item / runs;
    const int channel = int(item - tile * runs) * Run;
    const image_tiles& t = args.tiles;
    const image_tiles::place at = t.at(tile);
    constexpr int read = Gradients ? M : edge;
    values pixels[read][read], out[edge][edge];
    unrolled<read>([&](int i) FADE_LAMBDA {
        const int h = t.start_h + at.row * M + i;
        unrolled<read>([&](int j) FADE_LAMBDA {
            const int w = t.start_w + at.column * M + j;
            vec<in, Run> stored{};
            if (h >= 0 && h < t.image_h && w >= 0 && w < t.image_w)
                stored = *reinterpret_cast<const vec<in, Run>*>(
                    args.images + ((at.image * t.image_h + h) * t.image_w + w) * args.channels + channel);
            unrolled<Run>([&](int e) FADE_LAMBDA { pixels[i][j].of[e] = convert<float>(stored[e]); });
        });
    });
    if constexpr (Gradients)
        transform_gradients<M>(pixels, out);
    else
        transform_pixels<M>(pixels, out);
    unrolled<edge>([&](int i) FADE_LAMBDA {
        unrolled<edge>([&](int j) FADE_LAMBDA {
            *reinterpret_cast<vec<float, Run>*>(
                args.out + ((i * edge + j) * args.count + tile) * args.channels + channel) = out[i][j].of;
        });
    });
}

/// An item is a filter of one read channel.
template <int M, class Args>
FADE_FN void transform_one_filter(const Args& args, index item) {
    using values = channel_values<1>;
    constexpr int edge = winograd_edge<M>;
    const int made = int(item / args.read), read = int(item - index(made) * args.read),
              group = made / args.made_in_group, in_group = made - group * args.made_in_group;
    const auto* filter =
        args.filters + group * args.from_group + in_group * args.from_made + read * args.from_read;
    values taps[3][3], out[edge][edge];
    unrolled<3>([&](int i) FADE_LAMBDA {
        unrolled<3>([&](int j) FADE_LAMBDA {
            const int tap = i * 3 + j;
            taps[i][j].of[0] = convert<float>(filter[(args.rotated ? 8 - tap : tap) * args.channels]);
        });
    });
    transform_taps<M>(taps, out);
    unrolled<edge>([&](int i) FADE_LAMBDA {
        unrolled<edge>([&](int j) FADE_LAMBDA {
            args.out[(index(i * edge + j) * args.made + made) * args.read + read] = out[i][j].of[0];
        });
    });
}

/// The sums of a tile through the epilogue to D: those pixels that exist.
template <int M, int Run, class Block, class Args>
FADE_FN void finish_tile(const Args& args, index item) {
    using values = channel_values<Run>;
    constexpr int edge = winograd_edge<M>;
    const index runs = args.n / Run, tile = item / runs, channel = (item - tile * runs) * Run;
    const image_tiles::place at = args.tiles.at(tile);
    const float* const from = args.products + tile * args.n + channel;
    values products[edge][edge], out[M][M];
    unrolled<edge>([&](int i) FADE_LAMBDA {
        const Args& now = Block::reload_arguments(args);  // distances of one row at a time
        const index apart = now.count * now.n;
        unrolled<edge>([&](int j) FADE_LAMBDA {
            products[i][j].of = *reinterpret_cast<const vec<float, Run>*>(from + (i * edge + j) * apart);
        });
    });
    transform_products<M>(products, out);
    unrolled<M>([&](int i) FADE_LAMBDA {
        const Args& later = Block::reload_arguments(args);  // products leave no scalars for it
        const image_tiles& size = later.tiles;
        const int h = at.row * M + i;
        unrolled<M>([&](int j) FADE_LAMBDA {
            const int w = at.column * M + j;
            if (h >= size.output_h || w >= size.output_w) return;
            const index row = later.first_row + (at.image * size.output_h + h) * size.output_w + w;
            unrolled<Run>([&](int e) FADE_LAMBDA {
                later.d[row * later.ldd + channel + e] =
                    finished(later, out[i][j].of[e], {row, channel + e, 0, true});
            });
        });
    });
}

/// The sums of a filter and a channel through the epilogue to D.
template <int M, int Run, class Block, class Args>
FADE_FN void finish_filter(const Args& args, index item) {
    using values = channel_values<Run>;
    constexpr int edge = winograd_edge<M>;
    const index runs = args.channels / Run, filter = item / runs, channel = (item - filter * runs) * Run;
    const float* const from = args.sums + filter * args.channels + channel;
    values sums[edge][edge], taps[3][3];
    unrolled<edge>([&](int i) FADE_LAMBDA {
        const Args& now = Block::reload_arguments(args);  // distances of one row at a time
        const index apart = now.count * now.channels;
        unrolled<edge>([&](int j) FADE_LAMBDA {
            sums[i][j].of = *reinterpret_cast<const vec<float, Run>*>(from + (i * edge + j) * apart);
        });
    });
    transform_sums<M>(sums, taps);
    unrolled<9>([&](int tap) FADE_LAMBDA {
        const Args& later = Block::reload_arguments(args);
        unrolled<Run>([&](int e) FADE_LAMBDA {
            const index column = index(tap) * later.channels + channel + e;
            later.d[filter * later.ldd + column] =
                finished(later, taps[tap / 3][tap % 3].of[e], {filter, column, 0, true});
        });
    });
}

/// Calls f(item) for a workgroup's share of `count` items.
template <class Block, class F>
FADE_FN void each_winograd_item(Block& block, index count, F f) {
    for (const block::run_work& work : block::run_schedule(block, count, winograd_items))
        block::each_of(block, work.items(), f);
}

template <int M, int Run, bool Gradients>
struct winograd_pixels_leaf {
    template <int, class Block, class Args>
    FADE_FN static void apply(Block* block, const Args* args) {
        each_winograd_item(*block, args->count * (args->channels / Run), [&](index item) FADE_LAMBDA {
            transform_pixel_tile<M, Run, Gradients>(*args, item);
        });
    }
};

template <int M, int Run>
struct winograd_sums_leaf {
    template <int, class Block, class Args>
    FADE_FN static void apply(Block* block, const Args* args) {
        each_winograd_item(*block, args->count * (args->channels / Run),
                           [&](index item) FADE_LAMBDA { finish_filter<M, Run, Block>(*args, item); });
    }
};

template <int M>
struct winograd_taps_leaf {
    template <int, class Block, class Args>
    FADE_FN static void apply(Block* block, const Args* args) {
        each_winograd_item(*block, index(args->made) * args->read,
                           [&](index item) FADE_LAMBDA { transform_one_filter<M>(*args, item); });
    }
};

template <int M, int Run>
struct winograd_output_leaf {
    template <int, class Block, class Args>
    FADE_FN static void apply(Block* block, const Args* args) {
        each_winograd_item(*block, args->count * (args->n / Run),
                           [&](index item) FADE_LAMBDA { finish_tile<M, Run, Block>(*args, item); });
    }
};

}  // namespace FADE_NAMESPACE::kernel

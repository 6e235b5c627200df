// Depthwise convolution without a product of matrices: an item sums the taps of some pixels for a run of
// channels, and no two items write the same element.
#pragma once
#include <cstdint>
#include <fade/atom/cpu/isa.hpp>
#include <fade/block/schedule/run.hpp>
#include <fade/block/schedule/split.hpp>
#include <fade/block/source/channel_run.hpp>
#include <fade/core/unrolled.hpp>
#include <fade/kernel/conv/direct_arguments.hpp>
#include <fade/kernel/gemm/finish.hpp>
#include <utility>

namespace FADE_NAMESPACE::kernel {

/// Pixels of an image's grid and the windows that they see: y from x, or the gradient of x from that of y.
template <conv_pass Pass, int Run, class Block, class Args>
class direct_windows {
    static constexpr bool forward = Pass == conv_pass::forward;
    using in = std::remove_cvref_t<decltype(*std::declval<Args>().a)>;
    using out = std::remove_cvref_t<decltype(*std::declval<Args>().d)>;
    using acc = accumulator_t<in>;
    using memory = typename Block::buffer;

public:
    FADE_FN direct_windows(const Block& block, const Args& args, int image, const block::window_view& view,
                           const direct_grid& grid)
        : args_(args), view_(view), grid_(grid), image_(image), plain_(stores_sums(args)),
          from_order_({view.d.image, view.h.image, view.w.image},
                      forward ? args.sizes.x_pixel() : args.sizes.y_pixel(), args.channels_first),
          to_size_(forward ? output_size_of(args.sizes) : input_size_of(args.sizes)),
          to_order_(to_size_, args.n, args.channels_first),
          from_(memory_of(block, args.a + image * from_order_.elements, from_order_.elements)),
          filter_(memory_of(block, args.b, args.sizes.y_pixel() * args.sizes.taps())),
          to_(memory_of(block, args.d + image * to_order_.elements, to_order_.elements)) {}

    FADE_FN void make(int number) const {
        const direct_grid::item item = grid_.of(number);
        const int channel = item.channel_run * Run, d = item.line / view_.h.grid,
                  h = item.line - d * view_.h.grid, filters = args_.sizes.filters;
        vec<acc, Run> sums[direct_pixels]{};
        // A channel of y sees one of x; one of x is seen by all filters of its group.
        const int terms = forward ? 1 : filters;
        FADE_ROLLED
        for (int term = 0; term < terms; ++term) {
            const int from = forward ? channel / filters : channel * terms + term,
                      filter = forward ? channel : from;
            add_taps(sums, {d, h, item.run}, from, filter);
        }
        unrolled<direct_pixels>([&](int j) FADE_LAMBDA {
            const int w = item.run + j * grid_.runs;
            if (w < view_.w.grid) store(sums[j], {d, h, w}, channel);
        });
    }

private:
    template <class T>
    FADE_FN static memory memory_of(const Block& block, T* first, index elements) {
        return block.global(first, first, first + elements);
    }
    /// The taps that meet the image, of the pixels from `first` on.
    FADE_FN void add_taps(vec<acc, Run>* sums, const spatial& first, int channel, int filter) const {
        FADE_ROLLED
        for (int td = 0; td < view_.d.taps; ++td) {
            const int d = view_.d.coordinate(first.d, td);
            if (!view_.d.holds(d)) continue;
            FADE_ROLLED
            for (int th = 0; th < view_.h.taps; ++th) {
                const int h = view_.h.coordinate(first.h, th);
                if (!view_.h.holds(h)) continue;
                add_line(sums, first.w, from_order_.at((d * view_.h.image + h) * view_.w.image, channel),
                         filter * args_.filter_row + tap(td, th) * args_.filter_tap);
            }
        }
    }
    FADE_FN void add_line(vec<acc, Run>* sums, int first, int line, index filter) const {
        FADE_ROLLED
        for (int t = 0; t < view_.w.taps; ++t) {
            const index tap = view_.w.filter_first + t * view_.w.filter_stride;
            const auto factors =
                block::load_channels<in, Run>(filter_, true, std::uint32_t(filter + tap * args_.filter_tap));
            unrolled<direct_pixels>([&](int j) FADE_LAMBDA {
                const int at = view_.w.coordinate(first + j * grid_.runs, t);
                const bool there = view_.w.holds(at);
                if (block::one_lane<Block> && !there) return;
                block::add_products(
                    sums[j], factors,
                    block::load_channels<in, Run>(from_, there, from_order_.beside(line, at)));
            });
        }
    }
    /// The first tap of a line of taps.
    FADE_FN index tap(int d, int h) const {
        const auto place = [](const block::axis& a, int i)
                               FADE_LAMBDA { return a.filter_first + i * a.filter_stride; };
        return (index(place(view_.d, d)) * args_.sizes.h.filter + place(view_.h, h)) * args_.sizes.w.filter;
    }

    FADE_FN void store(const vec<acc, Run>& sums, const spatial& place, int channel) const {
        const auto on = [](const block::axis& a, int i)
                            FADE_LAMBDA { return a.out_first + i * a.out_stride; };
        const int pixel =
            (on(view_.d, place.d) * to_size_.h + on(view_.h, place.h)) * to_size_.w + on(view_.w, place.w);
        const int first = to_order_.at(pixel, channel);
        const index row = image_ * index(to_size_.volume()) + pixel;
        if constexpr (block::one_lane<Block>)
            if (plain_ || !args_.channels_first) return store_whole(sums, first, {row, channel, 0, true});
        block::store_channels<out>(to_, first, sums, [&](int e, acc sum) FADE_LAMBDA {
            return finished_at(sum, image_ * to_order_.elements + first + e, {row, channel + e, 0, true});
        });
    }
    /// A run at once, which a CPU does: stages take vectors.
    FADE_FN void store_whole(const vec<acc, Run>& sums, int first, const epilogue::position& at) const {
        using value = typename Args::value;
        if (plain_) return block::store_run<out>(to_, first, sums);
        const index element = image_ * to_order_.elements + first;
        vec<value, max_of(Run, 64 / int(sizeof(value)))> values{};
        for (int e = 0; e < Run; ++e) values[e] = args_.alpha * value(sums[e]);
        if (args_.beta != value(0))
            for (int e = 0; e < Run; ++e) values[e] += args_.beta * convert<value>(args_.c[element + e]);
        epilogue::apply_to_row(args_.epilogue, values.e, Run, at);
        block::store_channels<out>(to_, first, sums, [&](int e, acc) { return convert<out>(values[e]); });
    }
    FADE_FN static bool stores_sums(const Args& args) {
        using value = typename Args::value;
        if constexpr (block::one_lane<Block>)
            return args.alpha == value(1) && args.beta == value(0) && changes_nothing(args.epilogue);
        else
            return false;
    }
    /// As kernel::finished, of a C that lies as D does.
    FADE_FN out finished_at(acc sum, index element, const epilogue::position& at) const {
        using value = typename Args::value;
        value v = args_.alpha * value(sum);
        if (args_.beta != value(0)) v += args_.beta * convert<value>(args_.c[element]);
        return convert<out>(args_.epilogue(v, at));
    }

    const Args& args_;
    const block::window_view& view_;
    const direct_grid& grid_;
    index image_;
    bool plain_;
    image_order from_order_;
    spatial to_size_;
    image_order to_order_;
    memory from_, filter_, to_;
};

/// Workgroups share the pixels of an image; layers are the parts of x's pixels that see different taps.
template <conv_pass Pass, int Run, class Block, class Args>
FADE_FN void direct_windows_body(Block& block, const Args& args) {
    const conv_sizes& s = args.sizes;
    for (const block::split_line_work& work : block::split_line_schedule(block, args.shares)) {
        const block::window_view view =
            Pass == conv_pass::forward ? forward_view(s) : backward_view(s, work.layer);
        const direct_grid grid(view, int(args.n) / Run, args.channels_first);
        const auto items = block::part_of<index>(0, grid.count(), direct_items, work.part);
        const direct_windows<Pass, Run, Block, Args> windows(block, args, work.tile, view, grid);
        block::each_of(block, block::item_range{int(items.begin), int(items.end)},
                       [&](int item) FADE_LAMBDA { windows.make(item); });
    }
}

/// The sums of one tap for a run of filters, over segments of y's lines.
template <int Run, class Block, class Args>
class direct_weights {
    using in = std::remove_cvref_t<decltype(*std::declval<Args>().a)>;
    using acc = accumulator_t<in>;

public:
    /// The part of y's segments that has this number.
    FADE_FN direct_weights(Block& block, const Args& args, int part)
        : block_(block), args_(args), part_(part),
          y_order_(output_size_of(args.sizes), args.sizes.y_pixel(), args.channels_first),
          x_order_(input_size_of(args.sizes), args.sizes.x_pixel(), args.channels_first) {}

    FADE_FN void make(int number) const {
        const int taps = args_.sizes.taps(), runs = int(args_.m) / Run;
        const int tap = args_.channels_first ? number % taps : number / runs,
                  filter = (args_.channels_first ? number / taps : number % runs) * Run;
        vec<acc, Run> sums{};
        const conv_sizes& s = args_.sizes;
        const int in_line = ceil_div(s.w.output, direct_segment),
                  all = s.batch * s.d.output * s.h.output * in_line;
        const auto segments = block::part_of<index>(0, all, args_.segments, part_);
        FADE_ROLLED
        for (index i = segments.begin; i < segments.end; ++i) {
            const int segment = int(i), line = segment / in_line;
            add_segment(sums, line, (segment - line * in_line) * direct_segment, tap, filter);
        }
        store(sums, filter, tap);
    }

private:
    FADE_FN void add_segment(vec<acc, Run>& sums, int line, int first, int tap, int filter) const {
        // Sizes are loaded anew, since registers would else keep all of them.
        const conv_sizes& s = Block::reload_arguments(args_).sizes;
        const block::window_view view = forward_view(s);
        const int plane = line / view.h.grid, y_h = line - plane * view.h.grid, image = plane / view.d.grid,
                  y_d = plane - image * view.d.grid;
        const int t_w = tap % s.w.filter, t_h = tap / s.w.filter % s.h.filter,
                  t_d = tap / s.w.filter / s.h.filter;
        const int d = view.d.coordinate(y_d, t_d), h = view.h.coordinate(y_h, t_h);
        const bool meets = view.d.holds(d) && view.h.holds(h);
        const in *dy = args_.a + image * y_order_.elements, *x = args_.b + image * x_order_.elements;
        const auto y_memory = block_.global(dy, dy, dy + y_order_.elements),
                   x_memory = block_.global(x, x, x + x_order_.elements);
        const int y_line = y_order_.at((y_d * view.h.grid + y_h) * view.w.grid, filter),
                  x_line = meets ? x_order_.at((d * view.h.image + h) * view.w.image, filter / s.filters) : 0,
                  end = min_of(first + direct_segment, view.w.grid);
        const auto add = [&](int w, int at, bool there) FADE_LAMBDA {
            block::add_products(sums,
                                block::load_channels<in, Run>(y_memory, there, y_order_.beside(y_line, w)),
                                block::load_channels<in, Run>(x_memory, there, x_order_.beside(x_line, at)));
        };
        if constexpr (block::one_lane<Block>) {
            const block::place_range inside = view.w.places_inside(t_w, first, end);
            for (int w = inside.first; meets && w < inside.end; ++w) add(w, view.w.coordinate(w, t_w), true);
        } else {
            FADE_ROLLED
            for (int w = first; w < end; w += direct_pixels)
                unrolled<direct_pixels>([&](int j) FADE_LAMBDA {
                    const int at = view.w.coordinate(w + j, t_w);
                    add(w + j, at, meets && w + j < end && view.w.holds(at));
                });
        }
    }
    FADE_FN void store(const vec<acc, Run>& sums, int filter, int tap) const {
        unrolled<Run>([&](int e) FADE_LAMBDA {
            const index at = (filter + e) * args_.n + tap;
            if (args_.splits > 1)
                args_.partial[part_ * args_.m * args_.n + at] = sums[e];
            else
                args_.d[at] = finished(args_, sums[e], {filter + e, tap, 0, true});
        });
    }

    Block& block_;
    const Args& args_;
    int part_;
    image_order y_order_, x_order_;
};

/// Lines of the grid are the workgroups that share the pixels of y.
template <int Run, class Block, class Args>
FADE_FN void direct_weights_body(Block& block, const Args& args) {
    for (const block::run_work& work : block::run_schedule(block, args.m / Run * args.n, direct_items)) {
        const direct_weights<Run, Block, Args> weights(block, args, work.line);
        block::each_of(block, block::item_range{int(work.first), int(work.end)},
                       [&](int item) FADE_LAMBDA { weights.make(item); });
    }
}

template <conv_pass Pass, int Run>
struct direct_leaf {
    template <int, class Block, class Args>
    FADE_FN static void apply(Block* block, const Args* args) {
        if constexpr (Pass == conv_pass::backward_weights)
            direct_weights_body<Run>(*block, *args);
        else
            direct_windows_body<Pass, Run>(*block, *args);
    }
};

}  // namespace FADE_NAMESPACE::kernel

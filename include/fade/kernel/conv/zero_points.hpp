// Zero points of quantised images and filters: what sums of products owe to them, found before the product
// and taken from its sums while they are whole numbers. With x - x_zero and w - w_zero in the place of x and
// w, and nothing beyond the image, a sum over the taps inside is
//   sum of x w - x_zero sum of (w - w_zero) - w_zero sum of x,
// whose second term is the same for all rows that see the same taps, and whose third has a factor a row.
#pragma once
#include <cstdint>
#include <fade/core/number/wrap.hpp>
#include <fade/epilogue/chain.hpp>
#include <fade/kernel/conv/columns.hpp>

namespace FADE_NAMESPACE {

namespace kernel {

/// The places of an axis by what taps they see. Those from `first` to before `behind` see all, and are one
/// class; each other is a class of its own.
struct tap_classes {
    int first = 0, behind = 0, count = 1;

    FADE_FN constexpr int of(int place) const {
        return place < first ? place : place < behind ? first : place - alike();
    }
    /// The first place of a class.
    FADE_FN constexpr int place_of(int number) const { return number <= first ? number : number + alike(); }
    /// Places whose class another one begins.
    FADE_FN constexpr int alike() const { return max_of(behind - first - 1, 0); }
};

constexpr tap_classes classes_of(const block::axis& a) {
    const auto whole = [&](int place) {
        return place < a.grid && a.holds(a.coordinate(place, 0)) && a.holds(a.coordinate(place, a.taps - 1));
    };
    tap_classes out;
    while (out.first < a.grid && !whole(out.first)) ++out.first;
    out.behind = out.first;
    while (whole(out.behind)) ++out.behind;
    out.count = a.grid - out.alike();
    return out;
}

/// The classes of the places of a grid, w fastest.
struct window_classes {
    tap_classes d, h, w;
    FADE_FN constexpr index count() const { return index(d.count) * h.count * w.count; }
    FADE_FN constexpr index of(const spatial& at) const {
        return (index(d.of(at.d)) * h.count + h.of(at.h)) * w.count + w.of(at.w);
    }
    FADE_FN constexpr spatial place_of(index number) const {
        const index line = number / w.count;
        return {d.place_of(int(line / h.count)), h.place_of(int(line % h.count)),
                w.place_of(int(number - line * w.count))};
    }
};

/// Takes from a sum what it owes to zero points; as a stage it leaves values as they are. Unused it takes
/// nothing.
struct zero_points_stage : epilogue::stage {
    static constexpr const char* name = "zero_points";
    static constexpr bool of_value_alone = true;  ///< beside corrected()
    static constexpr bool floating = false;
    bool used = false;
    const i32 *of_classes = nullptr, *of_windows = nullptr, *w_zero = nullptr;
    block::window_lookup places{};
    window_classes classes{};
    index filters = 0;  ///< of all groups
    divisor in_group{};
    int groups = 1;

    template <class Value>
    FADE_FN Value operator()(Value v, const epilogue::position&) const {
        return v;
    }
    FADE_FN i32 corrected(i32 sum, const epilogue::position& at) const {
        if (!used) return sum;
        const index row = at.inside ? at.row : 0, column = at.inside ? at.column : 0;
        const bool alike = classes.count() == 1;
        const index number = alike ? 0 : classes.of(places.of(std::uint32_t(row)).at);
        i32 out = wrapping_sum(sum, of_classes[number * filters + column]);
        if (w_zero) {
            const index group = in_group.quotient(std::uint32_t(column));
            out = wrapping_sum(out, wrapping_product(i32(0u - std::uint32_t(w_zero[column])),
                                                     of_windows[row * groups + group]));
        }
        return out;
    }
};

/// Items of the launches that find those terms, a workgroup: filters are few, and each waits for memory.
inline constexpr int zero_point_items = 128;

/// Sums over the channels of each group: [image][pixel][group]. Of filters taps are pixels.
struct channel_sums {
    const i8* from = nullptr;
    i32* to = nullptr;
    index pixels = 1, image = 0;  ///< of an image; elements from one to the next
    int groups = 1, channels = 0;
    pixel_steps steps{};
    index count = 0;

    FADE_FN void make(index item) const {
        const index at = item / groups, group = item - at * groups, number = at / pixels;
        const i8* first =
            from + number * image + (at - number * pixels) * steps.pixel + group * channels * steps.channel;
        std::uint32_t sum = 0;
        if (steps.channel == 1 && channels % 16 == 0 && reinterpret_cast<std::uintptr_t>(first) % 16 == 0)
            for (int c = 0; c < channels; c += 64) {
                // Of several runs at once; those behind the last are the first, and not added.
                vec<i8, 16> runs[4];
                unrolled<4>([&](int i) FADE_LAMBDA {
                    const int run = c + 16 * i;
                    runs[i] = *reinterpret_cast<const vec<i8, 16>*>(first + (run < channels ? run : 0));
                });
                unrolled<4>([&](int i) FADE_LAMBDA {
                    i32 own = 0;
                    unrolled<16>([&](int e) FADE_LAMBDA { own += runs[i][e]; });
                    sum += c + 16 * i < channels ? std::uint32_t(own) : 0u;
                });
            }
        else
            for (int c = 0; c < channels; ++c) sum += std::uint32_t(i32(first[c * steps.channel]));
        to[item] = i32(sum);
    }
};

/// The sums of filters, and those of images where filters have zero points.
struct channel_sums_arguments {
    channel_sums of_filters, of_images;
};

template <workgroup Block>
FADE_FN void sum_channels(Block& block, const channel_sums_arguments& args) {
    const index before = args.of_filters.count;
    for (const block::run_work& work :
         block::run_schedule(block, before + args.of_images.count, zero_point_items))
        block::each_of(block, work.items(), [&](index item) FADE_LAMBDA {
            if (item < before)
                args.of_filters.make(item);
            else
                args.of_images.make(item - before);
        });
}

/// What the second launch makes of them.
struct zero_terms_arguments {
    const i32 *of_taps, *of_pixels, *w_zero;  ///< [filter][tap]; [image][pixel][group]
    i32 *of_classes, *of_windows;             ///< [class][filter]; [row][group]
    i32 x_zero;
    block::window_view view;
    window_classes classes;
    index filters, rows;
    int groups;

    FADE_FN index terms() const { return classes.count() * filters; }
    FADE_FN index items() const { return terms() + (w_zero ? rows * groups : 0); }
};

/// Calls f(number of a tap, pixel) for the taps of a place that the image has.
template <class F>
FADE_FN void each_tap_inside(const block::window_view& v, const spatial& place, F f) {
    FADE_ROLLED
    for (int d = 0; d < v.d.taps; ++d) {
        const int at_d = v.d.coordinate(place.d, d);
        if (!v.d.holds(at_d)) continue;
        FADE_ROLLED
        for (int h = 0; h < v.h.taps; ++h) {
            const int at_h = v.h.coordinate(place.h, h);
            if (!v.h.holds(at_h)) continue;
            FADE_ROLLED
            for (int w = 0; w < v.w.taps; ++w) {
                const int at_w = v.w.coordinate(place.w, w);
                if (v.w.holds(at_w))
                    f((d * v.h.taps + h) * v.w.taps + w, (index(at_d) * v.h.image + at_h) * v.w.image + at_w);
            }
        }
    }
}

FADE_FN void make_zero_term(const zero_terms_arguments& a, index item) {
    const index number = item / a.filters, filter = item - number * a.filters;
    const i32* sums = a.of_taps + filter * a.view.taps().volume();
    const auto of_zeros = std::uint32_t(a.w_zero ? a.w_zero[filter] : 0) * std::uint32_t(a.view.channels);
    std::uint32_t sum = 0;
    each_tap_inside(a.view, a.classes.place_of(number),
                    [&](int tap, index) FADE_LAMBDA { sum += std::uint32_t(sums[tap]) - of_zeros; });
    a.of_classes[item] = i32(0u - sum * std::uint32_t(a.x_zero));
}

FADE_FN void make_window_sum(const zero_terms_arguments& a, index item) {
    const index row = item / a.groups, group = item - row * a.groups;
    const block::window_place p = block::window_rows(a.view).of(std::uint32_t(row));
    const i32* sums = a.of_pixels + index(p.image) * a.view.pixels_of_image() * a.groups + group;
    std::uint32_t sum = 0;
    each_tap_inside(a.view, p.at,
                    [&](int, index pixel) FADE_LAMBDA { sum += std::uint32_t(sums[pixel * a.groups]); });
    a.of_windows[item] = i32(sum);
}

template <workgroup Block>
FADE_FN void make_zero_terms(Block& block, const zero_terms_arguments& args) {
    for (const block::run_work& work : block::run_schedule(block, args.items(), zero_point_items))
        block::each_of(block, work.items(), [&](index item) FADE_LAMBDA {
            if (item < args.terms())
                make_zero_term(args, item);
            else
                make_window_sum(args, item - args.terms());
        });
}

}  // namespace kernel

namespace epilogue {

template <>
inline constexpr bool is_long<kernel::zero_points_stage> = true;

/// Reports name zero points where there are some.
template <class Then>
std::string name_of(const chain<kernel::zero_points_stage, Then>& c) {
    return (c.first.used ? "zero_points+" : "") + name_of(c.second);
}

}  // namespace epilogue

}  // namespace FADE_NAMESPACE

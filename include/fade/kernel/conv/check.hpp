// What a convolution refuses before anything is written.
#pragma once
#include <fade/core/number/bytes.hpp>
#include <fade/core/require.hpp>
#include <fade/core/shape.hpp>
#include <fade/kernel/conv/problem.hpp>

namespace FADE_NAMESPACE::kernel {

/// The sizes of one dimension, named as the fields of the problem are; `taps` is what has them.
inline void check_dimension(const char* dimension, int input, int filter, int stride, int dilation, int begin,
                            int end, const char* taps = "filter", int beyond = 0) {
    const auto field = [&](const char* name) { return std::string(name) + "." + dimension; };
    const auto positive = [&](const char* name, int value) {
        require(value >= 1, field(name).c_str(), value, "it must be at least 1");
    };
    positive("input", input), positive(taps, filter), positive("stride", stride);
    positive("dilation", dilation);
    require(begin >= 0, field("pad").c_str(), begin, "zeros before an image are counted from 0");
    const index room = index(input) + begin + end, reach = (index(filter) - 1) * dilation + 1;
    require(room < (index(1) << 31), field("pad").c_str(), begin, "a padded image must be shorter than 2^31");
    require(reach <= room + beyond, field(taps).c_str(), filter,
            "with its dilation it reaches over " + std::to_string(reach) +
                " pixels, and the padded image has " + std::to_string(room));
}

/// Sizes of a problem that can be; the zeros behind images made explicit.
inline conv_problem checked(conv_problem p) {
    constexpr index max = index(1) << 31;
    require(p.batch >= 0 && p.batch < max, "batch", p.batch, "it must be between 0 and 2^31 - 1");
    require(p.channels >= 0, "channels", p.channels, "it must be at least 0, where sums have no terms");
    require(p.filters >= 0, "filters", p.filters, "it must be at least 0");
    require(p.groups >= 1, "groups", p.groups, "it must be at least 1, which is no grouping");
    require(p.channels % p.groups == 0, "groups", p.groups,
            "it must divide channels, " + std::to_string(p.channels));
    require(p.filters % p.groups == 0, "groups", p.groups,
            "it must divide filters, " + std::to_string(p.filters));
    const auto whole = [](int& end, int begin) { end = end < 0 ? begin : end; };
    whole(p.pad_end.d, p.pad.d), whole(p.pad_end.h, p.pad.h), whole(p.pad_end.w, p.pad.w);
    check_dimension("d", p.input.d, p.filter.d, p.stride.d, p.dilation.d, p.pad.d, p.pad_end.d);
    check_dimension("h", p.input.h, p.filter.h, p.stride.h, p.dilation.h, p.pad.h, p.pad_end.h);
    check_dimension("w", p.input.w, p.filter.w, p.stride.w, p.dilation.w, p.pad.w, p.pad_end.w);
    const auto pixels = [&](const char* what, const spatial& s) {
        // Each size is below 2^31, so three of them times the batch are below 2^127.
        const wide_index image = wide_index(s.d) * s.h * s.w;
        require(image < max && image * p.batch < max, what, p.batch,
                "all images together must have fewer than 2^31 pixels");
    };
    pixels("batch", p.input), pixels("batch", p.output());
    const wide_index taps = wide_index(p.filter.d) * p.filter.h * p.filter.w;
    require(taps < max && taps * (p.channels / p.groups) < max, "channels", p.channels,
            "one filter must have fewer than 2^31 elements");
    return p;
}

/// A tensor as images of pixels and their channels; of a filter, filters of taps.
struct conv_shape {
    index images, pixels, channels;
    index elements() const { return images * pixels * channels; }
};
inline conv_shape input_shape(const conv_problem& p) { return {p.batch, p.input.volume(), p.channels}; }
inline conv_shape output_shape(const conv_problem& p) { return {p.batch, p.output().volume(), p.filters}; }
inline conv_shape filter_shape(const conv_problem& p) {
    return {p.filters, p.filter.volume(), p.channels / p.groups};
}

template <class T>
byte_range range_of(const T* p, index elements) {
    const auto* begin = reinterpret_cast<const char*>(p);
    return {begin, begin + elements * index(sizeof(T))};
}

/// One tensor of a convolution: its name in the operands, where it lies, its shape.
template <class T>
struct named_memory {
    const char* name;
    T* at;
    conv_shape shape;
    index elements() const { return shape.elements(); }
    byte_range range() const { return range_of(at, elements()); }
};

/// Pointers that exist where they are read or written, and a result that overlaps nothing that is read, but
/// may be C itself.
template <class In, class Out>
void check_operands(const named_memory<const In>& a, const named_memory<const In>& b, const Out* c,
                    double beta, const named_memory<Out>& d) {
    if (d.elements() == 0) return;
    if (!d.at) throw error(d.name, "null", "the result needs memory");
    for (const auto* read : {&a, &b})
        if (read->elements() > 0 && !read->at) throw error(read->name, "null", "it is read");
    if (beta != 0 && !c) throw error("c", "null", "with beta other than 0 it is read");
    for (const auto* read : {&a, &b})
        if (read->at && d.range().overlaps(read->range()))
            throw error(d.name, std::string("overlapping ") + read->name,
                        "the result may not lie in an operand");
    if (beta != 0 && c != d.at && d.range().overlaps(range_of(c, d.elements())))
        throw error(d.name, "overlapping c", "the result may be c itself, or lie elsewhere");
}

}  // namespace FADE_NAMESPACE::kernel

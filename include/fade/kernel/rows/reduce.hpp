// One value of each row: sum, mean, largest element and its place; and the k largest.
#pragma once
#include <fade/core/call/row_tensor.hpp>
#include <fade/core/number/ordered.hpp>

namespace FADE_NAMESPACE::kernel {

enum class reduction { sum, mean, max, argmax };

constexpr const char* name(reduction r) {
    constexpr const char* names[] = {"sum", "mean", "max", "argmax"};
    return names[int(r)];
}

/// out[row], and where the largest element stands. A NaN is larger than all numbers, and of equal elements
/// the first is taken.
template <class In, class Out, reduction Kind>
struct reduce_rows {
    row_tensor<const In> x;
    Out* out;
    int* places;

    static constexpr int operands = 1, element_bytes = sizeof(In), rows_of_wave = 4;
    /// One pass reads the row: f32 is 4 % slower by way of shared memory (H200, 1024 x 50257).
    static constexpr bool stages =
        (Kind == reduction::max || Kind == reduction::argmax) && element_bytes == 2;
    static constexpr bool finds_places = Kind == reduction::argmax;
    template <class F>
    void each_tensor(F f) const {
        f("x", x);
    }

    template <class Row>
    FADE_FN void operator()(Row& row) const {
        const auto in = row.read(x);
        if constexpr (Kind == reduction::sum || Kind == reduction::mean) {
            const float all = row.sum([](float element) FADE_LAMBDA { return element; }, in);
            row.put(out, convert<Out>(Kind == reduction::mean ? all / float(row.columns()) : all));
        } else {
            const placed_number max = row.largest(in);
            row.put(out, convert<Out>(max.number()));
            row.put(places, max.place);
        }
    }
};

/// The k largest elements of each row in falling order, and their places: [rows, k].
template <class In, class Out>
struct top_k_rows {
    row_tensor<const In> x;
    Out* values;
    int* places;
    int k;

    static constexpr int operands = 1, element_bytes = sizeof(In), rows_of_wave = 2;
    static constexpr bool selects = true, stages = true;
    template <class F>
    void each_tensor(F f) const {
        f("x", x);
    }

    template <class Row>
    FADE_FN void operator()(Row& row) const {
        const auto in = row.read(x);
        row.write_largest(k, values, places, in);
    }
};

}  // namespace FADE_NAMESPACE::kernel

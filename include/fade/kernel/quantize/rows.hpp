// Rows of numbers that a quantisation reads, and those that it writes.
#pragma once
#include <fade/atom/cpu/quantize.hpp>
#include <fade/block/ranges.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/number/quotient.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::kernel {

/// Calls done(the largest finite magnitude of the rows), in one lane; 0 where there is none. `row` is called
/// with (outer, inner) and says where a row lies. Wants lane_reduction_bytes of shared memory; all waves call
/// it.
template <class Block, class Row, class Done>
FADE_FN void with_largest_magnitude(Block& block, const block::shared_rows& rows, Row row, Done done) {
    if constexpr (block::one_lane<Block>) {
        float largest = 0;
        block::each_of(block, rows.first_columns(), [&](int outer, int inner, int) {
            atom::with_vectors<atom::raise_to_magnitudes>(&largest, row(outer, inner), rows.columns);
        });
        done(largest);
    } else {
        block::with_max(
            block, rows,
            [&](int outer, int inner, int e)
                FADE_LAMBDA { return finite_magnitude(convert<float>(row(outer, inner)[e])); },
            done);
    }
}

/// Writes the rows of x over a factor, rounded to nearest. `to` and `from` say where rows lie, as above.
template <class Block, class To, class From>
FADE_FN void divide_rows(Block& block, const block::shared_rows& rows, To to, From from, float factor) {
    using out_type = std::remove_cvref_t<decltype(*to(0, 0))>;
    if constexpr (block::one_lane<Block>)
        block::each_of(block, rows.first_columns(), [&](int outer, int inner, int) {
            atom::with_vectors<atom::divide_row>(to(outer, inner), from(outer, inner), factor, rows.columns);
        });
    else
        block::each_of(block, rows, [&](int outer, int inner, int e) FADE_LAMBDA {
            const float x = convert<float>(from(outer, inner)[e]);
            to(outer, inner)[e] = convert<out_type>(quotient(x, factor));
        });
}

}  // namespace FADE_NAMESPACE::kernel

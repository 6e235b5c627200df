#include "check.hpp"
#include "../inputs.hpp"
#include "reference.hpp"
#include <algorithm>
#include <cmath>
#include <mutex>

namespace fade::bench {
namespace {

constexpr double max_products = 3e9;

struct pixel_comparison {
    comparison found;
    double squares = 0;

    void add(const conv_tensor& t, const buffer& result, const reference_pixel& want) {
        std::vector<double> got(want.channels.size());
        const element& type = *result.shape().type;
        type.decode(result.data(), t.first(want.image, want.pixel), t.step(), index(got.size()), got.data());
        for (std::size_t c = 0; c < got.size(); ++c) found.add(got[c], in_range(want.channels[c], type));
        squares += want.squares;
    }
    void add(const pixel_comparison& other) { found.add(other.found), squares += other.squares; }
};

std::vector<index> rows_to_check(const conv_request& r) {
    const index rows = rows_of(r);
    const double a_row = operations_of(r) / 2 / double(std::max<index>(rows, 1)),
                 some = max_products / std::max(1.0, a_row);
    return some_of(rows, std::max<index>(1, index(std::min(double(rows), some))), r.seed);
}

}  // namespace

// One rounding of the result, and sums of products in the accumulator's type, in any order: those of normal
// numbers are off by less than the square root of their number. The transforms of F(4 x 4, 3 x 3) and of fft
// sum larger magnitudes: docs/conv.md.
double error_bound(const conv_request& r) {
    if (r.out->integer) return 0;
    const bool f64 = r.in->type == fade::dtype::f64;
    const double unit = f64 ? 0x1p-53 : 0x1p-24, max = f64 ? 1e-12 : 1e-5;
    const double sums = std::min((8 + 4 * std::sqrt(double(r.depth()))) * unit, max - 2 * unit);
    const bool large = r.algorithm == conv_algorithm::winograd_f4 || r.algorithm == conv_algorithm::fft;
    return r.out->unit + (large ? 8 : 1) * sums;
}

check_result check_output(const conv_request& r, const conv_data& data) {
    check_result out{.bound = error_bound(r), .rows = rows_of(r)};
    const conv_tensor tensor = tensors_of(r).back();
    pixel_comparison all;
    std::mutex adding;
    if (!data.result().shape().empty()) {
        const std::vector<index> rows = rows_to_check(r);
        out.rows_checked = index(rows.size());
        compute_reference(r, data, rows, [&](const reference_pixel& want) {
            pixel_comparison one;
            one.add(tensor, data.result(), want);
            const std::lock_guard lock(adding);
            all.add(one);
        });
    }
    // Where terms cancel, the error counts against a quarter of what their sums should be.
    const double norm = std::max(std::sqrt(all.found.norm), std::sqrt(all.squares) / 4);
    out.rel_err = all.found.relative(norm);
    if (norm > 0 && out.bound > 0) out.bound += r.out->min / 2 * std::sqrt(double(all.found.count)) / norm;
    out.max_abs_err = all.found.max, out.wrong_kind = all.found.wrong_kind;
    out.outside = data.result().bytes_changed_outside();
    return out;
}

}  // namespace fade::bench

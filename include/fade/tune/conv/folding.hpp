// Which convolutions of few channels read several taps a step, from copies in which taps are channels.
#pragma once
#include <fade/kernel/conv/folded.hpp>
#include <fade/tune/conv/algorithm.hpp>

namespace FADE_NAMESPACE::tune {

/// Which taps become channels.
enum class folding {
    none,
    lines,  ///< those along w
    planes  ///< those along h and w
};

/// What decides, beside the sizes.
struct folding_machine {
    int step_bytes;  ///< of a row that a step of the product reads
    int compute_units;
    bool by_boxes;  ///< would the copy unit bring the windows as they lie?
};

/// What a pass takes, in multiply-adds: of tiles, whose steps and columns may be empty in part; of copies, an
/// element of which takes as long as so many on the matrix unit; and of launches, in the time of each of
/// which a compute unit makes some millions.
class folding_costs {
public:
    folding_costs(const algorithm_request& r, const folding_machine& machine)
        : r_(r), machine_(machine), forward_(r.pass == conv_pass::forward) {}

    double of(folding f) const { return f == folding::none ? unfolded() : folded(shape(f)); }
    kernel::fold_shape shape(folding f) const {
        return kernel::fold_shape_of(r_.sizes, forward_, f == folding::planes, r_.in_bytes);
    }

private:
    static constexpr double copied = 256, copied_for_boxes = 768, of_four_bytes = 128, launch = 1 << 22;

    double unfolded() const {
        const kernel::conv_sizes& s = r_.sizes;
        const int seen = forward_ ? s.channels : s.filters;
        const bool whole = seen * index(r_.in_bytes) % 16 == 0;
        const auto of_axis = [&](const block::axis_sizes& a) { return forward_ ? a.input : a.output; };
        const double taps = double(s.taps()) / (forward_ ? 1 : s.residues()),
                     pixels = double(s.batch) * of_axis(s.d) * of_axis(s.h) * of_axis(s.w);
        return products(taps, seen) +
               (whole ? 0
                      : copies(pixels * s.groups * kernel::padded_column(seen, r_.in_bytes)) + launches(1));
    }
    double folded(const kernel::fold_shape& shape) const {
        const double taps = double(shape.taps_left()) / (forward_ ? 1 : r_.sizes.residues());
        return products(forward_ ? taps : max_of(taps, 1.0), shape.columns) +
               copies(double(shape.elements())) + launches(2);
    }
    /// Of so many taps a pixel, of so many channels each.
    double products(double taps, int channels) const {
        constexpr int least_columns = 64;
        const kernel::conv_sizes& s = r_.sizes;
        const auto pixels = [&](const block::axis_sizes& a) { return forward_ ? a.output : a.input; };
        const int depth = machine_.step_bytes / r_.in_bytes, columns = forward_ ? s.filters : s.channels;
        return double(s.batch) * pixels(s.d) * pixels(s.h) * pixels(s.w) * s.groups *
               ceil_div(columns, least_columns) * least_columns * taps * ceil_div(channels, depth) * depth;
    }
    double copies(double elements) const {
        return elements * (r_.in_bytes >= 4 ? of_four_bytes : machine_.by_boxes ? copied_for_boxes : copied);
    }
    double launches(int count) const { return count * launch * machine_.compute_units; }

    const algorithm_request& r_;
    folding_machine machine_;
    bool forward_;
};

/// Has a copy a size that automatic takes, and its filter?
inline bool fits_folded(const algorithm_request& r, const kernel::fold_shape& shape) {
    const bool forward = r.pass == conv_pass::forward;
    if (shape.columns == 0) return false;
    const kernel::conv_sizes left = kernel::sizes_folded(r.sizes, shape, forward, r.in_bytes);
    const auto fits = [&](wide_index elements) { return elements * r.in_bytes <= largest_mec_lines; };
    return fits(wide_index(shape.places()) * shape.columns) &&
           fits(wide_index(left.filters) * left.groups * shape.taps_left() * left.channels);
}

/// What takes least; none where others take a quarter less at most, and of an algorithm that was asked for
/// none that lets dy meet zeros which the filter has not.
inline folding folding_of(const algorithm_request& r, const folding_machine& machine) {
    const kernel::conv_sizes& s = r.sizes;
    if (r.gathers || r.pass == conv_pass::backward_weights || s.batch == 0 || s.channels == 0 ||
        s.filters == 0 || index(s.d.filter) + s.h.filter + s.w.filter > 31 ||
        !kernel::can_fold(s, r.pass == conv_pass::forward))
        return folding::none;
    const folding_costs costs(r, machine);
    double min = 0.75 * costs.of(folding::none);
    folding out = folding::none;
    for (const folding f : {folding::lines, folding::planes}) {
        if ((f == folding::lines ? s.w : s.h).filter == 1) continue;
        const kernel::fold_shape shape = costs.shape(f);
        if ((r.asked && shape.makes_zeros()) || !fits_folded(r, shape)) continue;
        if (const double cost = costs.of(f); cost < min) min = cost, out = f;
    }
    return out;
}

}  // namespace FADE_NAMESPACE::tune

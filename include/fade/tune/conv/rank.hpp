// The static model's opinion of the policies of a convolution, without the machine.
#pragma once
#include <fade/tune/conv/algorithm.hpp>
#include <fade/tune/conv/select.hpp>
#include <fade/tune/conv/tuned.hpp>
#include <fade/tune/gemm/rank.hpp>
#include <fade/tune/gemm/space.hpp>

namespace FADE_NAMESPACE::tune {

/// An algorithm with the policy and the parts of k of implicit_gemm.
using ranked_conv = ranked<tuned_conv>;

namespace detail {

/// What of a convolution the other algorithms are reckoned by.
struct conv_work_of_model {
    const algorithm_request& request;
    const gemm_problem& product;
    double product_cost;  ///< of the best tiles of implicit_gemm: multiplications of the busiest compute unit
    int compute_units;
};

/// Multiplications of the busiest compute unit that an algorithm beside implicit_gemm is expected to take the
/// time of: its products, and elements that are laid out, transformed or read, at 128 products each, as in
/// attention. An estimate: nobody read its code.
inline double estimated_cost(conv_algorithm algorithm, const conv_work_of_model& w) {
    using enum conv_algorithm;
    constexpr double moved = 128;
    const kernel::conv_sizes& s = w.request.sizes;
    const double units = w.compute_units, lanes = w.request.in_bytes == 2 ? 8 : 2;  // times slower than tiles
    const double y = double(kernel::output_size_of(s).volume()) * s.batch * s.groups * s.filters,
                 x = double(kernel::input_size_of(s).volume()) * s.batch * s.groups * s.channels,
                 windows = y / s.filters * double(s.filter_row());
    const auto moving = [&](double elements) { return moved * elements / units; };
    // Tiles of x and of sums in f32 are written and read; of a tile of out x out pixels each has so many.
    const auto transformed = [&](double out, double fewer) {
        const double larger = (out + 2) * (out + 2) / (out * out);
        return w.product_cost / fewer + moving(larger * 2 * (x + 2 * y));
    };
    switch (algorithm) {
    case direct:
        return std::max(y * s.channels * s.taps() * lanes / units, moving(x + y));
    case im2col:
        return w.product_cost + moving(2 * windows);
    case mec:
        return w.product_cost + moving(2 * double(kernel::mec_shape_of(s, w.request.in_bytes).elements()));
    case winograd_f2:
        return transformed(2, 2.25);
    case winograd_f4:
        return transformed(4, 4);
    default: {
        // Complex values in f32, which are written and read.
        const fft_sizes size = fft_sizes_of(w.request.pass, s);
        const double tiles = double(fft_tiles(w.request.pass, s.d, size.d)) *
                             double(fft_tiles(w.request.pass, s.h, size.h)) *
                             double(fft_tiles(w.request.pass, s.w, size.w)) * s.batch * s.groups;
        return fft_cost(w.request.pass, s, size) / units +
               moving(8 * tiles * size.complex_values() * (double(s.channels) + s.filters));
    }
    }
}

/// Those beside implicit_gemm, the selector's choice first.
template <class In>
std::vector<ranked_conv> other_algorithms(const conv_request& r, const gemm_problem& product,
                                          double product_cost, int compute_units) {
    using enum conv_algorithm;
    const algorithm_request asked{.pass = r.pass,
                                  .sizes = r.sizes,
                                  .in_bytes = int(sizeof(In)),
                                  .out_bytes = int(sizeof(In)),
                                  .floating = direct_element<In>};
    const algorithm_choice selected = select_algorithm(automatic, asked);
    std::vector<ranked_conv> out;
    for (const conv_algorithm other : {direct, mec, im2col, winograd_f2, winograd_f4, fft}) {
        if (!obstacle_of(other, asked).empty()) continue;
        const bool first = other == selected.algorithm, exact = !is_winograd(other) && other != fft;
        const std::string why = first    ? "; the selector takes it: " + selected.why
                                : !exact ? "; no row chooses it, since its sums are less exact"
                                         : "";
        out.insert(first ? out.begin() : out.end(),
                   {{.algorithm = other},
                    estimated_cost(other, {asked, product, product_cost, compute_units}),
                    std::string("estimate of products and elements moved by ") + name(other) +
                        ": nobody read or timed it" + why});
    }
    return out;
}

}  // namespace detail

/// The algorithms that a convolution can get on an AMD architecture, and the policies of implicit_gemm, the
/// one that the model thinks fastest first. The problem is checked, and its sizes are all above 0. Figures
/// are those of matrix multiplication with the same tiles, and where nobody read such tiles, and of the other
/// algorithms, estimates, as `evidence` says. Throws fade::error for a problem that kernels of GPUs cannot
/// address.
template <class Arch, class In>
std::vector<ranked_conv> rank_conv(conv_pass pass, const conv_problem& problem, int compute_units) {
    const conv_request request{pass, kernel::sizes_of(problem), nullptr, nullptr, int(sizeof(In))};
    constexpr gemm_row row = windows_row<Arch, In>();
    const bool weights = pass == conv_pass::backward_weights;
    const conv_choice chosen =
        weights ? select_weights<Arch, In>(request)
                : select_conv<Arch>(row, narrow_policy<Arch, In>(), request, compute_units);
    gemm_problem product = product_of(request);
    if (chosen.kernel.strided) product.batch *= request.sizes.residues();
    std::vector<ranked_conv> out;
    for (const size_class size : {chosen.size, size_class::large, size_class::small}) {
        conv_kernel kernel = chosen.kernel;
        const bool elements = kernel.access == kernel::channel_access::elements;
        if (size != chosen.size && (weights || elements || !reaches(request, row.of(size)))) continue;
        if (!weights && !elements) kernel.access = run_access(request, row.of(size));
        const gemm_policy policy = conv_policy<Arch, In>(size, kernel);
        const double known = detail::busy_share(Arch::traits.name, dtype_v<In>, kernel.layout(), policy),
                     busy = detail::busy_or_estimate(Arch::traits.name, dtype_v<In>, kernel.layout(), policy);
        for (const int parts : {1, kernel.strided ? 1 : splits_for(policy, product, 0, compute_units)}) {
            const tuned_conv choice{.policy = policy, .split_k = parts};
            if (detail::has(out, choice)) continue;
            const std::string evidence =
                gemm_evidence(Arch::traits.name, dtype_v<In>, product.layout, kernel.layout(), policy);
            out.push_back({choice, detail::modelled_cost(product, policy, parts, busy, compute_units),
                           known > 0
                               ? evidence + "; of a product of matrices, whose operands are no windows"
                               : "estimate of how often waves use an operand again: nobody read such tiles"});
        }
    }
    double best = detail::no_figure;
    for (const ranked_conv& r : out) best = std::min(best, r.relative);
    const auto others = detail::other_algorithms<In>(request, product, best, compute_units);
    out.insert(out.begin(), others.begin(), others.end());
    return detail::in_order(out);
}

}  // namespace FADE_NAMESPACE::tune

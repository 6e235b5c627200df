// The static model's opinion of the policies of a convolution, without the machine.
#pragma once
#include <fade/tune/conv/algorithm.hpp>
#include <fade/tune/conv/select.hpp>
#include <fade/tune/conv/tuned.hpp>
#include <fade/tune/gemm/rank.hpp>

namespace FADE_NAMESPACE::tune {

/// An algorithm with the policy and the parts of k of implicit_gemm.
using ranked_conv = ranked<tuned_conv>;

namespace detail {

/// Those beside implicit_gemm, the selector's choice first. None has a figure.
template <class In>
std::vector<ranked_conv> other_algorithms(const conv_request& r) {
    const algorithm_request asked{.pass = r.pass,
                                  .sizes = r.sizes,
                                  .in_bytes = int(sizeof(In)),
                                  .out_bytes = int(sizeof(In)),
                                  .floating = direct_element<In>};
    const algorithm_choice selected = select_algorithm(conv_algorithm::automatic, asked);
    std::vector<ranked_conv> out;
    for (const conv_algorithm other : {conv_algorithm::direct, conv_algorithm::mec, conv_algorithm::im2col}) {
        if (!obstacle_of(other, asked).empty()) continue;
        const bool first = other == selected.algorithm;
        const std::string why = first ? "; the selector takes it: " + selected.why : "";
        out.insert(first ? out.begin() : out.end(),
                   {{.algorithm = other},
                    no_figure,
                    std::string("none: the model has no figure of ") + name(other) + why});
    }
    return out;
}

}  // namespace detail

/// The algorithms that a convolution can get on an AMD architecture, and the policies of implicit_gemm, the
/// one that the model thinks fastest first. The problem is checked, and its sizes are all above 0. Figures
/// are those of matrix multiplication with the same tiles: nobody read a convolution's machine code, and
/// other algorithms have none. Throws fade::error for a problem that kernels of GPUs cannot address.
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
    std::vector<ranked_conv> out = detail::other_algorithms<In>(request);
    for (const size_class size : {chosen.size, size_class::large, size_class::small}) {
        conv_kernel kernel = chosen.kernel;
        const bool elements = kernel.access == kernel::channel_access::elements;
        if (size != chosen.size && (weights || elements || !reaches(request, row.of(size)))) continue;
        if (!weights && !elements) kernel.access = run_access(request, row.of(size));
        const gemm_policy policy = conv_policy<Arch, In>(size, kernel);
        const double busy = detail::busy_share(Arch::traits.name, dtype_v<In>, kernel.layout(), policy);
        for (const int parts : {1, kernel.strided ? 1 : splits_for(policy, product, 0, compute_units)}) {
            const tuned_conv choice{.policy = policy, .split_k = parts};
            if (detail::has(out, choice)) continue;
            const std::string evidence =
                gemm_evidence(Arch::traits.name, dtype_v<In>, product.layout, kernel.layout(), policy);
            out.push_back(
                {choice, detail::modelled_cost(product, policy, parts, busy, compute_units),
                 evidence + (busy > 0 ? "; of a product of matrices, whose operands are no windows" : "")});
        }
    }
    return detail::in_order(std::move(out));
}

}  // namespace FADE_NAMESPACE::tune

// May a convolution use what a database holds? Only kernels that the program has are run.
#pragma once
#include <fade/core/lists.hpp>
#include <fade/tune/conv/algorithm.hpp>
#include <fade/tune/conv/boxes.hpp>
#include <fade/tune/conv/select.hpp>
#include <fade/tune/conv/tuned.hpp>
#include <fade/tune/gemm/apply.hpp>
#include <string>
#include <vector>

namespace FADE_NAMESPACE::tune {

/// Why a row's algorithm cannot be run by a call that asked for another one, or is compiled without; empty
/// where it can.
inline std::string tuned_algorithm_obstacle(const tuned_conv& tuned, conv_algorithm asked, bool compiled,
                                            const algorithm_request& r) {
    using enum conv_algorithm;
    if (asked != automatic && asked != tuned.algorithm)
        return std::string("the call asked for ") + name(asked) + ", and the row is of " +
               name(tuned.algorithm);
    if (tuned.algorithm == automatic) return "automatic is no algorithm";
    if (is_transformed(tuned.algorithm) && asked == automatic)
        return std::string(is_winograd(tuned.algorithm) ? "Winograd's" : "fft's") +
               " sums are less exact, so it runs only where it is asked for";
    if (!compiled) return std::string("the call is compiled without ") + name(tuned.algorithm);
    if (tuned.algorithm == implicit_gemm) return "";
    if (tuned != tuned_conv{.algorithm = tuned.algorithm})
        return std::string(name(tuned.algorithm)) + " has no such policy";
    return obstacle_of(tuned.algorithm, r);
}

/// The kernel of a tuned row, or why there is none.
struct conv_fit {
    conv_kernel kernel;
    size_class size = size_class::small;
    std::string obstacle = "this program holds no kernel of its policy";  ///< empty where it can be used
    bool compiled = false;  ///< is the policy none of the program's?
};

/// A kernel of a policy in the place of the program's, which has its arguments and reads as it does.
template <class Arch, class In>
conv_fit fit_compiled_conv(const conv_request& r, const conv_choice& model, const gemm_policy& policy) {
    using enum kernel::channel_access;
    const bool weights = r.pass == conv_pass::backward_weights, by_boxes = model.kernel.access == boxes;
    conv_fit out{model.kernel, size_class::small, "", true};
    if (policy.pipeline == block::pipeline_kind::sliced_k || policy.schedule != gemm_schedule::tiles ||
        by_boxes != (policy.pipeline == block::pipeline_kind::tma_ring))
        out.obstacle = "its kernel does not read as this one does";
    else if (policy.block_tile.m < 1 || policy.block_tile.n < 1 || policy.block_tile.k < 1 ||
             policy.cluster < 1 || policy.cluster_k != 1 || policy.swizzle_rows < 1 || policy.xcd_chunk < 1)
        out.obstacle = "it is no policy of a kernel";
    else if (by_boxes && r.pass != conv_pass::forward &&
             policy.block_tile.n % (tile_source::box_columns * policy.cluster) != 0)
        out.obstacle = "workgroups of a cluster bring whole boxes of B for each other";
    else if (!by_boxes && !weights && !reaches(r, policy))
        out.obstacle = "the windows of its tiles lie more than 2 GiB apart";
    else if (!by_boxes && weights &&
             policy.block_tile != weights_policy<Arch, In>(model.kernel.access).block_tile)
        out.obstacle = "tables of pixels fit the program's tiles alone";
    if (!by_boxes && !weights && out.kernel.access != elements) out.kernel.access = run_access(r, policy);
    return out;
}

/// A GPU's program holds one kernel a size class. `model` is the model's choice: the row's kernel reads in
/// the same way. `compiles`: kernels are compiled that the program does not hold.
template <class Arch, class In>
conv_fit fit_conv(const conv_request& r, const conv_choice& model, const gemm_policy& policy,
                  bool compiles = false) {
    using enum kernel::channel_access;
    const bool weights = r.pass == conv_pass::backward_weights;
    if (model.kernel.access == boxes) {
        if constexpr (Arch::traits.tensor_maps)
            for (const size_class size : sizes_of_boxes)
                if (has_size<In>(size, model.kernel) && policy == boxes_policy<Arch, In>(size, model.kernel))
                    return {model.kernel, size, ""};
        return compiles ? fit_compiled_conv<Arch, In>(r, model, policy) : conv_fit{};
    }
    for (const size_class size : {size_class::small, size_class::large, size_class::narrow}) {
        conv_kernel kernel = model.kernel;
        if (kernel.access != elements && !weights)
            kernel.access = run_access(r, windows_row<Arch, In>().of(size));
        if (policy != conv_policy<Arch, In>(size, kernel)) continue;
        if (size == size_class::large && (kernel.access == elements || weights)) continue;
        if (size == size_class::narrow && (!narrow_reads(policy, kernel.access) || weights)) continue;
        if (!weights && !reaches(r, policy))
            return {kernel, size, "the windows of its tiles lie more than 2 GiB apart"};
        return {kernel, size, ""};
    }
    return compiles ? fit_compiled_conv<Arch, In>(r, model, policy) : conv_fit{};
}

/// The policies that fit_conv looks among: those of kernels that read as the model's choice does.
template <class Arch, class In>
std::vector<gemm_policy> policies_beside(const conv_request& r, const conv_choice& model) {
    using enum kernel::channel_access;
    std::vector<gemm_policy> out;
    const auto add = [&](const gemm_policy& p) {
        if (!holds_value(out, p)) out.push_back(p);
    };
    if (model.kernel.access == boxes) {
        if constexpr (Arch::traits.tensor_maps)
            for (const size_class size : sizes_of_boxes)
                if (has_size<In>(size, model.kernel)) add(boxes_policy<Arch, In>(size, model.kernel));
        return out;
    }
    const bool weights = r.pass == conv_pass::backward_weights;
    for (const size_class size : {size_class::small, size_class::large, size_class::narrow}) {
        conv_kernel kernel = model.kernel;
        if (kernel.access != elements && !weights)
            kernel.access = run_access(r, windows_row<Arch, In>().of(size));
        const gemm_policy policy = conv_policy<Arch, In>(size, kernel);
        if (size == size_class::narrow && (weights || !narrow_reads(policy, kernel.access))) continue;
        add(policy);
    }
    return out;
}

}  // namespace FADE_NAMESPACE::tune

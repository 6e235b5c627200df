// What single row operators refuse, beside the rules of their tensors.
#pragma once
#include <fade/core/require.hpp>
#include <fade/kernel/rows/narrow_rows.hpp>
#include <fade/kernel/rows/problem.hpp>

namespace FADE_NAMESPACE::kernel {

inline void require_list(const void* list, const char* name, index rows, const char* why) {
    if (!list && rows > 0) throw error(name, "null", why);
}

template <class Out, class Operands>
void check_norm(const norm_problem& p, const Operands& o, const char* operation) {
    require_real(p.epsilon >= 0 && p.epsilon < 1e30, "epsilon", p.epsilon,
                 "it must be 0 or positive, and finite");
    require_real(p.weight_offset > -1e30 && p.weight_offset < 1e30, "weight_offset", p.weight_offset,
                 "it must be finite");
    if constexpr (needs_row_scale<Out>)
        require_list(o.scales, "scales", p.rows, "an 8-bit y needs a scale for each row");
    else if (o.scales)
        throw error("scales", "given", "only an 8-bit y has scales");
    if (operation[0] == 'r' && (o.bias || o.mean))
        throw error(o.bias ? "bias" : "mean", "given", "rms_norm has none; layer_norm has");
    if (operation[0] == 'l' && p.weight_offset != 0)
        throw error("weight_offset", std::to_string(p.weight_offset), "only rms_norm has it");
}

template <class Operands>
void check_norm_gradient(const norm_gradient_problem& p, const Operands& o, const char* operation) {
    require_list(o.inverse_root, "inverse_root", p.rows, "the forward call stores it for the gradient");
    if (operation[0] == 'l')
        require_list(o.mean, "mean", p.rows, "the forward call stores it for the gradient");
    else if (o.mean || o.dbias)
        throw error(o.mean ? "mean" : "dbias", "given", "rms_norm has none; layer_norm has");
    if (!o.dx && !o.dweight && !o.dbias)
        throw error("dx", "null", "so are dweight and dbias, and nothing would be computed");
    if (o.dsum && !o.dx) throw error("dsum", "given", "it is part of dx, which is null");
}

inline void check_cross_entropy(const cross_entropy_problem& p, const int* labels) {
    require_list(labels, "labels", p.rows, "every row has a label");
    require_real(p.smoothing >= 0 && p.smoothing <= 1, "smoothing", p.smoothing,
                 "it must be between 0 and 1");
}

}  // namespace FADE_NAMESPACE::kernel

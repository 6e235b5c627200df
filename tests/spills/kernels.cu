// Kernels whose lanes hold most: elements read one by one, sums of gates, chains that are looked up.
#include <fade/backend/cuda/kernel.hpp>
#include <fade/epilogue/all.hpp>
#include <fade/tune/batched/entry.hpp>
#include <fade/tune/conv/entry.hpp>
#include <fade/tune/grouped/along_k_entry.hpp>
#include <fade/tune/grouped/entry.hpp>
#include <fade/tune/grouped/weights_entry.hpp>

namespace fade {

using enum operand_access;
using enum tune::size_class;

// nvcc reads a list in braces between < and > wrongly: an entry is named first.
#define FADE_READ(NAME, ...)                                                                                 \
    using NAME = __VA_ARGS__;                                                                                \
    template __global__ void backend::cuda::kernel<NAME>(const __grid_constant__ NAME::arguments);

FADE_READ(product_by_elements, tune::gemm_entry<bf16, bf16, strided, small, epilogue::none>)
FADE_READ(groups_by_elements, tune::grouped_entry<bf16, bf16, strided, small, epilogue::none>)
FADE_READ(gates_by_elements, tune::grouped_entry<f16, f16, strided, small, epilogue::swiglu_stage>)
FADE_READ(gates_of_groups, tune::grouped_entry<f16, f16, nn, large, epilogue::swiglu_stage>)
FADE_READ(groups_by_boxes, tune::grouped_boxes_entry<bf16, bf16, nt, large, epilogue::none>)
FADE_READ(gates_of_groups_by_boxes, tune::grouped_boxes_entry<bf16, bf16, nn, large, epilogue::swiglu_stage>)
FADE_READ(groups_along_k_by_boxes, tune::grouped_k_boxes_entry<bf16, bf16, large, epilogue::none>)
constexpr weight_format nibbles = weights::gptq();
FADE_READ(groups_with_weights, tune::grouped_weight_entry<nibbles, f16, f16, large, any_chain<f16>>)
using batch = kernel::batched_arguments<bf16, bf16, epilogue::none>;
FADE_READ(batch_by_elements, tune::batched_entry<batch, strided, small>)
FADE_READ(parts_by_any_chain, tune::combine_entry<f16, f16, any_chain<f16>>)

constexpr tune::conv_kernel filters{conv_pass::backward_weights, false, kernel::channel_access::elements};
FADE_READ(filters_by_elements, tune::conv_entry<f16, f16, filters, small, epilogue::none>)

}  // namespace fade

// What a quantisation is asked to do.
#pragma once
#include <cstddef>
#include <fade/kernel/attention/problem.hpp>

namespace FADE_NAMESPACE {

/// x and out are [batch, positions, heads, head_dim]; packed sequences are one batch of all positions.
struct quantize_problem {
    index batch = 1;                  ///< sequences
    index positions = 0;              ///< of a sequence
    index heads = 1;                  ///< of a position
    index head_dim = 0;               ///< elements of a head
    bool per_head = false;            ///< a factor for each head; else one for the tensor
    attention_strides x_strides{};    ///< all zero: packed
    attention_strides out_strides{};  ///< likewise
};

/// Memory that the device can read and write.
template <class Out, class In>
struct quantize_operands {
    element_pointer<const In> x{};    ///< what is quantised
    element_pointer<Out> out{};       ///< x over its factor, rounded to nearest
    element_pointer<float> scales{};  ///< [1], or per head [heads]: what the elements of out are to be
                                      ///< multiplied by, as attention_scales takes it
};

/// What quantize() is told beside its problem.
struct quantize_options {
    void* workspace = nullptr;        ///< device memory for what workgroups find; null: the device's own pool
    std::size_t workspace_bytes = 0;  ///< of that memory
};

}  // namespace FADE_NAMESPACE

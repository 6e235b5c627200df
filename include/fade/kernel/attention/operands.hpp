// The operands of attention: rows of one head of a tensor.
#pragma once
#include <fade/block/source/strided.hpp>
#include <fade/kernel/attention/arguments.hpp>

namespace FADE_NAMESPACE::kernel {

/// One head of a [batch, position, head, dim] tensor from a position on: rows are positions, k is the head's
/// dimension.
template <class T>
FADE_FN block::bounded_operand<T> operand_of(const T* begin, const sequence_strides& s, int first, int length,
                                             int head_dim) {
    const T* end = length > 0 ? begin + index(length - 1) * s.position + head_dim : begin;
    return {{begin + index(first) * s.position, begin, end, s.position, 1, 1 << 30}, head_dim};
}

/// Query 0 of a sequence and head.
template <class Args>
FADE_FN auto query_begin(const Args& args, const query_tile& at) {
    return args.q + at.batch * args.q_strides.batch + at.head * args.q_strides.head +
           index(at.extent.query_begin) * args.q_strides.position;
}
template <class Args>
FADE_FN auto queries_of(const Args& args, const query_tile& at) {
    return operand_of(query_begin(args, at), args.q_strides, at.first_query, at.extent.query_count,
                      args.head_dim);
}
template <class Args>
FADE_FN auto keys_of_head(const Args& args, const query_tile& at, int first) {
    const auto* begin = args.k + at.batch * args.k_strides.batch +
                        at.head / args.group * args.k_strides.head +
                        index(at.extent.key_begin) * args.k_strides.position;
    return operand_of(begin, args.k_strides, first, at.extent.key_count, args.head_dim);
}
/// Only the columns that the workgroup makes.
template <class Args>
FADE_FN auto values_of_head(const Args& args, const query_tile& at, int first) {
    const auto* begin = args.v + at.batch * args.v_strides.batch +
                        at.head / args.group * args.v_strides.head +
                        index(at.extent.key_begin) * args.v_strides.position;
    return operand_of(begin + at.first_column, args.v_strides, first, at.extent.key_count,
                      args.value_dim - at.first_column);
}

/// Values are read as V^T: rows are the head's dimension, k the positions.
template <class T>
FADE_FN block::bounded_operand<T> transposed(block::bounded_operand<T> o) {
    return {{o.tile, o.begin, o.end, 1, o.row_stride, o.depth},
            1 << 30};  // the head's dimension bounds the rows now
}

}  // namespace FADE_NAMESPACE::kernel

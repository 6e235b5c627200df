// A tensor as 8-bit floats and the factors that give it back: what workgroups find to be largest, the factors
// of that, the elements.
#pragma once
#include <bit>
#include <cstdint>
#include <fade/core/dtype.hpp>
#include <fade/core/shape.hpp>
#include <fade/kernel/quantize/problem.hpp>
#include <fade/kernel/quantize/rows.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::kernel {

/// Workgroups share the rows of a head: one for every so many rows, and no more than this.
inline constexpr int quantize_rows = 64, max_quantize_parts = 256;

template <class Out, class In>
struct quantize_arguments {
    const In* x;
    Out* out;
    float *scales, *found;  ///< found: [heads, parts], the largest magnitude of each share
    attention_strides x_strides, out_strides;
    int batch, positions, heads, head_dim;
    int parts;  ///< workgroups a head; 0: there are no rows
    int per_head;
};

/// Below the smallest normal f32 a factor would lose its bits.
template <class Out>
FADE_FN float factor_of(float largest) {
    const float smallest = std::bit_cast<float>(0x00800000u);
    return largest > 0 ? max_of(largest / to_f32(Out{Out::largest}), smallest) : 1.0f;
}

/// The rows of one head that a workgroup shares with others.
template <class Args>
FADE_FN block::shared_rows rows_of_part(const Args& a, int part) {
    return {a.batch, a.positions, a.head_dim, part, a.parts};
}

template <class T>
FADE_FN T* row_at(T* tensor, const attention_strides& s, int batch, int position, int head) {
    return tensor + (batch * s.batch + position * s.position + head * s.head);
}

/// The largest magnitude of a share of one head.
template <class Block, class Args>
FADE_FN void largest_body(Block& block, const Args& a) {
    const int part = block.id_x(), head = block.id_y();
    with_largest_magnitude(
        block, rows_of_part(a, part),
        [&](int batch, int position) FADE_LAMBDA { return row_at(a.x, a.x_strides, batch, position, head); },
        [&](float largest) { a.found[index(head) * a.parts + part] = largest; });
}

/// The factor of a head, or of the tensor, from what the shares have found.
template <class Block, class Args>
FADE_FN void factors_body(Block& block, const Args& a) {
    using out_type = std::remove_cvref_t<decltype(*a.out)>;
    const int which = block.id_x(), shares = a.per_head ? a.parts : a.parts * a.heads;
    const float* found = a.found + index(which) * shares;
    block::with_max(
        block, block::item_range{0, shares}, [&](int i) { return found[i]; },
        [&](float largest) { a.scales[which] = factor_of<out_type>(largest); });
}

/// The elements of a share of one head.
template <class Block, class Args>
FADE_FN void elements_body(Block& block, const Args& a) {
    const int head = block.id_y();
    divide_rows(
        block, rows_of_part(a, block.id_x()),
        [&](int batch, int position)
            FADE_LAMBDA { return row_at(a.out, a.out_strides, batch, position, head); },
        [&](int batch, int position) FADE_LAMBDA { return row_at(a.x, a.x_strides, batch, position, head); },
        a.scales[a.per_head ? head : 0]);
}

}  // namespace FADE_NAMESPACE::kernel

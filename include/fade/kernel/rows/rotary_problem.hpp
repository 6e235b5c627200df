// What a rotation by positions is asked to do, and what it refuses.
#pragma once
#include <fade/core/number/bytes.hpp>
#include <fade/core/require.hpp>
#include <fade/core/shape.hpp>
#include <fade/kernel/kv_cache/problem.hpp>

namespace FADE_NAMESPACE {

/// x and y are [tokens, heads, head_dim]. Token t stands at positions[t], or at first_position + t %
/// sequence.
struct rotary_problem {
    index tokens = 0;    ///< of all sequences together
    index heads = 1;     ///< of a token
    index head_dim = 0;  ///< elements of a head, an even number
    index rotary_dim =
        -1;  ///< first elements of a head that turn, an even number; the rest is copied; -1: all
    rotary_style style = rotary_style::half;  ///< which elements turn together
    index capacity = 0;                       ///< positions that cos and sin have
    index first_position = 0;                 ///< without positions
    index sequence = 0;                       ///< tokens of a sequence, without positions; 0: all
    index table_stride = -1;   ///< elements from one position of cos and sin to the next; -1: rotary_dim / 2
    index x_stride = -1;       ///< elements from token to token; -1: heads lie packed
    index y_stride = -1;       ///< likewise
    index x_head_stride = -1;  ///< elements from head to head; -1: head_dim
    index y_head_stride = -1;  ///< likewise
};

/// Memory that the device can read and write.
template <class In, class Out = In, class Table = float>
struct rotary_operands {
    const In* x = nullptr;           ///< [tokens, heads, head_dim]
    Out* y = nullptr;                ///< may be x, with its type and strides
    const Table* cos = nullptr;      ///< [capacity, rotary_dim / 2]
    const Table* sin = nullptr;      ///< likewise
    const int* positions = nullptr;  ///< [tokens]; a token outside the tables is not written
};

}  // namespace FADE_NAMESPACE

namespace FADE_NAMESPACE::kernel {

inline void check_distance(const char* name, index value, index min_value, const char* why) {
    require(value >= min_value && value < index(1) << 40, name, value, why);
}

/// The same problem without the numbers that stand for others.
inline rotary_problem completed(rotary_problem p) {
    constexpr index max = index(1) << 31;
    require(p.tokens >= 0 && p.tokens < max, "tokens", p.tokens, "it must be between 0 and 2^31 - 1");
    require(p.heads >= 0 && p.heads < 65536, "heads", p.heads, "it must be between 0 and 65535");
    require(p.head_dim >= 0 && p.head_dim <= 65536 && p.head_dim % 2 == 0, "head_dim", p.head_dim,
            "it must be even, and between 0 and 65536");
    if (p.rotary_dim == -1) p.rotary_dim = p.head_dim;
    require(p.rotary_dim >= 0 && p.rotary_dim <= p.head_dim && p.rotary_dim % 2 == 0, "rotary_dim",
            p.rotary_dim, "it must be even, and between 0 and head_dim");
    require(p.capacity >= 0 && p.capacity < max, "capacity", p.capacity, "it must be between 0 and 2^31 - 1");
    require(p.sequence >= 0 && p.sequence < max, "sequence", p.sequence, "it must be between 0 and 2^31 - 1");
    require(p.first_position >= 0 && p.first_position < max, "first_position", p.first_position,
            "it must be between 0 and 2^31 - 1");
    if (p.table_stride == -1) p.table_stride = p.rotary_dim / 2;
    if (p.x_head_stride == -1) p.x_head_stride = p.head_dim;
    if (p.y_head_stride == -1) p.y_head_stride = p.head_dim;
    check_distance("x_head_stride", p.x_head_stride, 0, "it must be -1, or 0 to 2^40 elements");
    check_distance("y_head_stride", p.y_head_stride, p.heads > 1 ? p.head_dim : 0,
                   "heads that are written may not overlap, so it must be at least head_dim");
    if (p.x_stride == -1) p.x_stride = p.heads * p.x_head_stride;
    if (p.y_stride == -1) p.y_stride = p.heads * p.y_head_stride;
    check_distance("table_stride", p.table_stride, 0, "it must be -1, or 0 to 2^40 elements");
    check_distance("x_stride", p.x_stride, 0, "it must be -1, or 0 to 2^40 elements");
    const index token = p.heads > 0 ? (p.heads - 1) * p.y_head_stride + p.head_dim : 0;
    check_distance("y_stride", p.y_stride, p.tokens > 1 ? token : 0,
                   "tokens that are written may not overlap, so it must be at least that of their heads");
    return p;
}

inline bool empty(const rotary_problem& p) { return p.tokens == 0 || p.heads == 0 || p.head_dim == 0; }

/// Elements from the first of a token to its last.
inline index span_of_token(const rotary_problem& p, index head_stride) {
    return (p.heads - 1) * head_stride + p.head_dim;
}

template <class T>
byte_range range_of_tokens(const rotary_problem& p, const T* data, index stride, index head_stride) {
    return bytes_from(data,
                      (wide_index(p.tokens - 1) * stride + span_of_token(p, head_stride)) * int(sizeof(T)));
}

template <class T>
void check_rotary_tensor(const char* name, const T* data, index bytes_of_token) {
    if (!data) throw error(name, "null", "a rotation needs it");
    require(reinterpret_cast<std::uintptr_t>(data) % sizeof(T) == 0, name,
            index(reinterpret_cast<std::uintptr_t>(data) % 4096),
            "its address must be a multiple of " + std::to_string(sizeof(T)) + " bytes");
    require(bytes_of_token < index(1) << 31, name, bytes_of_token,
            "the bytes that a token spans must be fewer than 2^31");
}

/// Of a completed problem.
template <class In, class Out, class Table>
void check_rotary(const rotary_problem& p, const rotary_operands<In, Out, Table>& o) {
    if (empty(p)) return;
    check_rotary_tensor("x", o.x, span_of_token(p, p.x_head_stride) * index(sizeof(In)));
    check_rotary_tensor("y", o.y, span_of_token(p, p.y_head_stride) * index(sizeof(Out)));
    check_rotary_tensor("cos", o.cos, p.rotary_dim * index(sizeof(Table)));
    check_rotary_tensor("sin", o.sin, p.rotary_dim * index(sizeof(Table)));
    const byte_range x = range_of_tokens(p, o.x, p.x_stride, p.x_head_stride),
                     y = range_of_tokens(p, o.y, p.y_stride, p.y_head_stride);
    const bool same = static_cast<const void*>(o.x) == static_cast<const void*>(o.y) &&
                      std::is_same_v<In, Out> && p.x_stride == p.y_stride &&
                      p.x_head_stride == p.y_head_stride;
    if (x.overlaps(y) && !same)
        throw error("y", "in memory of x", "it may overlap x only where both are the same elements");
    const wide_index table =
        p.capacity > 0 ? wide_index(p.capacity - 1) * p.table_stride + p.rotary_dim / 2 : 0;
    const auto apart = [&](const Table* t, const char* where) {
        if (y.overlaps(bytes_from(t, table * int(sizeof(Table)))))
            throw error("y", where, "what is written may overlap no table");
    };
    apart(o.cos, "in memory of cos"), apart(o.sin, "in memory of sin");
    if (!o.positions) {
        const index tokens = p.sequence > 0 ? min_of(p.sequence, p.tokens) : p.tokens;
        require(p.first_position + tokens <= p.capacity, "capacity", p.capacity,
                "positions reach " + std::to_string(p.first_position + tokens));
    }
}

}  // namespace FADE_NAMESPACE::kernel

// What a quantisation refuses before anything is written.
#pragma once
#include <fade/kernel/kv_cache/memory.hpp>
#include <fade/kernel/quantize/problem.hpp>

namespace FADE_NAMESPACE::kernel {

/// The problem with its defaults made explicit.
inline quantize_problem checked(quantize_problem p) {
    require(p.batch >= 0 && p.batch <= 65535, "batch", p.batch, "it must be between 0 and 65535");
    require(p.positions >= 0 && p.positions < index(1) << 30, "positions", p.positions,
            "it must be between 0 and 2^30 - 1");
    require(p.heads >= 0 && p.heads <= 65535, "heads", p.heads, "it must be between 0 and 65535");
    require(p.head_dim >= 1 && p.head_dim <= 512, "head_dim", p.head_dim, "it must be between 1 and 512");
    p.x_strides = checked_strides("x_strides", p.x_strides, p.positions, p.heads, p.head_dim);
    p.out_strides = checked_strides("out_strides", p.out_strides, p.positions, p.heads, p.head_dim);
    return p;
}

inline index factors_of(const quantize_problem& p) { return p.per_head ? p.heads : 1; }
inline bool has_elements(const quantize_problem& p) { return p.batch > 0 && p.positions > 0 && p.heads > 0; }

/// Pieces of memory of a quantisation, and their names.
struct named_range {
    const char* name;
    byte_range range;
};

inline void check_ranges_apart(const named_range& written, const named_range& other) {
    if (written.range.overlaps(other.range))
        throw error(written.name, std::string("overlapping ") + other.name,
                    "what is written may lie in nothing else");
}

inline byte_range bytes_at(const void* p, index bytes) {
    return {static_cast<const char*>(p), static_cast<const char*>(p) + bytes};
}

/// Pointers that exist where they are read or written, and results apart from everything else.
template <class Out, class In>
void check_operands(const quantize_problem& p, const quantize_operands<Out, In>& o,
                    const byte_range& workspace) {
    const index factors = factors_of(p);
    if (!o.scales && factors > 0) throw error("scales", "null", "the factors need memory");
    if (!o.x && has_elements(p)) throw error("x", "null", "it is read");
    if (!o.out && has_elements(p)) throw error("out", "null", "the elements need memory");
    const named_range x{"x",
                        tensor_range("x", o.x.get(), p.x_strides, p.batch, p.positions, p.heads, p.head_dim)},
        out{"out",
            tensor_range("out", o.out.get(), p.out_strides, p.batch, p.positions, p.heads, p.head_dim)};
    const named_range scales{"scales", bytes_at(o.scales, factors * index(sizeof(float)))},
        found{"workspace", workspace};
    if (has_elements(p))
        check_rows_apart("out_strides", p.out_strides, p.batch, p.positions, p.heads, p.head_dim);
    check_ranges_apart(out, x), check_ranges_apart(scales, x), check_ranges_apart(scales, out);
    check_ranges_apart(found, x), check_ranges_apart(found, out), check_ranges_apart(found, scales);
}

}  // namespace FADE_NAMESPACE::kernel

// How quantised weights lie in memory, and what makes numbers of them: a value that can be printed and
// compared.
#pragma once
#include <fade/core/namespace.hpp>
#include <fade/core/shape.hpp>
#include <string>

namespace FADE_NAMESPACE {

/// What an element is before it is scaled: whole numbers of 4 or 8 bits, or the floats of the OCP's block
/// formats.
enum class weight_element { unsigned4, signed4, unsigned8, signed8, e2m1, e4m3, e5m2 };

/// Where the elements of W, k x n, lie. Words have 32 bits, and their first element is in the lowest bits.
enum class weight_order {
    rows,  ///< [n][k]: a row a column of D, k one after another, of 4-bit elements two a byte
    gptq,  ///< [k / per][n] words of `per` consecutive k, 8 or 4 (GPTQ's qweight)
    awq    ///< [k][n / 8] words of 8 consecutive columns, in the order 0 2 4 6 1 3 5 7 (AWQ's qweight)
};

/// The type of the scales, of which each group has one a column: [n][k / group] of `rows`, else
/// [k / group][n].
enum class weight_scale {
    binary16,
    bfloat16,
    binary32,
    e8m0,  ///< a power of two, 2^(bits - 127); 255 is NaN
    e4m3
};

/// What is taken off an element before it is scaled.
enum class weight_zero {
    none,             ///< `bias`, the same for all
    packed,           ///< whole numbers of an element's bits, [k / group][n / per] words in the order's way
    packed_less_one,  ///< the same, and one is added to each: what GPTQ writes
    bytes,            ///< a byte each, where the scale lies
    as_scales         ///< numbers of the scales' type, where the scale lies
};

/// A weight is scale * (element - zero), in f32 and then rounded once to the type of A.
struct weight_format {
    weight_element element = weight_element::unsigned4;  ///< what is stored
    weight_order order = weight_order::rows;             ///< where
    weight_scale scale = weight_scale::binary16;         ///< the type of the scales
    /// Consecutive k that share a scale and a zero: a power of two, at least 16; 0: all of them;
    /// weights::any_group: as many as the problem says.
    int group = 128;
    weight_zero zero = weight_zero::none;  ///< where zero points come from
    int bias = 0;  ///< the zero point of all groups, without others: 8 of symmetric unsigned4
    /// Are all fields equal?
    constexpr bool operator==(const weight_format&) const = default;

    /// Of an element.
    FADE_FN constexpr int bits() const {
        return element == weight_element::unsigned4 || element == weight_element::signed4 ||
                       element == weight_element::e2m1
                   ? 4
                   : 8;
    }
    /// Elements of a word.
    FADE_FN constexpr int per_word() const { return 32 / bits(); }
    /// Are elements whole numbers?
    FADE_FN constexpr bool whole() const { return element <= weight_element::signed8; }
    /// Bytes of a scale.
    FADE_FN constexpr int scale_bytes() const {
        return scale == weight_scale::binary32 ? 4 : scale <= weight_scale::bfloat16 ? 2 : 1;
    }
    /// Do zero points lie in words?
    FADE_FN constexpr bool packs_zeros() const {
        return zero == weight_zero::packed || zero == weight_zero::packed_less_one;
    }
    /// k that come in whole numbers.
    FADE_FN constexpr int granule() const { return max_of(group, 32); }
    /// Does a problem say how large groups are?
    FADE_FN constexpr bool leaves_group() const { return group < 0; }
};

/// The formats that others write.
namespace weights {

/// The group of a format whose problems say it (weight_gemm_problem::group): one kernel for all sizes.
inline constexpr int any_group = -1;

/// GPTQ's: qweight, qzeros, scales. Columns must lie as they are used: no g_idx (desc_act).
constexpr weight_format gptq(int group = 128, weight_element element = weight_element::unsigned4) {
    return {.element = element,
            .order = weight_order::gptq,
            .group = group,
            .zero = weight_zero::packed_less_one};
}
/// AWQ's: qweight, qzeros, scales.
constexpr weight_format awq(int group = 128) {
    return {.order = weight_order::awq, .group = group, .zero = weight_zero::packed};
}
/// Rows of signed bytes, one scale a column or a group.
constexpr weight_format int8_rows(int group = 0, weight_scale scale = weight_scale::binary32) {
    return {.element = weight_element::signed8, .scale = scale, .group = group};
}
/// The block formats of the OCP: 32 elements along k share a power of two.
constexpr weight_format mx(weight_element element) {
    return {.element = element, .scale = weight_scale::e8m0, .group = 32};
}
constexpr weight_format mxfp4() { return mx(weight_element::e2m1); }
constexpr weight_format mxfp8() { return mx(weight_element::e4m3); }
/// NVIDIA's: 16 elements along k share an e4m3. The scale of the tensor is a factor of alpha.
constexpr weight_format nvfp4() {
    return {.element = weight_element::e2m1, .scale = weight_scale::e4m3, .group = 16};
}

}  // namespace weights

constexpr const char* name(weight_element e) {
    constexpr const char* names[] = {"unsigned4", "signed4", "unsigned8", "signed8", "e2m1", "e4m3", "e5m2"};
    return names[int(e)];
}
constexpr const char* name(weight_order o) {
    constexpr const char* names[] = {"rows", "gptq", "awq"};
    return names[int(o)];
}
constexpr const char* name(weight_scale s) {
    constexpr const char* names[] = {"binary16", "bfloat16", "binary32", "e8m0", "e4m3"};
    return names[int(s)];
}
constexpr const char* name(weight_zero z) {
    constexpr const char* names[] = {"none", "packed", "packed_less_one", "bytes", "as_scales"};
    return names[int(z)];
}

/// "unsigned4 gptq, groups of 128, binary16 scales, packed_less_one zeros"
inline std::string in_words(const weight_format& f) {
    std::string out = std::string(name(f.element)) + " " + name(f.order) + ", " +
                      (f.group > 0   ? "groups of " + std::to_string(f.group)
                       : f.group < 0 ? "groups of any size"
                                     : "one group") +
                      ", " + name(f.scale) + " scales";
    if (f.zero != weight_zero::none) return out + ", " + name(f.zero) + " zeros";
    return out + (f.bias ? ", bias " + std::to_string(f.bias) : "");
}

/// Can weights lie so? Where not, it does not compile, and says why.
template <weight_format Format>
constexpr bool require_weight_format() {
    constexpr weight_format f = Format;
    constexpr bool in_rows = f.order == weight_order::rows, awq = f.order == weight_order::awq,
                   small_scale = f.scale_bytes() == 1;
    constexpr bool grouped = f.group == 0 || f.group == weights::any_group ||
                             (f.group >= 16 && (f.group & (f.group - 1)) == 0),
                   words = in_rows || f.whole(), awq_bits = !awq || (f.bits() == 4 && f.scale_bytes() == 2),
                   scales = in_rows || !small_scale, zeros = f.zero == weight_zero::none || f.whole(),
                   packing = !f.packs_zeros() || (!in_rows && f.whole()),
                   bytes = f.zero != weight_zero::bytes || in_rows,
                   real = f.zero != weight_zero::as_scales || !small_scale,
                   bias = f.bias == 0 || (f.zero == weight_zero::none && f.whole());
    static_assert(grouped, "the group of a weight_format is 0 (all of k), a power of two, at least 16, or "
                           "weights::any_group");
    static_assert(words, "e2m1, e4m3 and e5m2 lie in rows: let the order of the weight_format be "
                         "weight_order::rows");
    static_assert(awq_bits, "AWQ's order is one of 4-bit integers with scales of binary16 or bfloat16");
    static_assert(scales, "e8m0 and e4m3 scales go with weight_order::rows");
    static_assert(zeros,
                  "floats have no zero points: let the zero of the weight_format be weight_zero::none");
    static_assert(packing, "packed zero points go with the orders gptq and awq: of rows they are "
                           "weight_zero::bytes or as_scales");
    static_assert(bytes,
                  "zero points of bytes go with weight_order::rows: of gptq and awq they are packed or "
                  "as_scales");
    static_assert(real, "zero points of the scales' type need scales of binary16, bfloat16 or binary32");
    static_assert(bias, "a bias is the zero point of integers that have no others");
    return grouped && words && awq_bits && scales && zeros && packing && bytes && real && bias;
}

}  // namespace FADE_NAMESPACE

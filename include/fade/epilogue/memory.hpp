// Memory that stages read, and what they refuse before anything runs.
#pragma once
#include <fade/core/error.hpp>
#include <fade/core/shape.hpp>
#include <fade/epilogue/position.hpp>
#include <string>
#include <string_view>  // and with it std::ranges::enable_borrowed_range
#include <type_traits>
#include <utility>

namespace FADE_NAMESPACE::epilogue {

/// D as stages see it when they are bound to a call.
struct output_shape {
    index rows, columns, batch;
    bool is_grouped = false;  ///< batches are groups of the rows of one matrix
};

/// A length that nobody gave: as much as is needed.
inline constexpr index any_length = -1;

/// Contiguous memory that knows its length: vectors, arrays, spans.
template <class C>
concept sized_memory = requires(C& c) {
    *c.data();
    static_cast<index>(c.size());
};
template <sized_memory C>
using element_of = std::remove_cvref_t<decltype(*std::declval<C&>().data())>;

/// Its address, which must outlive the call.
template <sized_memory C>
const element_of<C>* kept(C&& memory) {
    static_assert(
        std::is_lvalue_reference_v<C> || std::ranges::enable_borrowed_range<std::remove_cvref_t<C>>,
        "this stage would read the memory of a temporary, which is gone when the product runs: give it "
        "a variable, or a span");
    return memory.data();
}

/// `needed` values from `values` on, or an error; `why` says what reads them.
inline void check_values(const char* stage, const void* values, index count, wide_index needed,
                         const std::string& why) {
    if (count != any_length && count < needed)
        throw error(stage, std::to_string(count) + (count == 1 ? " value long" : " values long"), why);
    if (!values) throw error(stage, "null", why);
}

/// A vector of one value a row or column of D.
inline void check_vector(const char* stage, const void* values, index count, index needed, const char* of) {
    check_values(stage, values, count, needed,
                 "it reads one value for each of the " + std::to_string(needed) + " " + of + " of D");
}

/// A row-major matrix of D's shape for each batch, or for all groups. A leading dimension of 0 means packed
/// rows; a stride of 0 repeats one matrix, -1 means packed matrices.
template <class T>
struct matrix_source {
    const T* values;
    index ld = 0, batch_stride = -1, count = any_length;

    FADE_FN index offset(const position& p) const { return p.batch * batch_stride + p.row * ld + p.column; }
    template <class Value>
    FADE_FN Value at(const position& p) const {
        return p.load<Value>(values, offset(p));
    }

    /// Makes ld and batch_stride explicit, and checks what was given.
    void bind(const char* stage, const output_shape& d) {
        const auto check = [&](bool holds, const char* what, index value, const std::string& rule) {
            if (!holds) throw error(std::string(what) + " of " + stage, std::to_string(value), rule);
        };
        if (ld == 0) ld = d.columns;
        check(ld >= d.columns && ld <= index(1) << 40, "ld", ld,
              "a row of D has " + std::to_string(d.columns) +
                  " elements, so it must be between that and 2^40 (or 0 for packed rows)");
        check(batch_stride >= -1, "batch_stride", batch_stride,
              "it must be positive, 0 to repeat one matrix, or -1 for packed ones");
        const wide_index packed = d.is_grouped ? 0 : wide_index(d.rows) * ld,
                         apart = batch_stride < 0 ? packed : batch_stride;
        const wide_index needed = (d.batch - 1) * apart + wide_index(d.rows - 1) * ld + d.columns;
        check(needed < wide_index(1) << 59, "batch_stride", batch_stride,
              "its matrices must span fewer than 2^59 values");
        check_values(stage, values, count, needed,
                     "the matrices of D's shape that it reads span " + std::to_string(index(needed)) +
                         " values");
        batch_stride = index(apart);
    }
};

/// A stage's source from contiguous memory that knows its length.
template <sized_memory C>
matrix_source<element_of<C>> source_from(C&& memory, index ld, index batch_stride) {
    const auto count = static_cast<index>(memory.size());
    return {kept(std::forward<C>(memory)), ld, batch_stride, count};
}

}  // namespace FADE_NAMESPACE::epilogue

// What a row operator refuses before anything is written.
#pragma once
#include <fade/core/call/row_tensor.hpp>
#include <fade/core/number/bytes.hpp>
#include <fade/core/require.hpp>
#include <fade/core/shape.hpp>
#include <fade/core/words.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::kernel {

struct row_size {
    index rows, columns;
};

inline void check_row_size(const row_size& s) {
    constexpr index max = index(1) << 31;
    require(s.rows >= 0 && s.rows <= index(1) << 40, "rows", s.rows, "it must be between 0 and 2^40");
    require(s.columns >= 0 && s.columns < max, "columns", s.columns, "it must be between 0 and 2^31 - 1");
}

inline std::string size_in_words(std::string_view name, const row_size& s) {
    return words(name, " ", s.rows, " rows x ", s.columns, " columns");
}

template <class T>
index row_stride(const row_tensor<T>& t, const row_size& s) {
    return t.stride < 0 ? s.columns : t.stride;
}

template <class T>
byte_range range_of_rows(const row_tensor<T>& t, const row_size& s) {
    if (s.rows == 0 || s.columns == 0) return bytes_from(t.data, 0);
    return bytes_from(t.data, (wide_index(s.rows - 1) * row_stride(t, s) + s.columns) * int(sizeof(T)));
}

/// One tensor by itself. Rows that are written may not overlap.
template <class T>
void check_row_tensor(const char* name, const row_tensor<T>& t, const row_size& s, bool optional) {
    constexpr bool written = !std::is_const_v<T>;
    if (!t.data) {
        if (optional || s.rows == 0 || s.columns == 0) return;
        throw error(name, "null", "this operator needs it");
    }
    // Sentences are made where they are needed: a call that is right pays for none.
    if (reinterpret_cast<std::uintptr_t>(t.data) % sizeof(T) != 0)
        throw error(name, std::to_string(reinterpret_cast<std::uintptr_t>(t.data) % 4096),
                    "its address must be a multiple of " + std::to_string(sizeof(T)) + " bytes");
    const auto refuse_stride = [&](const char* why) {
        throw error(std::string(name) + "_stride", std::to_string(t.stride), why);
    };
    if (t.stride < -1 || t.stride > index(1) << 40)
        refuse_stride(
            "it must be -1 (rows lie one behind the other) or a distance between rows of at most 2^40");
    const index distance = row_stride(t, s);
    if (written && s.rows > 1 && distance < s.columns)
        refuse_stride("rows that are written may not overlap, so it must be at least columns");
    require(wide_index(s.columns) * int(sizeof(T)) < wide_index(1) << 31, "columns", s.columns,
            "a row must have fewer than 2^31 bytes");
    if ((wide_index(s.rows) * distance + s.columns) * int(sizeof(T)) >= wide_index(1) << 62)
        throw error("rows", std::to_string(s.rows),
                    std::string("tensor ") + name + " must span fewer than 2^62 bytes");
}

/// What is written may be what is read, row for row and element for element; no other overlap can be.
template <class A, class B>
void check_row_overlap(const char* name_a, const row_tensor<A>& a, const char* name_b, const row_tensor<B>& b,
                       const row_size& s) {
    constexpr bool both_read = std::is_const_v<A> && std::is_const_v<B>;
    if (both_read || !a.data || !b.data || !range_of_rows(a, s).overlaps(range_of_rows(b, s))) return;
    const bool in_place = static_cast<const void*>(a.data) == static_cast<const void*>(b.data) &&
                          sizeof(A) == sizeof(B) && (s.rows <= 1 || row_stride(a, s) == row_stride(b, s)) &&
                          std::is_const_v<A> != std::is_const_v<B>;
    if (!in_place)
        throw error(name_b, std::string("in memory of ") + name_a,
                    "what is written may overlap what is read only where both are the same rows");
}

template <class Operator>
void check_rows(const Operator& op, const row_size& s) {
    check_row_size(s);
    op.each_tensor([&](const char* name, const auto& t, bool optional = false) {
        check_row_tensor(name, t, s, optional);
    });
    int i = 0;
    op.each_tensor([&](const char* name_a, const auto& a, bool = false) {
        int j = 0;
        op.each_tensor([&](const char* name_b, const auto& b, bool = false) {
            if (j++ > i) check_row_overlap(name_a, a, name_b, b, s);
        });
        ++i;
    });
}

/// Do rows of both begin at the same element of a run of 16 bytes?
template <class A, class B>
bool begin_alike(const row_tensor<A>& a, const row_tensor<B>& b, const row_size& s) {
    constexpr index run = 16 / index(max_of(sizeof(A), sizeof(B)));
    const auto place = [](const auto& t) {
        return index(reinterpret_cast<std::uintptr_t>(t.data) / sizeof(*t.data));
    };
    return (place(a) - place(b)) % run == 0 &&
           (s.rows <= 1 || (row_stride(a, s) - row_stride(b, s)) % run == 0);
}

/// Do all rows begin at multiples of 16 bytes, in whole runs of `run` elements?
template <class Operator>
bool has_whole_runs(const Operator& op, const row_size& s, int run) {
    bool all = s.columns % run == 0;
    op.each_tensor([&](const char*, const auto& t, bool = false) {
        const index at = index(reinterpret_cast<std::uintptr_t>(t.data)), size = index(sizeof(*t.data));
        const index bytes = run * size < 16 ? run * size : 16;
        const bool rows_are = s.rows <= 1 || row_stride(t, s) * size % bytes == 0;
        all = all && (!t.data || (at % bytes == 0 && rows_are));
    });
    return all;
}

}  // namespace FADE_NAMESPACE::kernel

// The end of a matrix multiplication on the host: a corner of sums through the epilogue to D, a row at a
// time.
#pragma once
#include <fade/atom/cpu/pack.hpp>
#include <fade/epilogue/row.hpp>
#include <fade/kernel/gemm/arguments.hpp>
#include <fade/kernel/gemm/store.hpp>
#include <type_traits>

namespace FADE_NAMESPACE::kernel {

template <class Args>
using output_of = std::remove_cvref_t<decltype(*std::declval<Args>().d)>;

inline output_tile moved(output_tile at, index rows, index columns) {
    return at.row += rows, at.column += columns, at;
}

/// Rows of memory, `pitch` elements apart.
template <class T>
struct row_run {
    T* at;
    index pitch;
};

/// Do rows of the product lie elsewhere in D than one after another?
template <class Args>
bool rows_are_apart(const Args& args) {
    if constexpr (requires { args.rows_are_apart(); })
        return args.rows_are_apart();
    else
        return requires { args.row_of_output(index(0)); };
}

/// Does the epilogue leave sums as they are?
template <class Epilogue>
bool changes_nothing(const Epilogue& e) {
    if constexpr (requires { e.empty(); })
        return e.empty();
    else
        return std::is_same_v<Epilogue, epilogue::none>;
}

template <class First, class Second>
bool changes_nothing(const epilogue::chain<First, Second>& e) {
    if constexpr (requires { e.first.corrected(0, epilogue::position{}); })
        return !e.first.used && changes_nothing(e.second);
    else
        return false;
}

/// Where sums go as they are: to the partial sums of a shared k, or to D if nothing is left to do; null
/// otherwise.
template <class T, class Args>
row_run<T> plain_output(const Args& args, const output_tile& at) {
    if (args.splits > 1) return {args.partial + (at.layer * args.m + at.row) * args.n + at.column, args.n};
    if constexpr (std::is_same_v<output_of<Args>, T>)
        if (args.alpha == T(1) && args.beta == T(0) && changes_nothing(args.epilogue) &&
            !rows_are_apart(args))
            return {args.d + at.batch * args.stride_d + at.row * args.ldd + at.column, args.ldd};
    return {nullptr, 0};
}

/// One row in place: alpha * sum + beta * C. With beta = 0 C is not read.
template <class Args, class Value = typename Args::value>
void scale_row(Value* row, const Args& args, const output_tile& at, int columns) {
    const auto* c =
        args.beta == Value(0) ? nullptr : args.c + at.batch * args.stride_c + at.row * args.ldc + at.column;
    if (c || args.alpha != Value(1))
        atom::with_vectors<atom::scale_row>(row, c, Value(args.alpha), Value(args.beta), columns);
}

/// The same, then the epilogue.
template <class Args, class Value = typename Args::value>
void finish_row(Value* row, const Args& args, const output_tile& at, int columns) {
    scale_row(row, args, at, columns);
    epilogue::apply_to_row(args.epilogue, row, columns, {at.row, at.column, at.batch, true});
}

/// The same of rows without a gap, and without a gate. Stages write beyond the row that they are given, so
/// that all rows are scaled before.
template <class Args, class Value = typename Args::value>
void finish_whole_rows(Value* rows_at, const Args& args, const output_tile& at, int rows, int columns) {
    if (args.beta == Value(0)) {
        if (args.alpha != Value(1))
            atom::with_vectors<atom::scale_row>(rows_at, static_cast<const output_of<Args>*>(nullptr),
                                                Value(args.alpha), Value(0), rows * columns);
    } else {
        for (int r = 0; r < rows; ++r) scale_row(rows_at + r * columns, args, moved(at, r, 0), columns);
    }
    epilogue::apply_to_rows(args.epilogue, rows_at, rows, columns, {at.row, at.column, at.batch, true});
}

/// Whole sums lose what zero points owe, where there are any.
template <class T, class Args>
void correct_rows(row_run<T> sums, const Args& args, const output_tile& at, int rows, int columns) {
    if constexpr (requires { args.epilogue.first.corrected(T{}, epilogue::position{}); }) {
        if (!args.epilogue.first.used) return;
        for (int r = 0; r < rows; ++r)
            for (int j = 0; j < columns; ++j) {
                T& sum = sums.at[r * sums.pitch + j];
                sum = args.epilogue.first.corrected(sum, {at.row + r, at.column + j, at.batch, true});
            }
    }
}

/// Sums of another type than the epilogue's, of rows without a gap in D and without a gate: some rows at a
/// time become that type, beside each other.
template <int Most, class T, class Args, class Out>
void finish_converted_rows(row_run<T> sums, const Args& args, const output_tile& at, Out* to, int rows,
                           int columns) {
    using value = typename Args::value;
    constexpr int some = 16;
    alignas(64) value converted[some * Most];
    for (int r = 0; r < rows; r += some) {
        const int count = min_of(rows - r, some);
        atom::with_vectors<atom::copy_rows>(converted, index(columns), sums.at + r * sums.pitch, sums.pitch,
                                            count, columns);
        finish_whole_rows(converted, args, moved(at, r, 0), count, columns);
        atom::with_vectors<atom::copy_rows>(to + r * args.ldd, args.ldd, converted, index(columns), count,
                                            columns);
    }
}

/// Stores rows x columns sums whose first belongs to element `at` of the product; there are at most Most
/// columns. A gate leaves half of them.
template <int Most, class T, class Args>
void finish_rows(row_run<T> sums, const Args& args, const output_tile& at, int rows, int columns) {
    using value = typename Args::value;
    if (const auto out = plain_output<T>(args, at); out.at)
        return atom::with_vectors<atom::copy_rows>(out.at, out.pitch, sums.at, sums.pitch, rows, columns);
    correct_rows(sums, args, at, rows, columns);
    const auto line = [&](int r) { return moved(at, row_of_output(args, at.row + r) - at.row, 0); };
    constexpr int joined = epilogue::columns_per_output<decltype(Args::epilogue)>;
    const auto to = [&](const output_tile& of) {
        return args.d + of.batch * args.stride_d + of.row * args.ldd + of.column / joined;
    };
    if constexpr (std::is_same_v<T, value>)
        if (!rows_are_apart(args)) {
            if (joined == 1 && columns == sums.pitch)
                finish_whole_rows(sums.at, args, at, rows, columns);
            else
                for (int r = 0; r < rows; ++r)
                    finish_row(sums.at + r * sums.pitch, args, moved(at, r, 0), columns);
            return atom::with_vectors<atom::copy_rows>(to(at), args.ldd, sums.at, sums.pitch, rows,
                                                       columns / joined);
        }
    if constexpr (!std::is_same_v<T, value> && joined == 1)
        if (!rows_are_apart(args)) return finish_converted_rows<Most>(sums, args, at, to(at), rows, columns);
    const bool plain = std::is_same_v<T, value> && args.alpha == value(1) && args.beta == value(0) &&
                       changes_nothing(args.epilogue);
    alignas(64) value row[Most];
    for (int r = 0; r < rows; ++r, sums.at += sums.pitch) {
        const output_tile of = line(r);
        if (plain) {
            atom::with_vectors<atom::copy_rows>(to(of), index(0), sums.at, index(0), 1, columns);
            continue;
        }
        atom::with_vectors<atom::copy_rows>(row, index(0), sums.at, index(0), 1, columns);
        finish_row(row, args, of, columns);
        atom::with_vectors<atom::copy_rows>(to(of), index(0), row, index(0), 1, columns / joined);
    }
}

}  // namespace FADE_NAMESPACE::kernel

// Where rows of a tensor lie, of which the elements stand side by side in aligned runs of 16 bytes.
#pragma once
#include <concepts>
#include <fade/core/dtype.hpp>
#include <fade/core/shape.hpp>

namespace FADE_NAMESPACE::block {

/// find(row) is what must be known of a row to read it, holds(that) says whether there is such a row, and
/// at(that) where it begins. looked_up: finding takes a while, and rows may be missing.
template <class Rows>
concept row_source = requires(const Rows& rows, int row) {
    typename Rows::element;
    { Rows::looked_up } -> std::convertible_to<bool>;
    { rows.holds(rows.find(row)) } -> std::same_as<bool>;
    { rows.at(rows.find(row)) } -> std::same_as<const typename Rows::element*>;
};

/// Of these each lane finds one row for others beside it.
template <class Rows>
concept looked_up_rows = row_source<Rows> && Rows::looked_up;

/// Rows at equal distances, in elements.
template <class Rows>
concept even_rows = row_source<Rows> && requires(const Rows& rows) {
    { rows.distance(1) } -> std::same_as<index>;
};

/// The rows from `begin` to before `end`, and how many columns there are of each.
template <row_source Rows>
struct row_range {
    Rows rows;
    int begin, end, columns;
};
template <class Rows>
row_range(Rows, int, int, int) -> row_range<Rows>;

}  // namespace FADE_NAMESPACE::block

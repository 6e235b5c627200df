// A mixture of experts in double precision: which experts a token gets, and what they make of it.
#pragma once
#include "reference.hpp"

namespace fade::bench {

/// The columns of B as they are stored, n x k.
column_reader stored_columns(const buffer& b, index group);

/// Rows of A times n columns of k numbers, row after row.
std::vector<double> multiplied(const std::vector<std::vector<double>>& rows, index k, index n,
                               const column_reader& columns);

/// Column j of each row of which columns 2j and 2j + 1 are given.
std::vector<double> through_gate(gate_kind gate, const std::vector<double>& x);

/// The experts of each token, the largest logit first, with what they count for, and the tables of their
/// rows.
struct expected_routes {
    std::vector<double> choices, shares, ends, row_list, slots;
};
expected_routes routes_of(const product_request& request, const product_data& data);

/// Rows of D: the sum of what the experts of each of these tokens make, each counted by its share.
std::vector<double> expected_mixture(const product_request& request, const product_data& data,
                                     const std::vector<index>& tokens);

}  // namespace fade::bench

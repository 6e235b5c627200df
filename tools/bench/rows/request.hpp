// What a command line asks of a row operator.
#pragma once
#include "../request.hpp"
#include "call.hpp"
#include <nlohmann/json_fwd.hpp>
#include <span>

namespace fade::bench {

/// The options as given, understood and checked against each other.
struct rows_request : request {
    row_operator op{};
    bool backward = false, residual = false;
    bool of_columns = false;  ///< each column has a result, not each row
    index rows = 0, columns = 0;
    std::optional<int> k;              ///< of top_k
    std::optional<std::string> along;  ///< as given

    bool norm() const { return op == row_operator::rms_norm || op == row_operator::layer_norm; }
    /// One value of each row or column comes out.
    bool reduces() const { return op >= row_operator::sum && op <= row_operator::argmax; }
    /// What has a result of its own each: the rows, or the columns.
    index lines() const { return of_columns ? columns : rows; }
    index elements_of_line() const { return of_columns ? rows : columns; }
};

/// The word of --op.
std::string_view name_of(row_operator op);
std::span<const std::string_view> row_operator_names();

/// The options of `fade-bench rows`.
std::span<const tools::option> rows_options_known();

/// Reads and checks the words after `rows`: a request for each choice of the sizes that are listed.
std::vector<rows_request> parse_rows(std::span<const std::string_view> words);

/// The echo of the options.
nlohmann::ordered_json problem_of(const rows_request& request);

/// Operations of the problem: so many of each element, an exponential counting as one.
double operations_of(const rows_request& request);

}  // namespace fade::bench

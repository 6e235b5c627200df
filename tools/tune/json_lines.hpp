// Rows of a tuning database as lines of JSON.
#pragma once
#include <fade/tune.hpp>
#include <string>

namespace fade::tools {

/// One line, without its end.
std::string line_of(const tune::tuning_row& row);

/// What a find did: `source`, the row that it took or kept, `why`, and `times` of a search.
std::string line_of(const found_policy& found, const std::string& name);

/// The row of a line. Throws refusal for text that is none, which names the line.
tune::tuning_row row_of(const std::string& line, int number);

}  // namespace fade::tools

// Rows of a tuning database as lines of JSON.
#pragma once
#include <fade/tune.hpp>
#include <string>

namespace fade::tools {

/// One line, without its end.
std::string line_of(const tune::tuning_row& row);

/// The same of what tuning found, with `kept`, `candidates`, `model_nanoseconds` and `times`.
std::string line_of(const tuning& found);

/// The row of a line. Throws refusal for text that is none, which names the line.
tune::tuning_row row_of(const std::string& line, int number);

}  // namespace fade::tools

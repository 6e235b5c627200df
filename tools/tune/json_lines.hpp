// Rows of a tuning database as lines of JSON.
#pragma once
#include <fade/tune/database/row.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace fade::tools {

nlohmann::ordered_json json_of(const tune::tuning_row& row);
/// On one line, without its end.
std::string text_of(const nlohmann::ordered_json& line);
std::string line_of(const tune::tuning_row& row);

/// The row of a line. Throws refusal for text that is none, which names the line.
tune::tuning_row row_of(const std::string& line, int number);

}  // namespace fade::tools

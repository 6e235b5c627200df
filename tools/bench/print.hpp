// Answers on standard output: JSON lines, comma-separated lines, a paragraph each, or a table.
#pragma once
#include "answer.hpp"
#include <cstddef>
#include <nlohmann/json_fwd.hpp>

namespace fade::bench {

class printer {
public:
    printer(const request& asked, std::size_t problems) : asked_(asked), table_(problems > 1) {}

    /// Prints one answer, now; `problem` echoes the options of the operation.
    void print(const answer& a, const nlohmann::ordered_json& problem);

private:
    const request& asked_;
    bool table_, first_ = true;
};

/// One line of strict JSON.
std::string as_json(const answer& a, const nlohmann::ordered_json& problem);

/// Comma-separated values, and the line that names them.
std::string csv_names(const answer& a, const nlohmann::ordered_json& problem);
std::string as_csv(const answer& a, const nlohmann::ordered_json& problem);

/// Some lines for a human.
std::string as_text(const answer& a);

/// A line of a table of the problems of one command line, and the lines above it.
std::string table_head(const answer& a, const nlohmann::ordered_json& problem);
std::string as_row(const answer& a, const nlohmann::ordered_json& problem);

}  // namespace fade::bench
